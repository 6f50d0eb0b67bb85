package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
)

// Config is what a proxy is made of.
type Config struct {
	Upstreams []Upstream // the only servers it ever connects to
	Observer  Observer   // nil: none
	Tap       Tap        // nil: none
	Think     stream.ThinkTags
	Transport *http.Transport  // nil: one like net/http's default
	Now       func() time.Time // nil: time.Now
}

// A Proxy is a reverse proxy that measures what passes. It is an http.Handler; under Serve it also knows its clients'
// connections. It is safe for concurrent use.
type Proxy struct {
	upstreams []Upstream
	now       func() time.Time
	recorder  *recorder // nil: nobody wants to know
	forward   httputil.ReverseProxy
	transport *http.Transport
	server    http.Server
	conns     atomic.Int64
	self      struct {
		chunks                histogram
		exchanges, incomplete atomic.Int64
	}
}

// New returns a proxy. Close ends it.
func New(c Config) *Proxy {
	p := &Proxy{upstreams: c.Upstreams, now: c.Now}
	if p.now == nil {
		p.now = time.Now
	}
	p.transport = newTransport(c.Transport)
	quiet := log.New(io.Discard, "", 0) // what net/http logs may quote URLs, and with them keys
	p.forward = httputil.ReverseProxy{
		Rewrite: rewrite, Transport: p.transport, FlushInterval: -1, ErrorLog: quiet, BufferPool: &buffers,
		ModifyResponse: answered, ErrorHandler: unanswered,
	}
	p.server = http.Server{Handler: p, ErrorLog: quiet, ConnContext: p.connContext, Protocols: new(http.Protocols),
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 10_000}}
	p.server.Protocols.SetHTTP1(true)
	p.server.Protocols.SetUnencryptedHTTP2(true)
	if c.Observer != nil || c.Tap != nil {
		p.recorder = newRecorder(c, p.now, &p.self.incomplete)
	}
	return p
}

// newTransport returns a transport that passes things on as they are: it asks for no encoding of its own, speaks h2 where the
// upstream does, and follows nothing.
func newTransport(t *http.Transport) *http.Transport {
	if t == nil {
		t = http.DefaultTransport.(*http.Transport)
	}
	t = t.Clone()
	t.DisableCompression = true
	t.ForceAttemptHTTP2 = true
	t.MaxIdleConnsPerHost = max(t.MaxIdleConnsPerHost, 256)
	t.MaxIdleConns = 0
	return t
}

// Serve answers the connections that l accepts, HTTP/1.1 and h2c with prior knowledge, until Close. Listening on loopback only is
// the caller's part.
func (p *Proxy) Serve(l net.Listener) error { return p.server.Serve(l) }

// Close breaks off what is under way, waits until all of it is recorded, and closes the connections to the upstreams.
func (p *Proxy) Close() error {
	err := p.server.Close()
	p.transport.CloseIdleConnections()
	if p.recorder != nil {
		p.recorder.close()
	}
	return err
}

// Shutdown lets what is under way come to its end, as long as ctx lasts, and then closes the proxy.
func (p *Proxy) Shutdown(ctx context.Context) error {
	err := p.server.Shutdown(ctx)
	p.Close()
	return err
}

// SelfCheck returns what the proxy has added so far.
func (p *Proxy) SelfCheck() SelfCheck {
	s := SelfCheck{Exchanges: p.self.exchanges.Load(), Incomplete: p.self.incomplete.Load(), Worst: time.Duration(p.self.chunks.worst.Load())}
	s.Median, s.Chunks = p.self.chunks.quantile(0.5)
	s.P99, _ = p.self.chunks.quantile(0.99)
	return s
}

// A clientConn is a connection from a client.
type clientConn struct {
	net.Conn
	number int64
}

type (
	connKey   struct{}
	flightKey struct{}
)

func (p *Proxy) connContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, &clientConn{c, p.conns.Add(1)})
}

