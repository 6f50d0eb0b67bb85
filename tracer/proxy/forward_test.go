package proxy_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
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
