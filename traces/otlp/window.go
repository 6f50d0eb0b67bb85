package otlp

import (
	"bytes"
	"io"
	"sync"
)

// A window is the part of a source that is being looked at: what was dropped is gone, and it grows at its end.
type window struct {
	src  io.Reader
	text []byte // not dropped yet: the end of buf
	buf  []byte
	done bool  // the source has ended
	part bool  // and yet the text goes on elsewhere
	err  error // why the source ended, unless it just did
}

// windowSize is how many bytes a window has room for at first; one that must hold a larger document doubles.
const windowSize = 128 << 10

// windows are those that are not in use; what they had room for is kept, up to windowKept bytes.
var windows = sync.Pool{New: func() any { return &window{} }}

const windowKept = 4 << 20

func newWindow(src io.Reader) *window {
	w := windows.Get().(*window)
	w.src = src
	return w
}

func (w *window) release() {
	if cap(w.buf) <= windowKept {
		*w = window{buf: w.buf}
		windows.Put(w)
	}
}

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

// reach makes the text at least size bytes long, and longer if no document begins within it but the first; false if the source has not
// that much.
func (w *window) reach(size int) bool {
	for len(w.text) < size || lastDocument(w.text) == 0 {
		if !w.more() {
			return false
		}
	}
	return true
}

// cut takes off a copy of what is before the last document that can begin in the text.
func (w *window) cut() []byte {
	at := lastDocument(w.text)
	text := bytes.Clone(w.text[:at])
	w.text = w.text[at:]
	return text
}

// putBack puts pieces before the text that they were cut off.
func (w *window) putBack(pieces []*piece) {
	var text []byte
	for _, p := range pieces {
		text = append(text, p.text...)
	}
	w.text = append(text, w.text...)
	w.buf = w.text
}

// drop takes n bytes off the beginning of the text and returns how many lines end in them.
func (w *window) drop(n int) (lines int) {
	lines = lineFeeds(w.text[:n])
	w.text = w.text[n:]
	return lines
}

func lineFeeds(text []byte) int { return bytes.Count(text, []byte("\n")) }

// blank returns how many bytes at the beginning of a text are white space, a mark of the byte order, or the record
// separator of JSON text sequences.
func blank(text []byte) int {
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		return 0
	}
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
		if beginsDocument(text, i+1) {
			return i + 1
		}
	}
}

// lastDocument returns where the last such line begins; 0 if there is none.
func lastDocument(text []byte) int {
	for i := len(text); ; {
		i = bytes.LastIndexByte(text[:i], '\n')
		if i < 0 || beginsDocument(text, i+1) {
			return i + 1
		}
	}
}

func beginsDocument(text []byte, i int) bool {
	return i < len(text) && (text[i] == '{' || text[i] == '[')
}
