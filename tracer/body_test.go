package tracer_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
)

// through sends a request whose response has the given body.
func through(ctx context.Context, t *tracer.Tracer, resp *http.Response, respErr error) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://model/v1/chat/completions", strings.NewReader(request))
	if err != nil {
		return nil, err
	}
	return t.Middleware(req, func(r *http.Request) (*http.Response, error) {
		io.Copy(io.Discard, r.Body)
		return resp, respErr
	})
}

func TestTheReaderGetsTheSameBytesAndTheSameEnd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	long := make([]byte, 3<<20)
	for i := range long {
		long[i] = "abc\n:{}\"\\"[random.IntN(9)]
	}
	failure := errors.New("the network is down")
	cases := []struct {
		name string
		body io.Reader
		want string
		err  error
	}{
		{"nothing", strings.NewReader(""), "", nil},
		{"a byte at a time", iotest.OneByteReader(strings.NewReader("data: x\n\n")), "data: x\n\n", nil},
		{"an end that comes with the last bytes", iotest.DataErrReader(strings.NewReader("data: x\n\n")), "data: x\n\n", nil},
		{"an error after some bytes", io.MultiReader(strings.NewReader("data: x"), iotest.ErrReader(failure)), "data: x", failure},
		{"more than the buffer holds", iotest.HalfReader(bytes.NewReader(long)), string(long), nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := tracer.New(tracer.Options{})
				defer tr.Shutdown(context.Background())
				closed := &closes{Reader: c.body}
				resp, err := through(t.Context(), tr, &http.Response{StatusCode: 200, Body: closed}, nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(resp.Body)
				if string(got) != c.want || !errors.Is(err, c.err) {
					t.Errorf("got %d bytes, error %v, want %d, %v", len(got), err, len(c.want), c.err)
				}
				if _, err := resp.Body.Read(make([]byte, 1)); c.err == nil && err != io.EOF {
					t.Errorf("reading on gives %v", err)
				}
				if err := resp.Body.Close(); !errors.Is(err, errClose) || closed.n != 1 {
					t.Errorf("close gives %v after %d closes", err, closed.n)
				}
				if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, http.ErrBodyReadAfterClose) {
					t.Errorf("reading after close gives %v", err)
				}
			})
		})
	}
}

var errClose = errors.New("closed")

// closes counts its closes.
type closes struct {
	io.Reader
	n int
}

func (c *closes) Close() error { c.n++; return errClose }

func TestWhatCannotBeRecordedIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sink memory
		tr := tracer.New(tracer.Options{Sink: &sink})
		defer tr.Shutdown(context.Background())

		upgraded := &socket{}
		resp, err := through(t.Context(), tr, &http.Response{StatusCode: http.StatusSwitchingProtocols, Body: upgraded}, nil)
		if err != nil || resp.Body != io.ReadCloser(upgraded) {
			t.Errorf("an upgraded connection was wrapped: %T, error %v", resp.Body, err)
		}
		if resp, err = through(t.Context(), tr, &http.Response{StatusCode: http.StatusNoContent}, nil); err != nil || resp.Body != nil {
			t.Errorf("a response without a body got one: %v, error %v", resp.Body, err)
		}
		failure := errors.New("no route")
		if resp, err = through(t.Context(), tr, nil, failure); resp != nil || !errors.Is(err, failure) {
			t.Errorf("got %v, error %v", resp, err)
		}

		before := len(sink.all())
		for _, url := range []string{"http://model/v1/models", "http://model/v1/embeddings"} {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
			want := &http.Response{StatusCode: 200, Body: http.NoBody}
			got, err := tr.Middleware(req, func(r *http.Request) (*http.Response, error) {
				if r != req {
					t.Error("the request was replaced")
				}
				return want, nil
			})
			if got != want || err != nil {
				t.Errorf("got %v, error %v", got, err)
			}
		}
		if after := len(sink.all()); after != before {
			t.Errorf("%d records of requests that generate nothing", after-before)
		}
	})
}

type socket struct{}

func (*socket) Read([]byte) (int, error)    { return 0, io.EOF }
func (*socket) Write(p []byte) (int, error) { return len(p), nil }
func (*socket) Close() error                { return nil }

func TestAPanicOfTheNetworkReachesTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sink memory
		tr := tracer.New(tracer.Options{Sink: &sink})
		defer tr.Shutdown(context.Background())
		resp, err := through(t.Context(), tr, &http.Response{StatusCode: 200, Body: io.NopCloser(explosive{})}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if got := recover(); got != "boom" {
				t.Errorf("got %v, want the panic", got)
			}
			synctest.Wait()
			for _, r := range traces.Latest(sink.all()) {
				if r.Name == "attempt 1" && r.Attrs.String(traces.KeyOutcome) != "truncated" {
					t.Errorf("got %v", r.Attrs)
				}
			}
		}()
		io.ReadAll(resp.Body)
	})
}

type explosive struct{}

func (explosive) Read([]byte) (int, error) { panic("boom") }

func TestTheServerGetsTheSameRequest(t *testing.T) {
	for name, body := range map[string]io.Reader{
		"that can be read again": strings.NewReader(request),
		"that can be read once":  io.MultiReader(strings.NewReader(request)),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := tracer.New(tracer.Options{Sink: &memory{}})
				defer tr.Shutdown(context.Background())
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model/v1/chat/completions", body)
				if err != nil {
					t.Fatal(err)
				}
				req.ContentLength = int64(len(request))
				req.Header.Set("Authorization", "Bearer x")
				tr.Middleware(req, func(r *http.Request) (*http.Response, error) {
					got, err := io.ReadAll(r.Body)
					if string(got) != request || err != nil || r.Header.Get("Authorization") != "Bearer x" || len(r.Header) != 1 {
						t.Errorf("sent %q, headers %v, error %v", got, r.Header, err)
					}
					return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
				})
			})
		})
	}
}

// One chunk of 180 bytes from the network through decoder and buffer to the reader, in answers of 2000 chunks, whose
// request and spans are part of the price: 1.1 to 1.4 µs of processor time and no allocation on a busy machine with two
// cores, of which decoding is 0.4 µs and ending the attempt 0.15 µs.
func BenchmarkChunk(b *testing.B) {
	chunk := []byte(`data: {"id":"chatcmpl-abc123","object":"chat.completion.chunk","created":1767225600,"model":"acme-large-1","choices":[{"index":0,"delta":{"content":" token"},"finish_reason":null}]}` + "\n\n")
	tr := tracer.New(tracer.Options{})
	defer tr.Shutdown(context.Background())
	buf := make([]byte, 4<<10)
	b.ReportAllocs()
	b.ResetTimer()
	for left := b.N; left > 0; left -= 2000 {
		resp, err := through(context.Background(), tr, &http.Response{StatusCode: 200, Body: &answer{chunk: chunk, left: min(left, 2000)}}, nil)
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = resp.Body.Read(buf)
		}
		resp.Body.Close()
	}
}

// An answer is a body that gives one chunk a Read.
type answer struct {
	chunk []byte
	left  int
}

func (a *answer) Read(p []byte) (int, error) {
	if a.left == 0 {
		return 0, io.EOF
	}
	a.left--
	return copy(p, a.chunk), nil
}

func (a *answer) Close() error { return nil }
