package proxy_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tracer/proxy"
)

const ms = time.Millisecond

// A logbook is an observer that keeps everything, and checks the order in which it is told.
type logbook struct {
	*testing.T
	mu       sync.Mutex
	begun    []*proxy.Exchange
	progress map[int64][]*proxy.Exchange
	told     map[int64][]time.Time
	ended    []*proxy.Exchange
}

func newLogbook(t *testing.T) *logbook {
	return &logbook{T: t, progress: map[int64][]*proxy.Exchange{}, told: map[int64][]time.Time{}}
}

func (l *logbook) has(list []*proxy.Exchange, id int64) bool {
	return slices.ContainsFunc(list, func(x *proxy.Exchange) bool { return x.ID == id })
}

func (l *logbook) Begin(x *proxy.Exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.has(l.begun, x.ID) {
		l.Errorf("exchange %d began twice", x.ID)
	}
	l.begun = append(l.begun, x)
}

func (l *logbook) Progress(x *proxy.Exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.has(l.begun, x.ID) || l.has(l.ended, x.ID) {
		l.Errorf("progress of exchange %d, which is not under way", x.ID)
	}
	l.progress[x.ID] = append(l.progress[x.ID], x)
	l.told[x.ID] = append(l.told[x.ID], time.Now())
}

func (l *logbook) End(x *proxy.Exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.has(l.begun, x.ID) || l.has(l.ended, x.ID) {
		l.Errorf("exchange %d ended, but was not under way", x.ID)
	}
	l.ended = append(l.ended, x)
}

// A world is a client, the proxy and a model server on a network in memory, in fake time that starts at 0.
type world struct {
	*testing.T
	net    *simnet.Net
	book   *logbook
	proxy  *proxy.Proxy
	client *http.Client
	start  time.Time

	mu   sync.Mutex
	seen []seen // by the server
}

// A seen is a request as the server got it.
type seen struct {
	*http.Request
	body string
	gone time.Duration // when its client left; 0: it did not
}

// simulate runs f in a world whose model server is the handler. When f returns everything is shut down; a goroutine that is left
// over then fails the test.
func simulate(t *testing.T, server http.HandlerFunc, change func(*proxy.Config), f func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, net: simnet.New(), book: newLogbook(t), start: time.Now()}
		w.net.Serve("model", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			w.watch(server, rw, r)
		}))
		c := proxy.Config{
			Upstreams: []proxy.Upstream{upstream(t, "http://model")},
			Observer:  w.book,
			Transport: &http.Transport{DialContext: w.net.DialContext},
		}
		if change != nil {
			change(&c)
		}
		w.proxy = proxy.New(c)
		go w.proxy.Serve(w.net.Listen("proxy"))
		w.client = &http.Client{Transport: &http.Transport{DialContext: w.net.DialContext, DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		f(w)
		synctest.Wait()
		w.client.CloseIdleConnections()
		w.proxy.Close()
		w.net.Close()
		time.Sleep(time.Second) // net/http gives some connections half of one to be read
		if len(w.book.begun) != len(w.book.ended) {
			t.Errorf("%d exchanges began, %d ended", len(w.book.begun), len(w.book.ended))
		}
	})
}

// watch serves a request and notes what the server saw of it.
func (w *world) watch(server http.HandlerFunc, rw http.ResponseWriter, r *http.Request) {
	body := &watched{ReadCloser: r.Body}
	r.Body = body
	defer func() {
		s := seen{Request: r, body: body.kept.String()}
		if r.Context().Err() != nil || body.broken {
			s.gone = w.since() // servers here return as soon as they notice
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.seen = append(w.seen, s)
	}()
	server(rw, r)
}

// A watched body keeps what is read from it.
type watched struct {
	io.ReadCloser
	kept   bytes.Buffer
	broken bool
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.kept.Write(p[:n])
	b.broken = b.broken || err != nil && err != io.EOF
	return n, err
}

func (w *world) since() time.Duration { return time.Since(w.start) }

func upstream(t *testing.T, s string) proxy.Upstream {
	t.Helper()
	up, err := proxy.ParseUpstream(s)
	if err != nil {
		t.Fatal(err)
	}
	return up
}

// A write is what the server sends at an instant after it has read the request.
type write struct {
	at   time.Duration
	text string
}

// plays returns a server that answers with status 200, the given headers ("name: value") and the writes, each flushed.
func plays(writes []write, headers ...string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		start := time.Now()
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			rw.Header().Add(name, value)
		}
		rw.WriteHeader(http.StatusOK)
		rw.(http.Flusher).Flush()
		for _, write := range writes {
			select {
			case <-time.After(time.Until(start.Add(write.at))):
			case <-r.Context().Done():
				return
			}
			io.WriteString(rw, write.text)
			rw.(http.Flusher).Flush()
		}
	}
}

// event is an event of Chat Completions with one delta, say `"content":"a"`.
func event(at time.Duration, delta string) write {
	return write{at, `data: {"id":"c1","model":"m-1","choices":[{"index":0,"delta":{` + delta + `},"finish_reason":null}]}` + "\n\n"}
}

func finish(at time.Duration) write {
	return write{at, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"}
}

const ask = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}`

// post sends a request for a chat completion through the proxy.
func (w *world) post(body string, headers ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(w.Context(), http.MethodPost, "http://proxy/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	return w.client.Do(req)
}

// A read is what one read of the client brought, and when.
type read struct {
	at   time.Duration
	text string
}

// reads reads a body to its end.
func (w *world) reads(body io.ReadCloser) (got []read, err error) {
	defer body.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			got = append(got, read{w.since(), string(buf[:n])})
		}
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return got, err
		}
	}
}

// must reads a whole response.
func (w *world) must(resp *http.Response, err error) string {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

// only returns the one exchange that has ended.
func (w *world) only() *proxy.Exchange {
	w.Helper()
	synctest.Wait()
	if len(w.book.ended) != 1 {
		w.Fatalf("%d exchanges have ended, want 1", len(w.book.ended))
	}
	return w.book.ended[0]
}

// at returns an instant as time since the world began; -1 for one that did not come.
func (w *world) at(t time.Time) time.Duration {
	if t.IsZero() {
		return -1
	}
	return t.Sub(w.start)
}
