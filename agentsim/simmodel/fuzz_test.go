package simmodel_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

// Whatever is asked, the server answers: with output, or with an error in JSON.
func FuzzRequests(f *testing.F) {
	for i, d := range dialects {
		f.Add(byte(i), []byte(d.ask(true)))
		f.Add(byte(i), []byte(d.ask(false)))
	}
	agents, err := os.ReadFile("testdata/agents.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(agents) {
		var r struct{ Body json.RawMessage }
		if err := json.Unmarshal(line, &r); err != nil {
			f.Fatal(err)
		}
		for i := range dialects {
			f.Add(byte(i), []byte(r.Body))
		}
	}
	f.Fuzz(func(t *testing.T, api byte, body []byte) {
		d := dialects[int(api)%len(dialects)]
		synctest.Test(t, func(t *testing.T) {
			cfg := everything
			cfg.Fallback, cfg.Default = simmodel.Errand(), "exact"
			server := simmodel.New(cfg)
			w := httptest.NewRecorder()
			server.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "POST", d.path, bytes.NewReader(body)))
			got := w.Body.String()
			switch {
			case w.Code == 200 && got != "":
			case w.Code >= 400 && w.Code < 500 && json.Valid([]byte(got)) && strings.Contains(got, `"error"`):
			default:
				t.Errorf("status %d: %s", w.Code, got)
			}
		})
	})
}
