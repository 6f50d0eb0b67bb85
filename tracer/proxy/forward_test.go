package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tracer/proxy"
)

func TestEachWriteArrivesAsItWasAndAtOnce(t *testing.T) {
	writes := []write{
		event(300*ms, `"role":"assistant","content":""`), {310 * ms, ": comment\n\n"}, event(500*ms, `"content":"a"`),
		{501 * ms, "data: {\"choices\":[{\"delta\":{\"cont"}, {502 * ms, "ent\":\"b\"}}]}\n"}, {503 * ms, "\n"}, finish(530 * ms),
	}
	check := func(t *testing.T, w *world, resp *http.Response) {
		got, err := w.reads(resp.Body)
		if err != nil || len(got) != len(writes) {
			t.Fatalf("%d reads, %v", len(got), err)
		}
		for i, r := range got {
			if r.at != writes[i].at || r.text != writes[i].text {
				t.Errorf("read %d at %v: %q", i, r.at, r.text)
			}
		}
		x := w.only()
		for name, got := range map[string]time.Time{"headers": x.Headers, "sent": x.Sent, "connected": x.Connected, "start": x.Start} {
			if w.at(got) != 0 {
				t.Errorf("%s at %v", name, w.at(got))
			}
		}
		if w.at(x.FirstByte) != 300*ms || w.at(x.LastByte) != 530*ms || w.at(x.End) != 530*ms || x.Overhead.Chunks != len(writes) || x.Overhead.Held != 0 {
			t.Errorf("%+v", x)
		}
	}
	server := plays(writes, "Content-Type: text/event-stream")

	t.Run("HTTP/1.1 on both sides", func(t *testing.T) {
		simulate(t, server, nil, func(w *world) {
			resp, err := w.post(ask)
			if err != nil {
				t.Fatal(err)
			}
			check(t, w, resp)
		})
	})
	t.Run("a client that speaks h2c", func(t *testing.T) {
		simulate(t, server, nil, func(w *world) {
			transport := w.client.Transport.(*http.Transport)
			transport.Protocols = new(http.Protocols)
			transport.Protocols.SetUnencryptedHTTP2(true)
			resp, err := w.post(ask)
			if err != nil {
				t.Fatal(err)
			}
			if resp.ProtoMajor != 2 {
				t.Errorf("the client got %s", resp.Proto)
			}
			check(t, w, resp)
		})
	})
	t.Run("an upstream that speaks h2 over TLS", func(t *testing.T) {
		simulate(t, nil, nil, func(w *world) {
			secure := httptest.NewUnstartedServer(server)
			secure.Listener.Close()
			secure.Listener = w.net.Listen("secure.example.com")
			secure.EnableHTTP2 = true
			secure.StartTLS()
			roots := x509.NewCertPool()
			roots.AddCert(secure.Certificate())
			p := proxy.New(proxy.Config{Upstreams: []proxy.Upstream{upstream(t, "https://secure.example.com")}, Observer: w.book,
				Transport: &http.Transport{DialContext: w.net.DialContext, TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "example.com"}}})
			go p.Serve(w.net.Listen("proxy2"))
			resp, err := w.client.Post("http://proxy2/v1/chat/completions", "application/json", strings.NewReader(ask))
			if err != nil {
				t.Fatal(err)
			}
			check(t, w, resp)
			if resp.ProtoMajor != 1 {
				t.Errorf("the client got %s", resp.Proto)
			}
			w.client.CloseIdleConnections()
			p.Close()
			secure.Close()
		})
	})
}

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

func TestHowItBreaksIsPassedOn(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"
	for _, test := range []struct {
		name   string
		server func(conn *simnet.Conn)
		want   error // of reading the body, or of the request
		word   string
		status int
	}{
		{"a reset in the body is a reset", func(c *simnet.Conn) { io.WriteString(c, head); time.Sleep(ms); c.SetLinger(0); c.Close() },
			syscall.ECONNRESET, proxy.ErrReset, 200},
		{"an early end in the body is an early end", func(c *simnet.Conn) { io.WriteString(c, head); time.Sleep(ms); c.Close() },
			io.ErrUnexpectedEOF, proxy.ErrEOF, 200},
		{"a clean end is a clean end", func(c *simnet.Conn) { io.WriteString(c, head+"0\r\n\r\n"); c.Close() }, nil, proxy.ErrEOF, 200},
		{"a reset before a byte is a reset", func(c *simnet.Conn) { c.SetLinger(0); c.Close() }, syscall.ECONNRESET, proxy.ErrReset, 0},
		{"an end before a byte is an end", func(c *simnet.Conn) { c.Close() }, io.EOF, proxy.ErrEOF, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			simulate(t, nil, toBare, func(w *world) {
				go answer(w.net.Listen("bare"), func(conn net.Conn, _ *http.Request) { test.server(conn.(*simnet.Conn)) })
				resp, err := w.post(ask)
				if err == nil {
					_, err = w.reads(resp.Body)
				}
				if !errors.Is(err, test.want) {
					t.Errorf("the client got %v, want %v", err, test.want)
				}
				if x := w.only(); x.Err != test.word || x.Status != test.status {
					t.Errorf("recorded %s %q, status %d", x.Outcome, x.Err, x.Status)
				}
			})
		})
	}
}