// ServeHTTP forwards one request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := p.now()
	up := choose(p.upstreams, r)
	switch {
	case r.Method == http.MethodConnect || r.URL.Host != "":
		refuse(w, http.StatusMisdirectedRequest, "not_a_forward_proxy", "this is no forward proxy; use its address as the base URL instead")
		return
	case up == nil:
		refuse(w, http.StatusNotFound, "no_upstream", "no upstream is set for "+apiName(r)+" requests to this path; set one with --upstream")
		return
	}
	f := p.begin(w, r, up, start)
	defer f.finish()
	_ = http.NewResponseController(w).EnableFullDuplex() // an upstream may answer before it has read all; h2 does so anyway
	p.forward.ServeHTTP(&client{ResponseWriter: w, flight: f}, f.request(r))
}

func apiName(r *http.Request) string {
	return map[API]string{OpenAI: "OpenAI", Anthropic: "Anthropic", Google: "Google", Ollama: "Ollama"}[apiOf(r)]
}

// refuse answers a request that is not forwarded, in the form that client libraries show to their users.
func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	type reason struct {
		Message string `json:"message"`
		Type    string `json:"type"`
	}
	_ = json.NewEncoder(w).Encode(struct {
		Error reason `json:"error"`
	}{reason{"longpole: " + message, code}})
}

// rewrite turns a client's request into the one that is sent on.
func rewrite(r *httputil.ProxyRequest) {
	f := flightOf(r.In.Context())
	*r.Out.URL = *r.In.URL // its query, too, is passed on as it came
	f.upstream.address(r.Out.URL)
	if user := r.Out.URL.User; user != nil && r.Out.Header.Get("Authorization") == "" { // http.Client does this for URLs, its transport does not
		password, _ := user.Password()
		r.Out.SetBasicAuth(user.Username(), password)
	}
	r.Out.Host = ""
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if v, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = v
		}
	}
	switch upgrade := r.Out.Header.Get("Upgrade"); {
	case strings.EqualFold(upgrade, "h2c"):
		for _, name := range []string{"Connection", "Upgrade", "Http2-Settings"} {
			r.Out.Header.Del(name)
		}
	case strings.EqualFold(upgrade, "websocket") && readsSocket(r.In.URL.Path):
		r.Out.Header.Del("Sec-Websocket-Extensions")
	}
}

// answered takes the head of the upstream's response, and puts the pump around its body.
func answered(resp *http.Response) error {
	f := flightOf(resp.Request.Context())
	f.note(note{kind: noteHeaders, fact: &head{resp.StatusCode, resp.Header.Clone()}}, nil)
	if location := resp.Header.Get("Location"); location != "" {
		resp.Header.Set("Location", f.upstream.redirected(location))
	}
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
		if conn, ok := resp.Body.(io.ReadWriteCloser); ok {
			resp.Body = &tunnel{ReadWriteCloser: conn, flight: f}
		}
	case resp.Body == http.NoBody || resp.Request.Method == http.MethodHead:
		f.note(note{kind: noteClosed}, nil)
	default:
		f.body = newDownload(resp.Body, f)
		resp.Body = f.body
	}
	return nil
}

// unanswered ends a request that got no response. A connection that was up and broke off breaks off the client's; for one that could
// not be made, the client is told why.
func unanswered(w http.ResponseWriter, r *http.Request, err error) {
	f := flightOf(r.Context())
	if f.gone() {
		err = context.Canceled
	}
	f.note(note{kind: noteClosed, err: err}, nil)
	if f.gone() || f.connected.Load() && brokeOff(err) {
		f.breakOff(err)
		panic(http.ErrAbortHandler)
	}
	reason := fmt.Sprintf("no response from the upstream %s: %v", f.upstream.URL.Host, err)
	refuse(w, http.StatusBadGateway, "upstream_"+errorWord(err), reason)
}
