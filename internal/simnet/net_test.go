package simnet_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/internal/simnet"
)

// pair returns the two ends of a connection over link.
func pair(t *testing.T, n *simnet.Net, link simnet.Link) (client, server *simnet.Conn) {
	t.Helper()
	n.SetLink("host", link)
	l := n.Listen("host")
	c, err := n.DialContext(t.Context(), "tcp", "host:80")
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return c.(*simnet.Conn), s.(*simnet.Conn)
}

func TestConn(t *testing.T) {
	read := func(c net.Conn) (string, error) {
		b := make([]byte, 100)
		n, err := c.Read(b)
		return string(b[:n]), err
	}
	for _, test := range []struct {
		name string
		link simnet.Link
		do   func(t *testing.T, client, server *simnet.Conn) error
		want error
		at   time.Duration // since the dial began
	}{
		{
			name: "a dial takes the connect time",
			link: simnet.Link{Connect: 30 * time.Millisecond},
			do:   func(t *testing.T, client, server *simnet.Conn) error { return nil },
			at:   30 * time.Millisecond,
		},
		{
			name: "bytes arrive after the latency",
			link: simnet.Link{Latency: 7 * time.Millisecond},
			do: func(t *testing.T, client, server *simnet.Conn) error {
				client.Write([]byte("hello"))
				if got, _ := read(server); got != "hello" {
					t.Errorf("read %q", got)
				}
				return nil
			},
			at: 7 * time.Millisecond,
		},
		{
			name: "a write takes as long as the rate makes it",
			link: simnet.Link{Up: 1000},
			do: func(t *testing.T, client, server *simnet.Conn) error {
				_, err := client.Write(make([]byte, 250))
				return err
			},
			at: 250 * time.Millisecond,
		},
		{
			name: "the other direction has its own rate",
			link: simnet.Link{Up: 1000},
			do: func(t *testing.T, client, server *simnet.Conn) error {
				_, err := server.Write(make([]byte, 250))
				return err
			},
		},
		{
			name: "a full buffer blocks the writer until the reader reads",
			link: simnet.Link{Buffer: 4},
			do: func(t *testing.T, client, server *simnet.Conn) error {
				time.AfterFunc(time.Second, func() { read(server) })
				_, err := client.Write([]byte("12345678"))
				return err
			},
			at: time.Second,
		},
		{
			name: "a read ends at its deadline",
			do: func(t *testing.T, client, server *simnet.Conn) error {
				server.SetReadDeadline(time.Now().Add(time.Second))
				_, err := read(server)
				return err
			},
			want: os.ErrDeadlineExceeded,
			at:   time.Second,
		},
		{
			name: "a deadline that moves wakes a read that waits",
			do: func(t *testing.T, client, server *simnet.Conn) error {
				time.AfterFunc(time.Second, func() { server.SetDeadline(time.Unix(1, 0)) })
				_, err := read(server)
				return err
			},
			want: os.ErrDeadlineExceeded,
			at:   time.Second,
		},
		{
			name: "a write into a full buffer ends at its deadline",
			link: simnet.Link{Buffer: 4},
			do: func(t *testing.T, client, server *simnet.Conn) error {
				client.SetWriteDeadline(time.Now().Add(time.Second))
				n, err := client.Write([]byte("12345"))
				if n != 4 {
					t.Errorf("wrote %d bytes", n)
				}
				return err
			},
			want: os.ErrDeadlineExceeded,
			at:   time.Second,
		},
		{
			name: "after a half close the other side reads the rest, then the end, and can still write",
			do: func(t *testing.T, client, server *simnet.Conn) error {
				client.Write([]byte("bye"))
				client.CloseWrite()
				if got, err := io.ReadAll(server); string(got) != "bye" || err != nil {
					t.Errorf("read %q, %v", got, err)
				}
				server.Write([]byte("ok"))
				if got, err := read(client); got != "ok" || err != nil {
					t.Errorf("read %q, %v", got, err)
				}
				_, err := client.Write([]byte("more"))
				return err
			},
			want: syscall.EPIPE,
		},
		{
			name: "the end travels as long as bytes do",
			link: simnet.Link{Latency: time.Second},
			do: func(t *testing.T, client, server *simnet.Conn) error {
				client.Close()
				_, err := read(server)
				return err
			},
			want: io.EOF,
			at:   time.Second,
		},
		{
			name: "a reset is not an end",
			do: func(t *testing.T, client, server *simnet.Conn) error {
				client.Write([]byte("half"))
				client.SetLinger(0)
				client.Close()
				if got, err := read(server); got != "half" || err != nil {
					t.Errorf("read %q, %v", got, err)
				}
				_, err := read(server)
				return err
			},
			want: syscall.ECONNRESET,
		},
		{
			name: "writing to an end that was closed fails",
			do: func(t *testing.T, client, server *simnet.Conn) error {
				server.Close()
				_, err := client.Write([]byte("x"))
				return err
			},
			want: syscall.EPIPE,
		},
		{
			name: "writing to an end that was reset fails",
			do: func(t *testing.T, client, server *simnet.Conn) error {
				server.SetLinger(0)
				server.Close()
				_, err := client.Write([]byte("x"))
				return err
			},
			want: syscall.ECONNRESET,
		},
		{
			name: "closing wakes one's own read",
			do: func(t *testing.T, client, server *simnet.Conn) error {
				time.AfterFunc(time.Second, func() { client.Close() })
				_, err := read(client)
				return err
			},
			want: net.ErrClosed,
			at:   time.Second,
		},
		{
			name: "closing one's reading side refuses the other's writes",
			do: func(t *testing.T, client, server *simnet.Conn) error {
				server.CloseRead()
				_, err := client.Write([]byte("x"))
				return err
			},
			want: syscall.EPIPE,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := simnet.New()
				defer n.Close()
				start := time.Now()
				client, server := pair(t, n, test.link)
				err := test.do(t, client, server)
				if !errors.Is(err, test.want) {
					t.Errorf("error %v, want %v", err, test.want)
				}
				if at := time.Since(start); at != test.at {
					t.Errorf("done at %v, want %v", at, test.at)
				}
			})
		})
	}
}

