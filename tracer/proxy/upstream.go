package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// An Upstream is a server that requests are forwarded to.
type Upstream struct {
	Prefix string   // requests below this path are its own, and arrive there without it; "" any path
	API    API      // only requests that speak this API; "" any
	URL    *url.URL // http or https; its path is put before the request's
}

// An API is a family of APIs as one provider serves it from one host.
type API string

// The APIs that are recognised.
const (
	OpenAI    API = "openai"
	Anthropic API = "anthropic"
	Google    API = "google"
	Ollama    API = "ollama"
)

// ParseUpstream reads an upstream as one writes it on a command line: URL, or API=URL, or /PREFIX=URL.
func ParseUpstream(s string) (Upstream, error) {
	var up Upstream
	target := s
	if before, after, ok := strings.Cut(s, "="); ok && !strings.Contains(before, "://") {
		target = after
		switch api := API(before); {
		case strings.HasPrefix(before, "/"):
			up.Prefix = before
		case api == OpenAI || api == Anthropic || api == Google || api == Ollama:
			up.API = api
		default:
			return up, fmt.Errorf("upstream %q: %q is neither a path nor one of openai, anthropic, google, ollama", redact(s), before)
		}
	}
	u, err := url.Parse(target)
	if err != nil {
		var parse *url.Error
		errors.As(err, &parse) // its text quotes the URL, which may hold a password
		return up, fmt.Errorf("upstream URL: %w; write it like https://api.example.com/v1", parse.Err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return up, fmt.Errorf("upstream %q: not an http or https URL with a host; write it like https://api.example.com/v1", redact(target))
	}
	up.URL = u
	return up, nil
}

// redact returns s without what may be a user's name and password.
func redact(s string) string {
	if i := strings.LastIndex(s, "@"); i >= 0 {
		return "…" + s[i:]
	}
	return s
}

// choose returns the upstream of a request: the one with the longest prefix that fits, else the one for the API that it speaks, else
// the one for any. It returns nil if there is none.
func choose(upstreams []Upstream, r *http.Request) *Upstream {
	var best *Upstream
	api := apiOf(r)
	for i := range upstreams {
		up := &upstreams[i]
		if up.API != "" && up.API != api || !below(up.Prefix, r.URL.EscapedPath()) {
			continue
		}
		if best == nil || len(up.Prefix) > len(best.Prefix) ||
			len(up.Prefix) == len(best.Prefix) && best.API == "" && up.API != "" {
			best = up
		}
	}
	return best
}

func below(prefix, path string) bool {
	prefix = strings.TrimRight(prefix, "/")
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (prefix == "" || rest == "" || rest[0] == '/')
}

// address rewrites the URL of a request so that it leads to the upstream. The path keeps the escapes that it came with.
func (up *Upstream) address(u *url.URL) {
	u.Path, u.RawPath = up.path(u)
	switch own := up.URL.RawQuery; {
	case own == "":
	case u.RawQuery == "":
		u.RawQuery = own
	default:
		u.RawQuery = own + "&" + u.RawQuery
	}
	u.Scheme, u.Host, u.User = up.URL.Scheme, up.URL.Host, up.URL.User
}

// redirected returns what stands for a redirect within the upstream: the client would look for its path at another upstream, or go to
// another host, which clients give no key. Other redirects stay as they are.
func (up *Upstream) redirected(location string) string {
	u, err := url.Parse(location)
	if err != nil || u.Host != "" && (u.Scheme != up.URL.Scheme || u.Host != up.URL.Host) {
		return location
	}
	own := strings.TrimRight(up.URL.EscapedPath(), "/")
	path := u.EscapedPath()
	if !strings.HasPrefix(path, "/") || !below(own, path) {
		return location
	}
	rest := url.URL{RawQuery: u.RawQuery, ForceQuery: u.ForceQuery, Fragment: u.Fragment, RawFragment: u.RawFragment}
	return cmp.Or(strings.TrimRight(up.Prefix, "/")+strings.TrimPrefix(path, own), "/") + rest.String()
}

// path returns the path that a request has at the upstream, and its escaped form.
func (up *Upstream) path(u *url.URL) (plain, escaped string) {
	path := strings.TrimPrefix(u.EscapedPath(), strings.TrimRight(up.Prefix, "/"))
	if path != "" && path[0] != '/' {
		path = "/" + path
	}
	path = strings.TrimRight(up.URL.EscapedPath(), "/") + path
	plain, err := url.PathUnescape(path)
	if err != nil {
		return u.Path, u.RawPath
	}
	return plain, path
}

// apiOf returns the API that a request speaks, by its path, or by headers where two APIs share the path. What it does not know
// is OpenAI's, which most servers imitate.
func apiOf(r *http.Request) API {
	path := strings.TrimRight(r.URL.Path, "/")
	has := func(header string) bool { return r.Header.Get(header) != "" }
	switch {
	case has("Anthropic-Version"), strings.Contains(path, "/v1/messages"), strings.HasSuffix(path, "/v1/complete"):
		return Anthropic
	case has("X-Goog-Api-Key"), has("X-Goog-Api-Client"), strings.Contains(path, "/v1beta"), strings.Contains(path, "enerateContent"):
		return Google
	}
	if _, verb, ok := strings.Cut(path, "/api/"); ok && ollamaVerbs[strings.SplitN(verb, "/", 2)[0]] {
		return Ollama
	}
	return OpenAI
}

// ollamaVerbs tell Ollama's own paths from those of other servers that keep their API below /api/.
var ollamaVerbs = map[string]bool{"chat": true, "generate": true, "tags": true, "show": true, "ps": true, "version": true,
	"embed": true, "embeddings": true, "pull": true, "push": true, "create": true, "copy": true, "delete": true, "blobs": true}
