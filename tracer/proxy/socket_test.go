package proxy_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/traces"
)

func TestCaseWebSocketIsNotSilentlyZero(t *testing.T) {
	c := load(t, "proxy-websocket-is-not-silently-zero")
	var toServer, toClient []read // as each side got it
	simulate(t, nil, toBare, func(w *world) {
		play := func(conn net.Conn, dir string) {
			for _, f := range c.Input.Frames {
				if f.Dir == dir {
					time.Sleep(time.Until(w.start.Add(msec(f.AtMS))))
					conn.Write(frame([]byte(f.Text), dir == "client"))
				}
			}
		}
		receive := func(conn net.Conn, got *[]read) {
			buf := make([]byte, 4096)
			for {
				n, err := conn.Read(buf)
				if err != nil {
					return
				}
				*got = append(*got, read{w.since(), string(buf[:n])})
			}
		}
		go answer(w.net.Listen("bare"), func(conn net.Conn, r *http.Request) {
			if r.Header.Get("Sec-Websocket-Extensions") != "" {
				t.Error("compression was offered to the server")
			}
			io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
			go play(conn, "server")
			receive(conn, &toServer)
			conn.Close()
		})
		conn := w.upgrade("/v1/responses")
		go receive(conn, &toClient)
		play(conn, "client")
		time.Sleep(2 * time.Second)
		conn.Close()
		synctest.Wait()

		var sent int
		for _, got := range append(toServer, toClient...) {
			if i := slices.IndexFunc(c.Input.Frames, func(f struct {
				AtMS float64 `json:"at_ms"`
				Dir  string
				Text string
			}) bool {
				return got == read{msec(f.AtMS), string(frame([]byte(f.Text), f.Dir == "client"))}
			}); i >= 0 {
				sent++
			}
		}
		if sent != len(c.Input.Frames) {
			t.Errorf("%d of %d frames came unchanged and in time", sent, len(c.Input.Frames))
		}
		if len(w.book.ended) != 3 {
			t.Fatalf("%d exchanges, want a warm-up, a call and their tunnel", len(w.book.ended))
		}
		warm, call, tunnel := w.book.ended[0], w.book.ended[1], w.book.ended[2]
		if !warm.Prewarm || warm.Request.Generates || warm.Tunnel != tunnel.ID || w.at(warm.Start) != 20*ms || w.at(warm.End) != 60*ms {
			t.Errorf("warm-up: %+v", warm)
		}
		if call.Prewarm || !call.Request.Generates || !call.Measured || call.Tunnel != tunnel.ID || w.at(call.Start) != 5000*ms || w.at(call.End) != 6500*ms ||
			call.Result.Chunks.List[0].At != 1400*ms || *call.Result.Usage.Output != 2 || call.Outcome != "ok" || w.at(call.FirstByte) != 5100*ms {
			t.Errorf("call: %+v %+v", call, call.Result)
		}
		if !tunnel.Socket || !tunnel.Measured || tunnel.Outcome != "ok" || tunnel.Status != 101 || w.at(tunnel.End) < 7*time.Second {
			t.Errorf("tunnel: %+v", tunnel)
		}
	})
}

// upgrade opens a WebSocket through the proxy.
func (w *world) upgrade(path string) *simnet.Conn {
	w.Helper()
	conn, err := w.net.DialContext(w.Context(), "tcp", "proxy:80")
	if err != nil {
		w.Fatal(err)
	}
	io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n")
	head := make([]byte, 4096)
	n, err := conn.Read(head)
	if err != nil || !bytes.HasPrefix(head[:n], []byte("HTTP/1.1 101 ")) || !bytes.HasSuffix(head[:n], []byte("\r\n\r\n")) {
		w.Fatalf("%q %v", head[:n], err)
	}
	return conn.(*simnet.Conn)
}

// frame returns one text frame.
func frame(message []byte, masked bool) []byte {
	f := []byte{0x81}
	switch n := len(message); {
	case n < 126:
		f = append(f, byte(n))
	default:
		f = append(f, 126, byte(n>>8), byte(n))
	}
	if !masked {
		return append(f, message...)
	}
	f[1] |= 0x80
	mask := []byte{1, 2, 3, 4}
	f = append(f, mask...)
	for i, b := range message {
		f = append(f, b^mask[i%4])
	}
	return f
}

// switches returns a server that accepts an upgrade and goes on with f.
func switches(w *world, f func(*simnet.Conn)) {
	go answer(w.net.Listen("bare"), func(conn net.Conn, r *http.Request) {
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		f(conn.(*simnet.Conn))
		conn.Close()
	})
}

const create = `{"type":"response.create","model":"m","input":[{"role":"user","content":"go"}]}`

func message(conn net.Conn, at time.Duration, text string) {
	time.Sleep(at)
	conn.Write(frame([]byte(text), false))
}

