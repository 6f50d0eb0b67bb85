package otlp

import (
	"bytes"
	"io"
)

// A window is the part of a source that is being looked at: what was dropped is gone, and it grows at its end.
type window struct {
	src  io.Reader
	text []byte // not dropped yet: the end of buf
	buf  []byte
	done bool
	err  error // why the source ended, unless it just did
}

// windowSize is how many bytes a window has room for at first; one that must hold a larger document doubles.
const windowSize = 128 << 10

// more makes the text longer by what follows it in the source, and reports whether there was anything.
func (w *window) more() bool {
	if w.done {
		return false
	}
	buf := w.buf
	if 2*len(w.text) >= cap(buf) {
		buf = make([]byte, 0, max(windowSize, 2*cap(buf)))
	}
	n := copy(buf[:cap(buf)], w.text)
	before := n
	for n < cap(buf) && !w.done {
		k, err := w.src.Read(buf[n:cap(buf)])
		n += k
		if err != nil {
			w.done = true
			if err != io.EOF {
				w.err = err
			}
		}
	}
	w.buf, w.text = buf, buf[:n]
	return n > before
}

// drop takes n bytes off the beginning of the text and returns how many lines end in them.
func (w *window) drop(n int) (lines int) {
	lines = bytes.Count(w.text[:n], []byte("\n"))
	w.text = w.text[n:]
	return lines
}

// blank returns how many bytes at the beginning of a text are white space, a mark of the byte order, or the record
// separator of JSON text sequences.
func blank(text []byte) int {
	return len(text) - len(bytes.TrimLeft(text, " \t\r\n\x1e\ufeff"))
}

// nextDocument returns where the first line after the beginning of a text begins that can begin a document; its length
// if there is none.
func nextDocument(text []byte) int {
	for i := 0; ; i++ {
		line := bytes.IndexByte(text[i:], '\n')
		if line < 0 {
			return len(text)
		}
		i += line
		if i+1 < len(text) && (text[i+1] == '{' || text[i+1] == '[') {
			return i + 1
		}
	}
}
