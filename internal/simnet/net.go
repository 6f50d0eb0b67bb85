// Package simnet is a network in memory: listeners and connections that behave like TCP's where HTTP can tell, and
// whose delays are scripted. A connection has bounded buffers, deadlines, half close, and a reset that is not an end of
// file; a Link gives it a connect time, a latency and a rate each way.
//
// Everything blocks on sync.Cond and timers, never on the operating system, so that a client and a server inside one
// testing/synctest bubble run on fake time and give the same instants, to the nanosecond, on each run. Create the Net
// inside the bubble, and Close it before the bubble ends: that ends every connection and, with them, the goroutines
// that net/http keeps for idle ones. It works outside a bubble too, on the real clock.
package simnet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"
)

// A Link says how a connection behaves. The zero value is a perfect wire: no delay at all.
type Link struct {
	Connect time.Duration // what a dial takes
	Latency time.Duration // each way, from the last byte of a write leaving to its arriving
	Up      int64         // bytes per second from the dialling side; 0: no limit. A Write takes as long as its bytes
	Down    int64         // bytes per second towards the dialling side; 0: no limit
	Buffer  int           // bytes one direction holds, in flight and unread, before Write blocks; 0: 64 KiB
}

// A Net connects dialled names with listeners. It is safe for concurrent use.
type Net struct {
	mu        sync.Mutex
	listeners map[string]*listener // by name as given to Listen
	links     map[string]Link
	conns     map[*Conn]struct{} // both ends of each
	dials     int
	closed    bool
}

// New returns a network without hosts.
func New() *Net {
	return &Net{listeners: map[string]*listener{}, links: map[string]Link{}, conns: map[*Conn]struct{}{}}
}

// Listen opens a listener on host: a name, which then takes connections to any port, or "name:port". It panics if
// someone listens there already.
func (n *Net) Listen(host string) net.Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners[host] != nil {
		panic(fmt.Sprintf("simnet: %q is already listened on", host))
	}
	l := &listener{net: n, host: host, closed: n.closed}
	l.changed.L = &l.mu
	if !n.closed {
		n.listeners[host] = l
	}
	return l
}

// SetLink makes later connections to host, as given to Listen, behave like l. Open connections keep theirs.
func (n *Net) SetLink(host string, l Link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.links[host] = l
}

// DialContext connects to addr, "name:port", as net.Dialer does; network is ignored. It takes the link's connect time;
// the connection is open before the listener accepts it. The error is ECONNREFUSED, inside a *net.OpError, where nobody
// listens, or the context's.
func (n *Net) DialContext(ctx context.Context, _, addr string) (net.Conn, error) {
	fail := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: networkName, Addr: Addr(addr), Err: err}
	}
	n.mu.Lock()
	l := n.listeners[addr]
	if host, _, err := net.SplitHostPort(addr); l == nil && err == nil {
		l = n.listeners[host]
	}
	var link Link
	if l != nil {
		link = n.links[l.host]
	}
	n.dials++
	local := Addr(fmt.Sprintf("client-%d:1", n.dials))
	n.mu.Unlock()

	if link.Connect > 0 {
		t := time.NewTimer(link.Connect)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return fail(ctx.Err())
		}
	}
	if l == nil {
		return fail(syscall.ECONNREFUSED)
	}
	client, server := n.connect(local, Addr(addr), link)
	if !l.offer(server) {
		client.abort()
		server.abort()
		return fail(syscall.ECONNREFUSED)
	}
	return client, nil
}

// connect makes the two ends of a connection.
func (n *Net) connect(local, remote Addr, link Link) (client, server *Conn) {
	up, down := newPipe(link.Up, link), newPipe(link.Down, link)
	client = &Conn{net: n, in: down, out: up, local: local, remote: remote}
	server = &Conn{net: n, in: up, out: down, local: remote, remote: local}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns[client], n.conns[server] = struct{}{}, struct{}{}
	return client, server
}

// Serve answers HTTP requests to host with h until the network is closed.
func (n *Net) Serve(host string, h http.Handler) {
	l := n.Listen(host)
	go func() { _ = (&http.Server{Handler: h}).Serve(l) }() // until l is closed
}

// Close closes every listener and connection. Dials fail from then on.
func (n *Net) Close() error {
	n.mu.Lock()
	n.closed = true
	listeners, conns := slices.Collect(maps.Values(n.listeners)), slices.Collect(maps.Keys(n.conns))
	n.mu.Unlock()
	var errs []error
	for _, l := range listeners {
		errs = append(errs, l.Close())
	}
	for _, c := range conns {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Client returns an HTTP client whose connections go through n. It keeps connections alive; closing n, or the
// client's CloseIdleConnections, ends them.
func Client(n *Net) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: n.DialContext}}
}

type listener struct {
	net  *Net
	host string

	mu      sync.Mutex
	changed sync.Cond
	backlog []*Conn // open, not yet accepted
	closed  bool
}

// offer queues c for Accept; false: the listener is closed.
func (l *listener) offer(c *Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.backlog = append(l.backlog, c)
	l.changed.Broadcast()
	return true
}

func (l *listener) Accept() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.closed && len(l.backlog) == 0 {
		l.changed.Wait()
	}
	if l.closed {
		return nil, &net.OpError{Op: "accept", Net: networkName, Addr: l.Addr(), Err: net.ErrClosed}
	}
	c := l.backlog[0]
	l.backlog = l.backlog[1:]
	return c, nil
}

// Close refuses further connections and resets those that were not accepted.
func (l *listener) Close() error {
	l.net.mu.Lock()
	if l.net.listeners[l.host] == l {
		delete(l.net.listeners, l.host)
	}
	l.net.mu.Unlock()

	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.changed.Broadcast()
	for _, c := range l.backlog {
		c.abort()
	}
	l.backlog = nil
	return nil
}

func (l *listener) Addr() net.Addr { return Addr(l.host) }