func TestWritesDoNotMix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := simnet.New()
		defer n.Close()
		client, server := pair(t, n, simnet.Link{Buffer: 3, Up: 100})
		for _, s := range []string{"aaaaaaaa", "bbbbbbbb"} {
			go client.Write([]byte(s))
		}
		got := make([]byte, 16)
		if _, err := io.ReadFull(iotest.OneByteReader(server), got); err != nil {
			t.Fatal(err)
		}
		if s := string(got); s != "aaaaaaaabbbbbbbb" && s != "bbbbbbbbaaaaaaaa" {
			t.Errorf("read %q", s)
		}
	})
}

func TestDial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := simnet.New()
		defer n.Close()
		if _, err := n.DialContext(t.Context(), "tcp", "nobody:80"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("nobody listens: %v", err)
		}
		l := n.Listen("host:80")
		if _, err := n.DialContext(t.Context(), "tcp", "host:81"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("other port: %v", err)
		}
		n.SetLink("host:80", simnet.Link{Connect: time.Hour})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := n.DialContext(ctx, "tcp", "host:80"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("slow: %v", err)
		}
		n.SetLink("host:80", simnet.Link{})
		waiting, err := n.DialContext(t.Context(), "tcp", "host:80")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		if _, err := waiting.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("never accepted: %v", err)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept: %v", err)
		}
	})
}

func TestHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := simnet.New()
		defer n.Close()
		n.SetLink("api.test", simnet.Link{Connect: 20 * time.Millisecond, Latency: 5 * time.Millisecond})
		n.Serve("api.test", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for i := range 3 {
				if i > 0 {
					time.Sleep(100 * time.Millisecond)
				}
				io.WriteString(w, "tick\n")
				http.NewResponseController(w).Flush()
			}
			if r.URL.Path == "/cut" {
				panic(http.ErrAbortHandler)
			}
		}))
		client := simnet.Client(n)
		for _, test := range []struct {
			name, path string
			want       time.Duration
			err        error
		}{
			{"a first request connects, and streams", "/", 230 * time.Millisecond, nil},
			{"a second one finds the connection open", "/", 210 * time.Millisecond, nil},
			{"a cut stream is an unexpected end", "/cut", 210 * time.Millisecond, io.ErrUnexpectedEOF},
		} {
			start := time.Now()
			resp, err := client.Get("http://api.test" + test.path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if !errors.Is(err, test.err) {
				t.Errorf("%s: error %v, want %v", test.name, err, test.err)
			}
			if want := strings.Repeat("tick\n", 3); string(body) != want {
				t.Errorf("%s: got %q, want %q", test.name, body, want)
			}
			if took := time.Since(start); took != test.want {
				t.Errorf("%s: took %v, want %v", test.name, took, test.want)
			}
		}
	})
}

func TestCancelledRequestReachesTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := simnet.New()
		defer n.Close()
		start := time.Now()
		gone := make(chan time.Duration, 1)
		n.Serve("api.test", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			gone <- time.Since(start)
		}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "GET", "http://api.test/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := simnet.Client(n).Do(req); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if at := <-gone; at != time.Second {
			t.Errorf("the handler saw it at %v, want 1s", at)
		}
	})
}