func TestAnUpstreamThatIsNotThereIsNamed(t *testing.T) {
	simulate(t, nil, func(c *proxy.Config) { c.Upstreams = []proxy.Upstream{upstream(t, "http://nobody:81")} }, func(w *world) {
		resp, err := w.post(ask, "Authorization: Bearer secret")
		body := w.must(resp, err)
		if resp.StatusCode != http.StatusBadGateway || !strings.Contains(body, "nobody:81") || !strings.Contains(body, "upstream_connect") {
			t.Errorf("%s: %s", resp.Status, body)
		}
		if x := w.only(); x.Err != proxy.ErrConnect || x.Outcome != "error" || x.Status != 0 || !x.Sent.IsZero() {
			t.Errorf("%+v", x)
		}
	})
}

func TestAClientThatLeavesIsGoneUpstreamAtOnce(t *testing.T) {
	stream := plays([]write{event(100*ms, `"content":"a"`), event(900*ms, `"content":"b"`)})
	for _, test := range []struct {
		name  string
		after time.Duration
		h2    bool
	}{
		{"while it waits for the head", 50 * ms, false}, {"in the middle of the stream", 333 * ms, false},
		{"in the middle of the stream over h2c", 333 * ms, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := stream
			if test.after < 100*ms {
				server = func(rw http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() }
			}
			simulate(t, server, nil, func(w *world) {
				if test.h2 {
					transport := w.client.Transport.(*http.Transport)
					transport.Protocols = new(http.Protocols)
					transport.Protocols.SetUnencryptedHTTP2(true)
				}
				ctx, cancel := context.WithTimeout(w.Context(), test.after)
				defer cancel()
				req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://proxy/v1/chat/completions", strings.NewReader(ask))
				resp, err := w.client.Do(req)
				if err == nil {
					w.reads(resp.Body)
				}
				x := w.only()
				if w.seen[0].gone != test.after {
					t.Errorf("the server saw it at %v", w.seen[0].gone)
				}
				if x.Outcome != "cancelled" || x.Err != proxy.ErrCancelled || w.at(x.End) != test.after {
					t.Errorf("recorded %s %q, end %v", x.Outcome, x.Err, w.at(x.End))
				}
			})
		})
	}
	t.Run("while it uploads", func(t *testing.T) {
		simulate(t, plays(nil), nil, func(w *world) {
			conn, err := w.net.DialContext(w.Context(), "tcp", "proxy:80")
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"model\":\"m\",")
			time.Sleep(70 * ms)
			conn.Close()
			x := w.only()
			if w.seen[0].gone != 70*ms || x.Outcome != "cancelled" || w.at(x.End) != 70*ms || x.Request.Model != "m" {
				t.Errorf("gone %v, recorded %s %q %+v", w.seen[0].gone, x.Outcome, x.Err, x.Request)
			}
		})
	})
}

func TestUploadsAreStreamed(t *testing.T) {
	var arrived []read
	server := func(rw http.ResponseWriter, r *http.Request) {
		start, buf := time.Now(), make([]byte, 1<<20)
		for {
			n, err := r.Body.Read(buf)
			if n > 0 {
				arrived = append(arrived, read{time.Since(start), string(buf[:n])})
			}
			if err != nil {
				break
			}
		}
		io.WriteString(rw, `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`)
	}
	simulate(t, server, nil, func(w *world) {
		in, out := io.Pipe()
		go func() {
			for i, part := range []string{`{"model":"m",`, `"stream":false,`, `"messages":[]}`} {
				time.Sleep(time.Duration(i) * 400 * ms)
				io.WriteString(out, part)
			}
			out.Close()
		}()
		resp, err := w.client.Post("http://proxy/v1/chat/completions", "application/json", in)
		w.must(resp, err)
		x := w.only()
		want := []read{{0, `{"model":"m",`}, {400 * ms, `"stream":false,`}, {1200 * ms, `"messages":[]}`}}
		if !slices.Equal(arrived, want) {
			t.Errorf("the server got %v", arrived)
		}
		if w.at(x.Sent) != 1200*ms || w.at(x.Start) != 0 || x.RequestBytes != 42 || x.Request.Model != "m" || x.Outcome != "ok" {
			t.Errorf("%+v", x)
		}
		if begin := w.book.begun[0]; begin.Request.Model != "" {
			t.Errorf("began with %+v, which could not be known after 250 ms", begin.Request)
		}
	})
}

