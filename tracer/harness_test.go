package tracer_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
)

// A memory is a sink that keeps everything.
type memory struct {
	mu   sync.Mutex
	recs []traces.Record
}

func (m *memory) Write(recs ...traces.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recs = append(m.recs, recs...)
	return nil
}

func (m *memory) all() []traces.Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.recs)
}

// A reply is what the scripted server does with one request.
type reply struct {
	status int           // 0: 200
	header string        // "retry-after: 2"
	head   time.Duration // request read → headers
	writes []write
	end    time.Duration // of the response; 0: with the last write
	cut    bool          // the connection is reset instead of ended
}

// A write is text that the server sends at an instant after the request was read.
type write struct {
	at   time.Duration
	text string
}

const msec = time.Millisecond

// event is an event with one delta, say `"content":"a"`.
func event(at time.Duration, delta string) write {
	return write{at, `data: {"id":"c1","model":"m-1","choices":[{"index":0,"delta":{` + delta + `},"finish_reason":null}]}` + "\n\n"}
}

func finish(at time.Duration, reason string) write {
	return write{at, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}` + "\n\n"}
}

func done(at time.Duration) write { return write{at, "data: [DONE]\n\n"} }

// A world is a tracer, a scripted model server and the network between them, in fake time that starts at 0.
type world struct {
	*testing.T
	tracer *tracer.Tracer
	sink   *memory
	net    *simnet.Net
	client *http.Client
	start  time.Time

	mu      sync.Mutex
	replies []reply
	gone    int // requests whose client went away before the server was done
}

// simulate runs f in a world whose server answers with the given replies, one a request. When f returns, everything is shut
// down; a goroutine that is left over then fails the test.
func simulate(t *testing.T, opt tracer.Options, replies []reply, f func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, sink: &memory{}, net: simnet.New(), start: time.Now(), replies: replies}
		if opt.Sink == nil {
			opt.Sink = w.sink
		}
		w.tracer = tracer.New(opt)
		w.client = simnet.Client(w.net)
		w.net.Serve("model", w)
		f(w)
		w.tracer.Shutdown(context.Background())
		w.net.Close()
	})
}

func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	start := time.Now()
	until := func(at time.Duration) bool {
		select {
		case <-time.After(time.Until(start.Add(at))):
			return true
		case <-r.Context().Done():
			w.mu.Lock()
			w.gone++
			w.mu.Unlock()
			return false
		}
	}
	w.mu.Lock()
	reply := w.replies[0]
	w.replies = w.replies[1:]
	w.mu.Unlock()
	if !until(reply.head) {
		return
	}
	if name, value, ok := strings.Cut(reply.header, ": "); ok {
		rw.Header().Set(name, value)
	}
	rw.WriteHeader(max(reply.status, 200))
	rw.(http.Flusher).Flush()
	for _, write := range reply.writes {
		if !until(write.at) {
			return
		}
		io.WriteString(rw, write.text)
		rw.(http.Flusher).Flush()
	}
	until(reply.end)
	if reply.cut {
		panic(http.ErrAbortHandler)
	}
}

// send makes a request through the middleware, as a client library would.
func (w *world) send(ctx context.Context, body string, headers ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://model/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return w.tracer.Middleware(req, w.client.Do)
}

const request = `{"model":"m","stream":true,"messages":[]}`

// read sends a request and reads the response up to its end marker, as client libraries do, or to its end.
func (w *world) read(ctx context.Context, body string, headers ...string) error {
	resp, err := w.send(ctx, body, headers...)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var got bytes.Buffer
	buf := make([]byte, 512)
	for {
		n, err := resp.Body.Read(buf)
		got.Write(buf[:n])
		switch {
		case bytes.Contains(got.Bytes(), []byte("[DONE]")):
			return nil
		case resp.StatusCode >= 400 && err != nil:
			return errors.New(resp.Status)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// call makes one model call of one attempt within ctx.
func (w *world) call(ctx context.Context) error {
	ctx, call := tracer.StartModelCall(ctx, tracer.ModelRequest{Model: "m", Stream: true})
	err := w.read(ctx, request)
	call.End(err)
	return err
}

// draw shows what was recorded as a tree: name, start-end in milliseconds since the world began ("…" while open),
// outcome, quality, and the attributes asked for.
func (w *world) draw(keys ...string) string { return draw(w.sink.all(), w.start, keys...) }

func draw(recs []traces.Record, start time.Time, keys ...string) string {
	latest := traces.Latest(recs)
	ids := map[string]bool{}
	for _, r := range latest {
		ids[r.SpanID] = true
	}
	var b strings.Builder
	var walk func(parent string, indent string)
	at := func(ns int64) string {
		return strconv.FormatFloat(float64(ns-start.UnixNano())/1e6, 'f', -1, 64)
	}
	walk = func(parent, indent string) {
		var kids []traces.Record
		for _, r := range latest {
			if r.ParentID == parent || parent == "" && !ids[r.ParentID] {
				kids = append(kids, r)
			}
		}
		slices.SortStableFunc(kids, func(a, b traces.Record) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
		for _, r := range kids {
			end := "…"
			if r.End != 0 {
				end = at(r.End)
			}
			fmt.Fprintf(&b, "%s%s %s-%s", indent, r.Name, at(r.Start), end)
			for _, key := range append([]string{traces.KeyOutcome, traces.KeyQuality}, keys...) {
				if v, ok := r.Attrs.Value(key); ok {
					fmt.Fprintf(&b, " %v", v)
				}
			}
			b.WriteByte('\n')
			walk(r.SpanID, indent+"  ")
		}
	}
	walk("", "")
	return b.String()
}

// expect compares what was recorded with a drawing.
func (w *world) expect(want string, keys ...string) {
	w.Helper()
	synctest.Wait() // for the pumps of responses that have arrived
	lines := strings.Split(strings.Trim(want, "\n"), "\n")
	indent := len(lines[0]) - len(strings.TrimLeft(lines[0], "\t"))
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, strings.Repeat("\t", indent))
	}
	want = strings.TrimSpace(strings.Join(lines, "\n")) + "\n"
	if got := w.draw(keys...); got != want {
		w.Errorf("got\n%swant\n%s", got, want)
	}
}

// one returns the final record of the only span of that name.
func (w *world) one(name string) traces.Record {
	w.Helper()
	var found []traces.Record
	for _, r := range traces.Latest(w.sink.all()) {
		if r.Name == name {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		w.Fatalf("%d spans named %q in\n%s", len(found), name, w.draw())
	}
	return found[0]
}
