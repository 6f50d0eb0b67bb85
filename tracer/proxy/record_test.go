package proxy_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/traces"
)

func TestProgressIsToldFourTimesASecondAtMost(t *testing.T) {
	var pieces []write
	for i := range 100 {
		pieces = append(pieces, event(time.Duration(20*i)*ms, `"content":"a"`))
	}
	simulate(t, plays(append(pieces, finish(2100*ms))), nil, func(w *world) {
		w.must(w.post(ask))
		x := w.only()
		told := w.book.told[x.ID]
		if len(told) < 7 || len(told) > 9 {
			t.Errorf("%d times in 2.1 s", len(told))
		}
		for i := 1; i < len(told); i++ {
			if gap := told[i].Sub(told[i-1]); gap < 250*ms {
				t.Errorf("again after %v", gap)
			}
		}
		early := w.book.progress[x.ID][1]
		if n := len(early.Result.Chunks.List); n < 20 || n > 30 || early.Outcome != traces.OutcomeUnknown || !early.End.IsZero() {
			t.Errorf("after half a second: %d chunks, %s", n, early.Outcome)
		}
	})
}

func TestProgressIsToldWhileNothingArrives(t *testing.T) {
	simulate(t, plays([]write{event(5*time.Second, `"content":"a"`), finish(6 * time.Second)}), nil, func(w *world) {
		w.must(w.post(ask))
		first := w.book.progress[1][0]
		if at := w.at(w.book.told[1][0]); at != 250*ms || first.Status != 200 || first.Sent.IsZero() {
			t.Errorf("at %v: %+v", at, first)
		}
		w.only()
	})
}

func TestACompleteResponseEndsBeforeTheNextRequestBegins(t *testing.T) {
	// The server says [DONE] and keeps the connection open; the client asks on at once.
	var order []string
	var mu sync.Mutex
	note := func(what string) func(*proxy.Exchange) {
		return func(x *proxy.Exchange) { mu.Lock(); defer mu.Unlock(); order = append(order, fmt.Sprint(what, x.ID)) }
	}
	server := plays([]write{event(10*ms, `"content":"a"`), finish(20 * ms), {time.Second, "\n"}})
	simulate(t, server, func(c *proxy.Config) { c.Observer = observer{note("begin "), nil, note("end ")} }, func(w *world) {
		first, err := w.post(ask)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 4096)
		for !bytes.Contains(buf, []byte("[DONE]")) {
			first.Body.Read(buf)
		}
		w.must(w.post(ask))
		io.Copy(io.Discard, first.Body)
		synctest.Wait()
		if want := []string{"begin 1", "end 1", "begin 2", "end 2"}; !slices.Equal(order, want) {
			t.Errorf("order %q", order)
		}
		w.book.begun, w.book.ended = nil, nil
	})
}

// An observer is made of functions; a nil one does nothing.
type observer struct{ begin, progress, end func(*proxy.Exchange) }

func (o observer) Begin(x *proxy.Exchange)    { call(o.begin, x) }
func (o observer) Progress(x *proxy.Exchange) { call(o.progress, x) }
func (o observer) End(x *proxy.Exchange)      { call(o.end, x) }

func call(f func(*proxy.Exchange), x *proxy.Exchange) {
	if f != nil {
		f(x)
	}
}

func TestAnObserverThatPanicsCostsTheExchangesFactsOnly(t *testing.T) {
	var ended []*proxy.Exchange
	bad := observer{
		begin: func(x *proxy.Exchange) { panic(x) }, progress: func(x *proxy.Exchange) { panic(x) },
		end: func(x *proxy.Exchange) { ended = append(ended, x); panic(x) },
	}
	pieces := []write{event(10*ms, `"content":"a"`), finish(500 * ms)}
	simulate(t, plays(pieces), func(c *proxy.Config) { c.Observer = bad }, func(w *world) {
		for range 3 {
			if got := w.must(w.post(ask)); got != pieces[0].text+pieces[1].text {
				t.Errorf("the client got %q", got)
			}
		}
		synctest.Wait()
		if len(ended) != 3 || !ended[0].Incomplete || w.proxy.SelfCheck().Incomplete != 3 {
			t.Errorf("%d ended, %+v", len(ended), w.proxy.SelfCheck())
		}
	})
}

