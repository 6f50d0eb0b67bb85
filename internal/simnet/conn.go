package simnet

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

const networkName = "sim"

// An Addr is a name on the network, mostly "name:port".
type Addr string

// Network returns "sim".
func (Addr) Network() string { return networkName }

// String returns the name.
func (a Addr) String() string { return string(a) }

// A Conn is one end of a connection. Besides net.Conn's it has the methods of *net.TCPConn that HTTP servers and fault
// injection use. Errors are *net.OpError around the same values as TCP's: io.EOF (bare), net.ErrClosed,
// os.ErrDeadlineExceeded, syscall.ECONNRESET, syscall.EPIPE.
type Conn struct {
	net           *Net
	in, out       *pipe
	local, remote Addr

	mu       sync.Mutex
	resetsOn bool // Close resets
}

// Read returns bytes that have arrived, of one Write at most. Bytes that were sent before a reset can still be read.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := c.in.read(b)
	return n, c.wrap("read", err)
}

// Write returns when the last byte has left: at once without a rate, unless the buffer is full.
func (c *Conn) Write(b []byte) (int, error) {
	n, err := c.out.write(b)
	return n, c.wrap("write", err)
}

// Close ends both directions: the other side reads what was written and then the end, and its writes fail.
func (c *Conn) Close() error {
	c.mu.Lock()
	reset := c.resetsOn
	c.mu.Unlock()
	if reset {
		c.abort()
		return nil
	}
	c.close(io.EOF)
	return nil
}

// abort resets the connection.
func (c *Conn) abort() { c.close(syscall.ECONNRESET) }

func (c *Conn) close(end error) {
	c.out.closeWrite(end)
	c.out.closeLocal(&c.out.writer)
	c.in.closeLocal(&c.in.reader)
	if !errors.Is(end, io.EOF) {
		c.in.refuse(syscall.ECONNRESET)
	} else {
		c.in.refuse(syscall.EPIPE)
	}
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	delete(c.net.conns, c)
}

// CloseWrite ends this side's direction; it can still read.
func (c *Conn) CloseWrite() error {
	c.out.closeWrite(io.EOF)
	return nil
}

// CloseRead makes this side's reads end at once and the other side's writes fail.
func (c *Conn) CloseRead() error {
	c.in.closeLocal(&c.in.reader)
	c.in.refuse(syscall.EPIPE)
	return nil
}

// SetLinger with 0 makes Close reset the connection, as it does for TCP; other values are without effect.
func (c *Conn) SetLinger(seconds int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resetsOn = seconds == 0
	return nil
}

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the other end.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.reader, t)
	c.out.setDeadline(&c.out.writer, t)
	return nil
}

// SetReadDeadline makes reads that are still waiting at t fail; the zero time means never.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.reader, t)
	return nil
}

// SetWriteDeadline makes writes that are still waiting at t fail; the zero time means never.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.out.setDeadline(&c.out.writer, t)
	return nil
}

func (c *Conn) wrap(op string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return &net.OpError{Op: op, Net: networkName, Source: c.local, Addr: c.remote, Err: err}
}

// A side is one user of a pipe.
type side struct {
	deadline time.Time
	closed   bool
}

func (s *side) err() error {
	switch {
	case s.closed:
		return net.ErrClosed
	case !s.deadline.IsZero() && !time.Now().Before(s.deadline):
		return os.ErrDeadlineExceeded
	}
	return nil
}

// A pipe is one direction of a connection.
type pipe struct {
	latency time.Duration
	rate    int64 // bytes per second, 0: no limit
	limit   int   // bytes

	mu             sync.Mutex
	changed        sync.Cond
	reader, writer side
	sent           []segment // by arrival, first unread
	size           int       // bytes in sent
	lineFree       time.Time // when the last byte so far has left
	writing        bool      // a Write is under way, others wait: writes do not mix
	end            error     // what the reader gets after sent: io.EOF or ECONNRESET; nil while open
	endAt          time.Time // when it arrives
	refused        error     // what the writer gets since the reader is gone
}

