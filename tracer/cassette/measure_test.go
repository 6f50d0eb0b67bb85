package cassette_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/cassette"
	"github.com/seed46266073/longpole/tracer/stream"
)

// What is measured of a stream is the same when it is masked: recorded streams of every API, cut as they were.
func TestMaskedStreamsMeasureTheSame(t *testing.T) {
	paths := map[string]string{"chat": "/chat/completions", "responses": "/responses", "anthropic": "/v1/messages"}
	files, err := filepath.Glob("../stream/testdata/cases/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded streams", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			Input struct {
				Kind, API string
				Records   []struct {
					AtMS   float64 `json:"at_ms"`
					Raw    string
					RawB64 []byte `json:"raw_b64"`
				}
			}
		}
		if err := json.Unmarshal(b, &c); err != nil || c.Input.Kind != "sse" {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			var body []byte
			var ends []int
			for _, r := range c.Input.Records {
				body = append(append(body, r.Raw...), r.RawB64...)
				ends = append(ends, len(body))
			}
			measure := func(body []byte) *stream.Result {
				d, _ := stream.New(paths[c.Input.API], stream.Options{})
				from := 0
				for i, end := range ends {
					d.Feed(time.Duration(c.Input.Records[i].AtMS*float64(ms)), body[from:end])
					from = end
				}
				r := *d.Close(time.Hour, io.EOF)
				for i := range r.ToolCalls {
					r.ToolCalls[i] = stream.ToolCall{ID: r.ToolCalls[i].ID, Name: r.ToolCalls[i].Name, First: r.ToolCalls[i].First, Last: r.ToolCalls[i].Last}
				}
				return &r
			}
			want := measure(body)
			cassette.Mask(body)
			if got := measure(body); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}