func TestARecorderThatIsTooSlowCostsTheExchangesFactsOnly(t *testing.T) {
	var ended []*proxy.Exchange
	slow := observer{
		begin: func(*proxy.Exchange) { time.Sleep(time.Minute) }, // the recorder stands still
		end:   func(x *proxy.Exchange) { ended = append(ended, x) },
	}
	piece := event(0, `"content":"`+strings.Repeat("x", 1<<20)+`"`)
	var pieces []write
	for i := range 20 {
		pieces = append(pieces, write{time.Duration(10*i) * ms, piece.text})
	}
	simulate(t, plays(append(pieces, finish(300*ms))), func(c *proxy.Config) { c.Observer = slow }, func(w *world) {
		got := w.must(w.post(ask))
		if w.since() != 300*ms || len(got) < 20<<20 {
			t.Errorf("the client got %d bytes by %v", len(got), w.since())
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if len(ended) != 1 || !ended[0].Incomplete || len(ended[0].Result.Chunks.List) == 20 {
			t.Errorf("%+v", ended)
		}
	})
}

// encoders write a coding; flush makes what was written readable.
var encoders = map[string]func(io.Writer) encoder{
	"gzip":    func(w io.Writer) encoder { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) encoder { return zlib.NewWriter(w) },
	"br":      func(w io.Writer) encoder { return brotli.NewWriter(w) },
	"zstd":    func(w io.Writer) encoder { z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)); return z },
	"":        func(w io.Writer) encoder { return plain{w} },
}

type encoder interface {
	io.WriteCloser
	Flush() error
}

type plain struct{ io.Writer }

func (plain) Close() error { return nil }
func (plain) Flush() error { return nil }

// encode returns the writes in a coding, each flushed.
func encode(coding string, writes []write) []write {
	var buf bytes.Buffer
	e := encoders[coding](&buf)
	out := make([]write, len(writes))
	for i, w := range writes {
		io.WriteString(e, w.text)
		e.Flush()
		if i == len(writes)-1 {
			e.Close()
		}
		out[i] = write{w.at, buf.String()}
		buf.Reset()
	}
	return out
}

