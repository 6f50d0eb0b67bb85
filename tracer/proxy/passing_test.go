package proxy_test

import (
	"bufio"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
)

// raw sends bytes to the proxy and returns all that comes back until the other side closes, or for a second.
func (w *world) raw(text string) string {
	w.Helper()
	conn, err := w.net.DialContext(w.Context(), "tcp", "proxy:80")
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, text)
	conn.SetReadDeadline(time.Now().Add(time.Second))
	b, _ := io.ReadAll(conn)
	return string(b)
}

func TestRequestsPassUnchanged(t *testing.T) {
	simulate(t, plays(nil), nil, func(w *world) {
		w.raw("POST /v1/a%2Fb/c%20d/chat/completions?q=%ZZ;x&key=1&&y HTTP/1.1\r\nHost: 127.0.0.1:1234\r\n" +
			"Authorization: Bearer k\r\nX-Custom: 1\r\nX-Custom: 2\r\nX-Forwarded-For: 10.0.0.1\r\n" +
			"Connection: X-Hop, keep-alive\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\nContent-Length: 4\r\n\r\nbody")
		synctest.Wait()
		if len(w.seen) != 1 {
			t.Fatalf("the server saw %d requests", len(w.seen))
		}
		r := w.seen[0]
		if r.RequestURI != "/v1/a%2Fb/c%20d/chat/completions?q=%ZZ;x&key=1&&y" || r.Host != "model" || r.body != "body" {
			t.Errorf("the server saw %s for %s with %q", r.RequestURI, r.Host, r.body)
		}
		want := http.Header{"Authorization": {"Bearer k"}, "X-Custom": {"1", "2"}, "X-Forwarded-For": {"10.0.0.1"}, "Te": {"trailers"},
			"Content-Length": {"4"}}
		if !maps.EqualFunc(r.Header, want, slices.Equal) {
			t.Errorf("the server saw headers %v", r.Header)
		}
	})
}

func TestAPasswordInTheUpstreamsURLIsSentUnlessTheClientHasAKey(t *testing.T) {
	simulate(t, plays(nil), func(c *proxy.Config) { c.Upstreams[0] = upstream(t, "http://me:hunter2@model") }, func(w *world) {
		w.raw("GET /v1/models HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\n\r\n")
		w.raw("GET /v1/models HTTP/1.1\r\nHost: proxy\r\nAuthorization: Bearer k\r\nConnection: close\r\n\r\n")
		synctest.Wait()
		var got []string
		for _, r := range w.seen {
			got = append(got, r.Header.Get("Authorization"))
		}
		if want := []string{"Basic bWU6aHVudGVyMg==", "Bearer k"}; !slices.Equal(got, want) { // me:hunter2
			t.Errorf("the server saw %q, want %q", got, want)
		}
	})
}

func TestResponsesPassUnchanged(t *testing.T) {
	for _, test := range []struct {
		name   string
		method string
		server string // what it answers
		want   string
	}{
		{"no header is added", "GET", "HTTP/1.1 200 OK\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 6\r\n\r\n<html>",
			"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nX-A: 1\r\nX-A: 2\r\n\r\n<html>"},
		{"a redirect is the client's to follow", "POST", "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://elsewhere/v1\r\nContent-Length: 0\r\n\r\n",
			"HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\nLocation: http://elsewhere/v1\r\n\r\n"},
		{"HEAD has a length and no body", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n"},
		{"no content", "GET", "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n"},
		{"hop-by-hop headers end at the proxy", "GET", "HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nContent-Length: 0\r\n\r\n",
			"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
		{"an informational response goes ahead", "GET", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
			"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
		{"trailers follow the body", "GET", "HTTP/1.1 200 OK\r\nTrailer: X-T\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-T: 1\r\n\r\n",
			"HTTP/1.1 200 OK\r\nTrailer: X-T\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-T: 1\r\n\r\n"},
		{"a body that ends with its connection ends cleanly", "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nab",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"},
		{"a coding stays", "GET", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b",
			"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			simulate(t, nil, toBare, func(w *world) {
				go answer(w.net.Listen("bare"), func(conn net.Conn, _ *http.Request) {
					io.WriteString(conn, test.server)
					conn.Close()
				})
				if got := w.raw(test.method + " /v1/models HTTP/1.1\r\nHost: x\r\n\r\n"); got != test.want {
					t.Errorf("got  %q\nwant %q", got, test.want)
				}
			})
		})
	}
}

// toBare makes a server that works by hand the upstream.
func toBare(c *proxy.Config) { c.Upstreams[0].URL.Host = "bare" }

// answer serves one request a connection by hand.
func answer(l net.Listener, f func(net.Conn, *http.Request)) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		r, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			conn.Close()
			continue
		}
		io.Copy(io.Discard, r.Body)
		f(conn, r)
	}
}

func TestAcceptEncodingIsTheClients(t *testing.T) {
	for _, want := range []string{"", "gzip", "br;q=1, zstd", "identity"} {
		simulate(t, plays(nil), nil, func(w *world) {
			var headers []string
			if want != "" {
				headers = []string{"Accept-Encoding: " + want}
			}
			w.must(w.post(ask, headers...))
			synctest.Wait()
			if got := w.seen[0].Header.Values("Accept-Encoding"); strings.Join(got, ",") != want {
				t.Errorf("client sent %q, server saw %q", want, got)
			}
		})
	}
}

func TestExpectContinueIsAnswered(t *testing.T) {
	simulate(t, plays(nil), nil, func(w *world) {
		var got []int
		ctx := httptrace.WithClientTrace(w.Context(), &httptrace.ClientTrace{
			Got100Continue: func() { got = append(got, 100) },
			Got1xxResponse: func(code int, _ textproto.MIMEHeader) error { return nil },
		})
		w.client.Transport.(*http.Transport).ExpectContinueTimeout = time.Minute
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://proxy/v1/chat/completions", strings.NewReader(ask))
		req.Header.Set("Expect", "100-continue")
		w.must(w.client.Do(req))
		if len(got) != 1 || w.seen[0].body != ask || w.since() != 0 {
			t.Errorf("got %v, server %q, at %v", got, w.seen[0].body, w.since())
		}
	})
}

func TestItIsNoForwardProxy(t *testing.T) {
	simulate(t, plays(nil), nil, func(w *world) {
		for _, request := range []string{
			"GET http://elsewhere/v1/models HTTP/1.1\r\nHost: elsewhere\r\n\r\n",
			"CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere:443\r\n\r\n",
		} {
			if got := w.raw(request); !strings.HasPrefix(got, "HTTP/1.1 421 ") {
				t.Errorf("got %q", got)
			}
		}
		if synctest.Wait(); len(w.seen)+len(w.book.begun) != 0 {
			t.Error("something was forwarded")
		}
	})
}
