package agentsim

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3"

	"github.com/seed46266073/longpole/tracer"
)

// A refusal is an error of the server with the server's own reason. The SDK's has the status alone, for logs; here a person reads it,
// and it is not recorded.
type refusal struct {
	status *openai.Error
	reason string
}

func (r refusal) Error() string { return r.status.Error() + ": " + r.reason }
func (r refusal) Unwrap() error { return r.status }

// longestReason is in characters: there are servers that repeat the request.
const longestReason = 300

// refused adds the server's reason to its error, on one line and without keys, if it gave one. Where the key is
// the reason the status says enough, and texts repeat too much. Other errors stay as they are.
func refused(err error) error {
	var status *openai.Error
	if !errors.As(err, &status) || status.StatusCode == http.StatusUnauthorized || status.StatusCode == http.StatusForbidden {
		return err
	}
	reason := strings.Join(strings.Fields(withoutKeys(reasonOf(status), status.Request)), " ")
	if reason == "" {
		return err
	}
	if letters := []rune(reason); len(letters) > longestReason {
		reason = string(letters[:longestReason]) + "…"
	}
	return refusal{status, reason}
}

// withoutKeys masks in a server's text what looks like a credential, and what the request had for one.
func withoutKeys(text string, request *http.Request) string {
	if request == nil {
		return tracer.Mask(text)
	}
	_, password, _ := request.BasicAuth()
	for _, secret := range append(strings.Fields(request.Header.Get("Authorization")), password) {
		if secret != "" && secret != "Bearer" && secret != "Basic" {
			text = strings.ReplaceAll(text, secret, "[masked]")
		}
	}
	return tracer.Mask(text)
}

// reasonOf finds the reason in the body: error.message is OpenAI's place for it; others have it as message or detail.
func reasonOf(status *openai.Error) string {
	if status.Message != "" || status.Response == nil || status.Response.Body == nil {
		return status.Message
	}
	var body map[string]any
	if json.NewDecoder(io.LimitReader(status.Response.Body, 1<<20)).Decode(&body) != nil {
		return ""
	}
	for _, key := range []string{"message", "detail"} {
		if text, ok := body[key].(string); ok {
			return text
		}
	}
	return ""
}