func TestCodingsAreReadAsTheyArrive(t *testing.T) {
	pieces := []write{event(100*ms, `"reasoning_content":"hm"`), event(200*ms, `"content":"a"`), event(220*ms, `"content":"b"`), finish(230 * ms)}
	want := []traces.Chunk{{At: 100 * ms, Kind: traces.Reasoning, Chars: 2}, {At: 200 * ms, Kind: traces.Output, Chars: 1}, {At: 220 * ms, Kind: traces.Output, Chars: 1}}
	for coding := range encoders {
		t.Run(coding, func(t *testing.T) {
			encoded := encode(coding, pieces)
			simulate(t, plays(encoded, "Content-Encoding: "+coding), nil, func(w *world) {
				resp, err := w.post(ask)
				if err != nil {
					t.Fatal(err)
				}
				got, err := w.reads(resp.Body)
				for i, r := range got {
					if err != nil || r != (read{encoded[i].at, encoded[i].text}) {
						t.Errorf("read %d at %v has changed, or %v", i, r.at, err)
					}
				}
				x := w.only()
				if !slices.Equal(x.Result.Chunks.List, want) || x.Outcome != "ok" || !x.Measured {
					t.Errorf("%v %s", x.Result.Chunks.List, x.Outcome)
				}
			})
		})
	}
	t.Run("bare deflate", func(t *testing.T) {
		var buf bytes.Buffer
		z, _ := flate.NewWriter(&buf, 5)
		io.WriteString(z, pieces[1].text+pieces[3].text)
		z.Close()
		simulate(t, plays([]write{{ms, buf.String()}}, "Content-Encoding: deflate"), nil, func(w *world) {
			w.must(w.post(ask))
			if x := w.only(); x.Outcome != "ok" || len(x.Result.Chunks.List) != 1 {
				t.Errorf("%s %v", x.Outcome, x.Result.Chunks.List)
			}
		})
	})
	t.Run("a gzip member for each piece", func(t *testing.T) {
		var members []write
		for _, p := range pieces {
			members = append(members, encode("gzip", []write{p})...)
		}
		simulate(t, plays(members, "Content-Encoding: gzip"), nil, func(w *world) {
			w.must(w.post(ask))
			if x := w.only(); !slices.Equal(x.Result.Chunks.List, want) {
				t.Errorf("%v", x.Result.Chunks.List)
			}
		})
	})
	t.Run("an unknown coding passes and is marked", func(t *testing.T) {
		simulate(t, plays(pieces, "Content-Encoding: rot13"), nil, func(w *world) {
			w.must(w.post(ask))
			if x := w.only(); x.Measured || x.Outcome != "ok" || len(x.Result.Chunks.List) != 0 || w.at(x.FirstByte) != 100*ms {
				t.Errorf("%+v", x)
			}
		})
	})
	t.Run("a coding that is not what it says passes and is marked", func(t *testing.T) {
		simulate(t, plays(pieces, "Content-Encoding: gzip"), nil, func(w *world) {
			if got := w.must(w.post(ask)); !strings.HasSuffix(got, "[DONE]\n\n") {
				t.Errorf("the client got %q", got)
			}
			if x := w.only(); x.Measured || x.Incomplete || len(x.Result.Chunks.List) != 0 {
				t.Errorf("%+v", x)
			}
		})
	})
}

func TestCodedRequestsAreRead(t *testing.T) {
	for coding := range encoders {
		simulate(t, plays([]write{finish(ms)}), nil, func(w *world) {
			body := encode(coding, []write{{0, ask}})[0].text
			w.must(w.post(body, "Content-Encoding: "+coding))
			if x := w.only(); x.Request.Model != "m" || !x.Request.Stream || x.RequestBytes != int64(len(body)) || w.seen[0].body != body {
				t.Errorf("%q: %+v", coding, x.Request)
			}
		})
	}
}

func TestBytesMaySplitAnywhere(t *testing.T) {
	pieces := []write{event(0, `"content":"é"`), event(0, `"tool_calls":[{"index":0,"id":"call_1","function":{"name":"f","arguments":"{}"}}]`), finish(0)}
	var want *proxy.Exchange
	for coding := range encoders {
		var body string
		for _, p := range encode(coding, pieces) {
			body += p.text
		}
		for cut := 0; cut < len(body); cut += 1 + len(body)/60 {
			simulate(t, plays([]write{{ms, body[:cut]}, {ms, body[cut:]}}, "Content-Encoding: "+coding), nil, func(w *world) {
				w.must(w.post(ask))
				x := w.only()
				for _, p := range []**time.Duration{&x.Result.FirstByte, &x.Result.FirstEvent, &x.Result.End} {
					*p = nil
				}
				if want == nil {
					want = x
				}
				if !reflect.DeepEqual(x.Result, want.Result) || x.Outcome != "ok" {
					t.Errorf("%q cut at %d: %+v", coding, cut, x.Result)
				}
			})
		}
	}
}

