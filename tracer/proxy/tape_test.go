package proxy_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/tracer/cassette"
	"github.com/seed46266073/longpole/tracer/proxy"
)

// tapeOf returns what a cassette holds of the given exchanges with a server.
func tapeOf(t *testing.T, content bool, server http.HandlerFunc, f func(w *world)) []cassette.Exchange {
	var file bytes.Buffer
	simulate(t, server, func(c *proxy.Config) { c.Tap = cassette.NewWriter(&file, content) }, f)
	if file.Len() == 0 {
		return nil
	}
	c, err := cassette.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	return c.Exchanges
}

func TestACassettePlaysWhatPassed(t *testing.T) {
	pieces := []write{event(100*ms, `"reasoning_content":"hm"`), {150 * ms, "data: {\"choices\":[{\"delta\":{\"cont"}, {170 * ms, "ent\":\"b\"}}]}\n\n"}, finish(330 * ms)}
	for coding := range encoders {
		for _, content := range []bool{false, true} {
			server := plays(encode(coding, pieces), "Content-Encoding: "+coding, "Content-Type: text/event-stream", "Set-Cookie: secret")
			tape := tapeOf(t, content, server, func(w *world) {
				time.Sleep(time.Second)
				w.must(w.post(ask))
			})
			if len(tape) != 1 || tape[0].Header.Get("Set-Cookie") != "" || tape[0].Header.Get("Content-Encoding") != "" || (tape[0].Request.Body != "") != content {
				t.Fatalf("%+v", tape)
			}
			simulate(t, cassette.NewHandler(&cassette.Cassette{Exchanges: tape}, 1).ServeHTTP, nil, func(w *world) {
				resp, err := w.post(ask)
				if err != nil {
					t.Fatal(err)
				}
				got, err := w.reads(resp.Body)
				if err != nil || len(got) != len(pieces) {
					t.Fatalf("%d reads: %v", len(got), err)
				}
				for i, r := range got {
					if r.at != pieces[i].at || len(r.text) != len(pieces[i].text) || (r.text == pieces[i].text) != (content || i == 1 || i == 3) {
						t.Errorf("%q: read %d at %v: %q", coding, i, r.at, r.text)
					}
				}
				if x := w.only(); x.Outcome != "ok" || len(x.Result.Chunks.List) != 2 || x.Result.ReasoningChars != 2 {
					t.Errorf("%+v", x.Result)
				}
			})
		}
	}
}

func TestACassetteKnowsHowItEnded(t *testing.T) {
	pieces := []write{event(10*ms, `"content":"a"`), finish(20 * ms), {30 * ms, ""}}
	for _, test := range []struct {
		name   string
		server http.HandlerFunc
		until  time.Duration // when the client leaves
		want   cassette.Ending
	}{
		{"to its end", plays(pieces), time.Hour, cassette.EOF},
		{"the client left in the middle", plays(pieces), 15 * ms, cassette.Cancelled},
		{"the client left when it had all", plays(pieces), 25 * ms, cassette.EOF},
		{"the server broke off", func(rw http.ResponseWriter, r *http.Request) { plays(pieces[:1])(rw, r); panic(http.ErrAbortHandler) }, time.Hour, cassette.Aborted},
	} {
		t.Run(test.name, func(t *testing.T) {
			tape := tapeOf(t, false, test.server, func(w *world) {
				ctx, cancel := context.WithTimeout(w.Context(), test.until)
				defer cancel()
				req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://proxy/v1/chat/completions", strings.NewReader(ask))
				resp, err := w.client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				w.reads(resp.Body)
				synctest.Wait()
			})
			if len(tape) != 1 || tape[0].Ending != test.want {
				t.Errorf("%+v", tape)
			}
		})
	}
}

func TestWhatGeneratesNothingIsNotOnTheCassette(t *testing.T) {
	if tape := tapeOf(t, false, plays(nil), func(w *world) {
		w.must(w.client.Get("http://proxy/v1/models"))
	}); len(tape) != 0 {
		t.Errorf("%+v", tape)
	}
}

type broken struct{}

func (broken) Write(cassette.Exchange) error { return errors.New("disk full") }

func TestATapThatFailsDisturbsNobody(t *testing.T) {
	simulate(t, plays([]write{finish(ms)}), func(c *proxy.Config) { c.Tap = broken{} }, func(w *world) {
		if got := w.must(w.post(ask)); got != finish(0).text {
			t.Errorf("the client got %q", got)
		}
		if x := w.only(); x.Incomplete || x.Outcome != "ok" {
			t.Errorf("%+v", x)
		}
	})
}
