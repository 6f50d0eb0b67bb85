package proxy

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"iter"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// decoders open a content coding for reading. Each must give what the bytes so far hold before it asks for more.
var decoders = map[string]func(*bufio.Reader) (io.Reader, error){
	"gzip":    newGzip,
	"x-gzip":  newGzip,
	"deflate": newDeflate,
	"br":      func(in *bufio.Reader) (io.Reader, error) { return brotli.NewReader(in), nil },
	"zstd":    newZstd,
}

// An inflater undoes a content coding as the bytes come, so that what they hold can be given the time at which it arrived.
type inflater struct {
	in   []byte
	next func() (struct{}, bool)
	stop func()
	err  error
}

// newInflater returns an inflater that gives what it reads to emit; nil if the coding is not known.
func newInflater(coding string, emit func([]byte)) *inflater {
	open := decoders[coding]
	if open == nil {
		return nil
	}
	z := &inflater{}
	// Readers pull and bytes are pushed: the reader runs as a coroutine that is left whenever it asks for more than there is.
	z.next, z.stop = iter.Pull(func(yield func(struct{}) bool) {
		z.err = copyTo(emit, open, bufio.NewReader(&suspending{z, yield}))
	})
	return z
}

// A suspending reader reads what has been pushed.
type suspending struct {
	*inflater
	yield func(struct{}) bool
}

func (s *suspending) Read(p []byte) (int, error) {
	for len(s.in) == 0 {
		if !s.yield(struct{}{}) {
			return 0, io.EOF
		}
	}
	n := copy(p, s.in)
	s.in = s.in[n:]
	return n, nil
}

func copyTo(emit func([]byte), open func(*bufio.Reader) (io.Reader, error), in *bufio.Reader) error {
	r, err := open(in)
	if err != nil {
		return err
	}
	buf := make([]byte, 8<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			emit(buf[:n])
		}
		if err != nil {
			return err
		}
	}
}

// push takes the next bytes and emits what they complete. The error says that the rest cannot be read; bytes that follow the
// end of what was encoded are not an error.
func (z *inflater) push(p []byte) error {
	z.in = p
	if _, more := z.next(); !more && !errors.Is(z.err, io.EOF) {
		return z.err
	}
	return nil
}

// close ends the coroutine.
func (z *inflater) close() { z.stop() }

// inflateAll undoes the coding of a whole body. Of one that is cut short, or larger than maxRequest, it returns the beginning.
// ok is false if the coding is not known or the bytes are not of it.
func inflateAll(coding string, body []byte) (plain []byte, ok bool) {
	if coding == "" || len(body) == 0 {
		return body, true
	}
	open := decoders[coding]
	if open == nil {
		return nil, false
	}
	r, err := open(bufio.NewReader(bytes.NewReader(body)))
	if err != nil {
		return nil, false
	}
	plain, err = io.ReadAll(io.LimitReader(r, maxRequest))
	return plain, err == nil || len(plain) > 0
}

// A gzipReader reads the members of a gzip file one by one: what a member holds is given before the head of the next is
// awaited.
type gzipReader struct {
	in *bufio.Reader
	z  *gzip.Reader
}

func newGzip(in *bufio.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &gzipReader{in, z}, nil
}

func (g *gzipReader) Read(p []byte) (int, error) {
	for {
		n, err := g.z.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return n, err
		}
		if err := g.z.Reset(g.in); err != nil {
			return 0, err
		}
		g.z.Multistream(false)
	}
}

// newDeflate reads deflate with the zlib wrapper that the standard asks for, or bare, as some servers send it.
func newDeflate(in *bufio.Reader) (io.Reader, error) {
	start, err := in.Peek(2)
	if err != nil {
		return nil, err
	}
	if start[0]&0x0f == 8 && (int(start[0])<<8|int(start[1]))%31 == 0 {
		return zlib.NewReader(in)
	}
	return flate.NewReader(in), nil
}

// newZstd reads zstd in the caller's goroutine, frame after frame.
func newZstd(in *bufio.Reader) (io.Reader, error) {
	return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRequest))
}