func TestAnAnswerMayComeBeforeTheEndOfTheUpload(t *testing.T) {
	server := func(rw http.ResponseWriter, r *http.Request) {
		http.NewResponseController(rw).EnableFullDuplex()
		r.Body.Read(make([]byte, 10))
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusRequestEntityTooLarge)
		io.WriteString(rw, `{"error":{"type":"request_too_large"}}`)
	}
	simulate(t, server, nil, func(w *world) {
		conn, err := w.net.DialContext(w.Context(), "tcp", "proxy:80")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{\"model\":\"m\",")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge || w.since() != 0 {
			t.Fatalf("%v %v at %v", resp, err, w.since())
		}
		time.Sleep(100 * ms) // net/http gives the upload 50 ms more
		x := w.only()
		if x.Status != http.StatusRequestEntityTooLarge || x.Err != "413" || x.Request.Model != "m" {
			t.Errorf("%+v", x)
		}
		conn.Close()
	})
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

func TestASlowClientDoesNotBlurArrivals(t *testing.T) {
	piece := strings.Repeat("x", 4000)
	var writes []write
	for i := range 40 {
		writes = append(writes, event(time.Duration(100+10*i)*ms, `"content":"`+piece+`"`))
	}
	writes = append(writes, finish(510*ms))
	simulate(t, plays(writes), nil, func(w *world) {
		w.net.SetLink("proxy", simnet.Link{Buffer: 4 << 10}) // the client's side of the network holds no more
		resp, err := w.post(ask)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second) // before it reads at all
		got, err := w.reads(resp.Body)
		var all, sent bytes.Buffer
		for _, r := range got {
			all.WriteString(r.text)
		}
		for _, write := range writes {
			sent.WriteString(write.text)
		}
		if err != nil || !bytes.Equal(all.Bytes(), sent.Bytes()) {
			t.Errorf("the client got %d bytes of %d: %v", all.Len(), sent.Len(), err)
		}
		x := w.only()
		for i, c := range x.Result.Chunks.List {
			if c.At != writes[i].at {
				t.Fatalf("chunk %d at %v, want %v", i, c.At, writes[i].at)
			}
		}
		if x.Paced || w.at(x.End) != 510*ms || x.Overhead.Held == 0 {
			t.Errorf("paced %v, end %v, overhead %+v", x.Paced, w.at(x.End), x.Overhead)
		}
	})
}

func TestAClientThatIsTooSlowSetsThePace(t *testing.T) {
	var writes []write
	for i := range 30 {
		writes = append(writes, event(time.Duration(10+i)*ms, `"content":"`+strings.Repeat("x", 100_000)+`"`))
	}
	simulate(t, plays(append(writes, finish(40*ms))), nil, func(w *world) {
		w.net.SetLink("proxy", simnet.Link{Buffer: 4 << 10})
		resp, err := w.post(ask)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if _, err := w.reads(resp.Body); err != nil {
			t.Fatal(err)
		}
		if x := w.only(); !x.Paced || w.at(x.End) < time.Second || len(x.Result.Chunks.List) != 30 {
			t.Errorf("paced %v, end %v, %d chunks", x.Paced, w.at(x.End), len(x.Result.Chunks.List))
		}
	})
}

func TestTheConnectionIsTimedApart(t *testing.T) {
	simulate(t, plays([]write{event(10*ms, `"content":"a"`), finish(20 * ms)}), nil, func(w *world) {
		w.net.SetLink("model", simnet.Link{Connect: 30 * ms})
		for i, want := range []struct {
			connected time.Duration
			reused    bool
		}{{30 * ms, false}, {0, true}} {
			start := w.since()
			w.must(w.post(ask))
			synctest.Wait()
			x := w.book.ended[i]
			if got := w.at(x.Connected) - start; got != want.connected || x.ConnReused != want.reused || x.Sent != x.Connected || x.Overhead.Request != 0 {
				t.Errorf("request %d: connected %v, reused %v, %+v", i+1, got, x.ConnReused, x.Overhead)
			}
			if x.Conn != 1 {
				t.Errorf("client's connection %d", x.Conn)
			}
		}
	})
}

func ExampleParseUpstream() {
	for _, s := range []string{"https://api.openai.com/v1", "anthropic=https://api.anthropic.com", "/local=http://127.0.0.1:8080"} {
		up, err := proxy.ParseUpstream(s)
		fmt.Printf("%q %q %v %v\n", up.Prefix, up.API, up.URL, err)
	}
	// Output:
	// "" "" https://api.openai.com/v1 <nil>
	// "" "anthropic" https://api.anthropic.com <nil>
	// "/local" "" http://127.0.0.1:8080 <nil>
}