func TestAThousandExchangesAtOnceLoseNothing(t *testing.T) {
	const streams, chunks = 1000, 10
	var pieces []write
	for i := range chunks {
		pieces = append(pieces, event(time.Duration(100+20*i)*ms, `"content":"a"`))
	}
	pieces = append(pieces, finish((100+20*chunks)*ms))
	simulate(t, plays(pieces), nil, func(w *world) {
		var all sync.WaitGroup
		for range streams {
			all.Go(func() {
				resp, err := w.post(ask)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := w.reads(resp.Body); err != nil || len(got) != chunks+1 {
					t.Errorf("%d reads: %v", len(got), err)
				}
			})
		}
		all.Wait()
		synctest.Wait()
		if len(w.book.ended) != streams {
			t.Fatalf("%d exchanges ended", len(w.book.ended))
		}
		for _, x := range w.book.ended {
			if len(x.Result.Chunks.List) != chunks || x.Incomplete || x.Outcome != "ok" || x.Overhead.Chunks != chunks+1 {
				t.Fatalf("exchange %d: %d chunks, %+v", x.ID, len(x.Result.Chunks.List), x)
			}
			for i, c := range x.Result.Chunks.List {
				if c.At != pieces[i].at {
					t.Fatalf("chunk %d at %v", i, c.At)
				}
			}
		}
		if s := w.proxy.SelfCheck(); s.Exchanges != streams || s.Chunks != streams*(chunks+1) || s.Median != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestWhatIsKeptOfHeaders(t *testing.T) {
	server := plays([]write{finish(ms)}, "X-Request-Id: req_1", "Retry-After-Ms: 1500", "Retry-After: 7", "X-Should-Retry: false", "Openai-Processing-Ms: 12",
		"X-Litellm-Attempted-Retries: 2", "Content-Type: Text/Event-Stream; charset=utf-8", "X-Other: no")
	simulate(t, server, nil, func(w *world) {
		w.must(w.post(ask, "User-Agent: agent/1", "X-Stainless-Retry-Count: 1", "X-Client-Request-Id: c-1", "Traceparent: 00-a-b-01", "Session-Id: s-1"))
		x := w.only()
		f := x.Facts
		if f.UserAgent != "agent/1" || *f.RetryCount != 1 || f.ClientRequestID != "c-1" || f.TraceParent != "00-a-b-01" || x.Request.Session != "s-1" ||
			f.RequestID != "req_1" || *f.RetryAfter != 1500*ms || *f.ShouldRetry || *f.ServerProcessing != 12*ms || *f.GatewayRetries != 2 ||
			f.ContentType != "text/event-stream" || f.Encoding != "" {
			t.Errorf("%+v", f)
		}
	})
}

func TestRequestsThatGenerateNothingAreLabelled(t *testing.T) {
	simulate(t, plays([]write{{ms, `{"data":[]}`}}), nil, func(w *world) {
		for _, url := range []string{"GET /v1/models", "POST /v1/analytics/codex/turn-costs", "GET /v1/chat/completions"} {
			method, path, _ := strings.Cut(url, " ")
			req, _ := http.NewRequestWithContext(w.Context(), method, "http://proxy"+path, nil)
			w.must(w.client.Do(req))
		}
		synctest.Wait()
		for _, x := range w.book.ended {
			if x.Request.Generates || x.Measured || x.Outcome != "ok" || len(x.Result.Chunks.List) != 0 {
				t.Errorf("%+v", x)
			}
		}
	})
}

func TestClosingTheProxyEndsWhatIsOpen(t *testing.T) {
	simulate(t, plays([]write{event(10*ms, `"content":"a"`), {time.Hour, ""}}), nil, func(w *world) {
		resp, err := w.post(ask)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		w.proxy.Close()
		if _, err := w.reads(resp.Body); err == nil {
			t.Error("the client was not told")
		}
		if x := w.only(); x.Outcome != "cancelled" || w.at(x.End) != time.Second || len(x.Result.Chunks.List) != 1 {
			t.Errorf("%+v", x)
		}
	})
}

func TestShutdownLetsThingsEnd(t *testing.T) {
	simulate(t, plays([]write{event(10*ms, `"content":"a"`), finish(500 * ms)}), nil, func(w *world) {
		resp, err := w.post(ask)
		if err != nil {
			t.Fatal(err)
		}
		go w.proxy.Shutdown(context.WithoutCancel(w.Context()))
		if _, err := w.reads(resp.Body); err != nil {
			t.Error(err)
		}
		if x := w.only(); x.Outcome != "ok" {
			t.Errorf("%+v", x)
		}
	})
}
