package agentsim

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// A handler answers in memory, as a transport does.
type handler func(http.ResponseWriter)

func (h handler) RoundTrip(*http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h(w)
	return w.Result(), nil
}

func TestRefusalsSayTheServersReason(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"OpenAI's place for it", `{"error":{"message":"the effort is \"lo\"","type":"invalid_request_error"}}`, `: the effort is "lo"`},
		{"a message without an error", `{"object":"error","message":"no such model"}`, ": no such model"},
		{"a detail", `{"detail":"Not Found"}`, ": Not Found"},
		{"several lines are one", `{"error":{"message":"first\n\n  second\t"}}`, ": first second"},
		{"a key is not shown", `{"error":{"message":"Incorrect API key provided: sk-abcdefghijklmnop."}}`, ": Incorrect API key provided: [masked]."},
		{"nor is the one that was sent", `{"error":{"message":"wrong key: our.own.key"}}`, ": wrong key: [masked]"},
		{"a long one is cut", `{"error":{"message":"` + strings.Repeat("é", 1000) + `"}}`, ": " + strings.Repeat("é", longestReason) + "…"},
		{"a list of details is no reason", `{"detail":[{"msg":"field required"}]}`, ""},
		{"a page is no reason", `<html>Bad Request</html>`, ""},
		{"nothing", ``, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := openai.NewClient(option.WithAPIKey("our.own.key"), option.WithMaxRetries(0), option.WithBaseURL("http://server/v1"),
				option.WithHTTPClient(&http.Client{Transport: handler(func(w http.ResponseWriter) {
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(http.StatusBadRequest)
					w.Write([]byte(c.body))
				})}))
			var response *http.Response
			err := refused(client.Post(t.Context(), "chat/completions", nil, &response))
			if want := "OpenAI API error: 400 Bad Request" + c.want; err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			if status := (*openai.Error)(nil); !errors.As(err, &status) || status.StatusCode != 400 {
				t.Errorf("the status is lost in %#v", err)
			}
		})
	}
}
