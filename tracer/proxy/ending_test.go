package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tracer/proxy"
)

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
