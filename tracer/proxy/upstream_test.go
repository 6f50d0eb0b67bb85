package proxy

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	parse := func(list ...string) []Upstream {
		var ups []Upstream
		for _, s := range list {
			up, err := ParseUpstream(s)
			if err != nil {
				t.Fatal(err)
			}
			ups = append(ups, up)
		}
		return ups
	}
	four := parse("https://api.openai.com/v1", "anthropic=https://api.anthropic.com", "google=https://generativelanguage.googleapis.com", "ollama=http://127.0.0.1:11434")
	prefixes := parse("/openai=https://api.openai.com/v1", "/openai/eu=https://eu.api.openai.com/v1", "/a=https://api.anthropic.com?k=1")
	for _, test := range []struct {
		name    string
		ups     []Upstream
		request string // path; then headers
		want    string // "" if it is refused
	}{
		{"Chat Completions are for any", four, "/chat/completions", "https://api.openai.com/v1/chat/completions"},
		{"Messages are Anthropic's", four, "/v1/messages?beta=true", "https://api.anthropic.com/v1/messages?beta=true"},
		{"models asked for with Anthropic's version", four, "/v1/models anthropic-version: 2023-06-01", "https://api.anthropic.com/v1/models"},
		{"Gemini is Google's", four, "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
			"https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"},
		{"Ollama's own paths", four, "/api/chat", "http://127.0.0.1:11434/api/chat"},
		{"others have their API below /api/ too", four, "/api/v1/chat/completions", "https://api.openai.com/v1/api/v1/chat/completions"},
		{"a prefix is taken off", prefixes, "/openai/responses", "https://api.openai.com/v1/responses"},
		{"the longest prefix wins", prefixes, "/openai/eu/responses", "https://eu.api.openai.com/v1/responses"},
		{"a prefix ends at a slash", prefixes, "/openai-eu/responses", ""},
		{"the prefix alone", prefixes, "/openai", "https://api.openai.com/v1"},
		{"the upstream's query comes first", prefixes, "/a/v1/messages?b=2", "https://api.anthropic.com/v1/messages?k=1&b=2"},
		{"escapes stay", prefixes, "/openai/files/a%2Fb%20c", "https://api.openai.com/v1/files/a%2Fb%20c"},
		{"no upstream for this API", parse("anthropic=https://api.anthropic.com"), "/v1/chat/completions", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			target, header, _ := strings.Cut(test.request, " ")
			r := httptest.NewRequest(http.MethodPost, target, nil)
			if name, value, ok := strings.Cut(header, ": "); ok {
				r.Header.Set(name, value)
			}
			up := choose(test.ups, r)
			if up == nil {
				if test.want != "" {
					t.Error("refused")
				}
				return
			}
			u := *r.URL
			up.address(&u)
			if u.String() != test.want {
				t.Errorf("got %s, want %s", &u, test.want)
			}
		})
	}
}

func TestARedirectWithinTheUpstreamStaysThere(t *testing.T) {
	for _, test := range []struct{ upstream, location, want string }{
		{"http://h", "/v1/b?c=%2F#d", "/v1/b?c=%2F#d"},
		{"http://h", "http://h/v1/b/", "/v1/b/"},
		{"http://h", "https://h/v1/b", "https://h/v1/b"},
		{"http://h", "http://elsewhere/v1/b", "http://elsewhere/v1/b"},
		{"http://h", "//elsewhere/v1/b", "//elsewhere/v1/b"},
		{"http://h", "b/", "b/"},
		{"http://h", "http://h", "http://h"},
		{"http://h", "http://h/?", "/?"},
		{"http://h/v1", "/v1", "/"},
		{"http://h", "http://h:a b", "http://h:a b"},
		{"/p=http://h", "/v1/a%2Fb", "/p/v1/a%2Fb"},
		{"/p=http://h", "http://h/v1/b?c", "/p/v1/b?c"},
		{"/p=http://h/v1", "/v1/b", "/p/b"},
		{"/p=http://h/v1", "/v12/b", "/v12/b"},
	} {
		up, err := ParseUpstream(test.upstream)
		if err != nil {
			t.Fatal(err)
		}
		if got := up.redirected(test.location); got != test.want {
			t.Errorf("%s sends to %s: got %s, want %s", test.upstream, test.location, got, test.want)
		}
	}
}

func TestParseUpstreamKeepsPasswordsToItself(t *testing.T) {
	for _, s := range []string{"http://me:hunter2@", "ftp://me:hunter2@host", "http://me:hunter2@host:a b", "nobody=http://me:hunter2@host", "host:80", "://"} {
		if _, err := ParseUpstream(s); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", s, err)
		}
	}
}