type segment struct {
	data []byte
	at   time.Time // when its last byte arrives
}

func newPipe(rate int64, l Link) *pipe {
	p := &pipe{latency: l.Latency, rate: rate, limit: l.Buffer}
	if p.limit <= 0 {
		p.limit = 64 << 10
	}
	p.changed.L = &p.mu
	return p
}

func (p *pipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if err := p.reader.err(); err != nil {
			return 0, err
		}
		if len(b) == 0 {
			return 0, nil
		}
		next := p.endAt
		if len(p.sent) > 0 {
			next = p.sent[0].at
		} else if p.end == nil {
			p.wait(p.reader.deadline)
			continue
		}
		if time.Now().Before(next) {
			p.wait(earlier(p.reader.deadline, next))
			continue
		}
		if len(p.sent) == 0 {
			return 0, p.end
		}
		s := &p.sent[0]
		n := copy(b, s.data)
		p.size -= n
		if s.data = s.data[n:]; len(s.data) == 0 {
			p.sent[0] = segment{}
			p.sent = p.sent[1:]
		}
		p.changed.Broadcast()
		return n, nil
	}
}

func (p *pipe) write(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.writing {
		if err := p.writeErr(); err != nil {
			return 0, err
		}
		p.wait(p.writer.deadline)
	}
	p.writing = true
	defer func() {
		p.writing = false
		p.changed.Broadcast()
	}()
	for {
		if err := p.writeErr(); err != nil {
			return n, err
		}
		now := time.Now()
		switch {
		case now.Before(p.lineFree):
			p.wait(earlier(p.writer.deadline, p.lineFree))
		case n == len(b):
			return n, nil
		case p.size == p.limit:
			p.wait(p.writer.deadline)
		default:
			part := b[n:min(len(b), n+p.limit-p.size)]
			p.lineFree = now.Add(p.transmission(len(part)))
			p.sent = append(p.sent, segment{append([]byte(nil), part...), p.lineFree.Add(p.latency)})
			p.size += len(part)
			n += len(part)
			p.changed.Broadcast()
		}
	}
}

func (p *pipe) transmission(bytes int) time.Duration {
	if p.rate <= 0 {
		return 0
	}
	return time.Duration(int64(bytes) * int64(time.Second) / p.rate) // bytes are a buffer's worth at most
}

func (p *pipe) writeErr() error {
	if err := p.writer.err(); err != nil {
		return err
	}
	if p.end != nil {
		return syscall.EPIPE
	}
	return p.refused
}

// closeWrite lets the reader have end after what was sent.
func (p *pipe) closeWrite(end error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end == nil {
		p.end = end
		p.endAt = time.Now().Add(p.latency)
		if n := len(p.sent); n > 0 && p.sent[n-1].at.After(p.endAt) {
			p.endAt = p.sent[n-1].at
		}
	}
	p.changed.Broadcast()
}

// refuse tells the writer, with err, that nobody reads any more.
func (p *pipe) refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused == nil {
		p.refused = err
	}
	p.changed.Broadcast()
}

func (p *pipe) closeLocal(s *side) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.closed = true
	p.changed.Broadcast()
}

func (p *pipe) setDeadline(s *side, t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.deadline = t
	p.changed.Broadcast()
}

// wait returns when something changed or at until, whichever is first; zero means no limit. p.mu is held.
func (p *pipe) wait(until time.Time) {
	if !until.IsZero() {
		t := time.AfterFunc(time.Until(until), func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.changed.Broadcast()
		})
		defer t.Stop()
	}
	p.changed.Wait()
}

// earlier returns the earlier of a deadline, zero for none, and t.
func earlier(deadline, t time.Time) time.Time {
	if deadline.IsZero() || t.Before(deadline) {
		return t
	}
	return deadline
}