func TestCallsOnOneSocketAreExchangesOfTheirOwn(t *testing.T) {
	simulate(t, nil, toBare, func(w *world) {
		switches(w, func(conn *simnet.Conn) {
			buf := make([]byte, 4096)
			for _, id := range []string{"r1", "r2"} {
				conn.Read(buf)
				conn.Read(buf)
				message(conn, 100*ms, `{"type":"response.created","response":{"id":"`+id+`"}}`)
				message(conn, 200*ms, `{"type":"response.output_text.delta","output_index":0,"delta":"hi"}`)
				message(conn, 50*ms, `{"type":"response.completed","response":{"id":"`+id+`","status":"completed"}}`)
			}
			conn.Read(buf)
		})
		conn := w.upgrade("/v1/responses")
		buf := make([]byte, 4096)
		for range 2 {
			b := frame([]byte(create), true)
			conn.Write(b[:10]) // a frame may come in pieces
			time.Sleep(5 * ms)
			conn.Write(b[10:])
			for range 3 {
				conn.Read(buf)
			}
		}
		conn.Close()
		synctest.Wait()
		if len(w.book.ended) != 3 {
			t.Fatalf("%d exchanges", len(w.book.ended))
		}
		for i, x := range w.book.ended[:2] {
			start := time.Duration(5+355*i) * ms
			if w.at(x.Start) != start || w.at(x.End) != start+350*ms || w.at(x.FirstByte) != start+100*ms || x.Outcome != "ok" || x.Request.Model != "m" ||
				x.Result.ID != []string{"r1", "r2"}[i] || x.Result.Chunks.List[0] != (traces.Chunk{At: 300 * ms, Kind: traces.Output, Chars: 2}) {
				t.Errorf("call %d: %+v %+v", i, x, x.Result)
			}
		}
	})
}

func TestASocketThatBreaks(t *testing.T) {
	simulate(t, nil, toBare, func(w *world) {
		switches(w, func(conn *simnet.Conn) {
			conn.Read(make([]byte, 4096))
			message(conn, 100*ms, `{"type":"response.created","response":{"id":"r"}}`)
			time.Sleep(100 * ms)
			conn.SetLinger(0)
		})
		conn := w.upgrade("/v1/responses")
		conn.Write(frame([]byte(create), true))
		_, err := io.ReadAll(conn)
		if !errors.Is(err, syscall.ECONNRESET) || w.since() != 200*ms {
			t.Errorf("the client got %v at %v", err, w.since())
		}
		synctest.Wait()
		call, tunnel := w.book.ended[0], w.book.ended[1]
		if call.Outcome != "truncated" || call.Err != "reset" || w.at(call.End) != 200*ms || tunnel.Err != "reset" {
			t.Errorf("call %s %q, tunnel %s %q", call.Outcome, call.Err, tunnel.Outcome, tunnel.Err)
		}
	})
}

func TestAClientThatLeavesItsSocketCancelsTheCall(t *testing.T) {
	closing := string([]byte{0x88, 0x80, 1, 2, 3, 4})
	for name, leave := range map[string]func(*simnet.Conn){
		"by closing the connection": func(c *simnet.Conn) { c.Close() },
		"by saying so":              func(c *simnet.Conn) { io.WriteString(c, closing); io.Copy(io.Discard, c); c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, nil, toBare, func(w *world) {
				var gone time.Duration
				switches(w, func(conn *simnet.Conn) {
					buf := make([]byte, 4096)
					conn.Read(buf)
					if n, _ := conn.Read(buf); string(buf[:n]) == closing {
						conn.Write([]byte{0x88, 0}) // the server agrees, and closes the connection
					}
					gone = w.since()
				})
				conn := w.upgrade("/v1/responses")
				conn.Write(frame([]byte(create), true))
				time.Sleep(70 * ms)
				leave(conn)
				synctest.Wait()
				call, tunnel := w.book.ended[0], w.book.ended[1]
				if call.Outcome != "cancelled" || w.at(call.End) != 70*ms || tunnel.Outcome != "ok" || gone != 70*ms {
					t.Errorf("call %s at %v, tunnel %s, server saw it at %v", call.Outcome, w.at(call.End), tunnel.Outcome, gone)
				}
			})
		})
	}
}

func TestASocketOfAnotherKindIsMarkedAsNotMeasured(t *testing.T) {
	simulate(t, nil, toBare, func(w *world) {
		switches(w, func(conn *simnet.Conn) { io.Copy(conn, conn) })
		conn := w.upgrade("/v1/realtime?model=m")
		io.WriteString(conn, "anything")
		buf := make([]byte, 100)
		if n, _ := conn.Read(buf); string(buf[:n]) != "anything" || w.since() != 0 {
			t.Errorf("%q came back at %v", buf[:n], w.since())
		}
		conn.CloseWrite() // the other direction stays open
		if n, err := conn.Read(buf); n != 0 || err != io.EOF {
			t.Errorf("%d %v", n, err)
		}
		x := w.only()
		if !x.Socket || x.Measured || x.Outcome != "ok" || x.RequestBytes != 8 || x.ResponseBytes != 8 {
			t.Errorf("%+v", x)
		}
	})
}

func TestARefusedUpgradeIsAnOrdinaryResponse(t *testing.T) {
	simulate(t, nil, toBare, func(w *world) {
		go answer(w.net.Listen("bare"), func(conn net.Conn, r *http.Request) {
			io.WriteString(conn, "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\n\r\nno")
		})
		got := w.raw("GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.1 426 ") || !strings.HasSuffix(got, "\r\n\r\nno") {
			t.Errorf("got %q", got)
		}
		if x := w.only(); x.Socket || x.Status != 426 || x.Err != "426" {
			t.Errorf("%+v", x)
		}
	})
}

func TestAnOfferOfH2CIsNotPassedOn(t *testing.T) {
	simulate(t, plays(nil), nil, func(w *world) {
		w.raw("GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n")
		if h := w.seen[0].Header; h.Get("Upgrade") != "" || h.Get("Http2-Settings") != "" || h.Get("Connection") != "" {
			t.Errorf("the server saw %v", h)
		}
	})
}
