package otlp

import (
	"cmp"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/seed46266073/longpole/traces"
)

// A piece is a part of a long text, from one line that can begin a document to before another one.
//
// Whether a document does begin there shows when the piece before is read: if that ended between two documents, then a reader that
// came all the way from the beginning of the text would stand between them too, and would see from there what the piece's own
// reader sees. If it did not, the piece and all after it are read anew, one document after another.
type piece struct {
	text  []byte
	line  int           // at which it begins
	found *reader       // nil until done
	whole bool          // it ends between two documents
	done  chan struct{} // closed when it has been read
}

// pieceSize is how many bytes a piece has, about. A shorter text is read in one go.
const pieceSize = 512 << 10

// readAll reads src to its end, several pieces of about size bytes at once.
func (r *reader) readAll(src io.Reader, size int) error {
	w := newWindow(src)
	defer w.release()
	var (
		queue   []*piece // being read, in the order of the text
		parts   [][]traces.Record
		running sync.WaitGroup
		next    = r.line // at which the window begins
		known   = r.resources
	)
	defer running.Wait()
	for {
		for len(queue) <= runtime.GOMAXPROCS(0) && w.reach(size) {
			p := &piece{text: w.cut(), line: next, done: make(chan struct{})}
			next += lineFeeds(p.text)
			queue = append(queue, p)
			running.Go(func() { p.read(known) }) // not r: it goes on without the last ones
		}
		if len(queue) == 0 {
			break
		}
		p := queue[0]
		if <-p.done; !p.whole {
			next = p.line
			w.putBack(queue)
			break
		}
		queue = queue[1:]
		parts = append(parts, p.found.records)
		r.join(p.found)
	}
	r.line = next
	r.read(w)
	r.reportDamage()
	if len(parts) > 0 {
		r.records = slices.Concat(append(parts, r.records)...)
	}
	return w.err
}

func (p *piece) read(known *resources) {
	defer close(p.done)
	p.found = newReader(known)
	defer p.found.pool.release()
	p.found.line = p.line
	p.whole = p.found.read(&window{text: p.text, done: true, part: true})
}

// join adds what a piece holds beside its records.
func (r *reader) join(p *reader) {
	r.problems = append(r.problems, p.problems...)
	r.documents += p.documents
	r.signals.join(p.signals)
	r.others.join(p.others)
	r.nameless.join(p.nameless)
	r.garbage = cmp.Or(r.garbage, p.garbage)
}

func (s *seen) join(later seen) {
	if s.count == 0 {
		s.what, s.firstLine = later.what, later.firstLine
	}
	s.count += later.count
}
