package otlp

import (
	"errors"
	"fmt"
	"io"

	"github.com/seed46266073/longpole/traces"
)

// ErrNotOTLP is wrapped by the errors of Read about input that holds no OTLP spans at all.
var ErrNotOTLP = errors.New("not OTLP/JSON spans")

// Read reads OTLP/JSON until the end of src: one document, JSON lines, or documents one after another, pretty-printed
// or not, alone or in arrays. A document holds its spans under resourceSpans or batches, at its top or within result
// or trace. The records come in the order of the text, repeated attributes and repeated spans included. Records of
// equal resources share one Resource; otherwise a record shares memory with nothing but other records' strings.
//
// A document that is damaged or cut off is left out and listed as a problem with its line; at the end of the text the
// whole spans before the cut are kept. Documents of other kinds and spans without an id are left out and listed too.
// The error is non-nil if src failed, the records then being those read before, or if the text holds something else
// than OTLP spans (ErrNotOTLP). Empty input is no error.
//
// Long text is read in pieces by several goroutines; the answer is the same. Of the text a few megabytes are held in
// memory, or the largest document.
func Read(src io.Reader) ([]traces.Record, []traces.Problem, error) {
	r := newReader(&resources{})
	defer r.pool.release()
	err := r.readAll(src, pieceSize)
	if err == nil {
		err = r.verdict()
	}
	return r.records, r.problems, err
}

// A reader collects what documents hold.
type reader struct {
	in        cursor
	line      int // of the document being read
	records   []traces.Record
	problems  []traces.Problem
	pool      *pool
	ids       *slab
	attrs     traces.Attrs // of the last records, one after another
	resources *resources
	began     beginning     // of the document being read
	preamble  preamble      // of the last one that had one
	scratch   []traces.Attr // the lists of attributes that are being read, the innermost last

	documents int    // of a kind that can hold spans
	signals   seen   // documents with logs or metrics
	others    seen   // documents of other kinds
	nameless  seen   // spans without an id
	damage    damage // the damaged lines before the document being read
	garbage   string // the first damage that is not just a cut
}

// seen counts things that are left out.
type seen struct {
	count     int
	what      string // the first one
	firstLine int
}

func (s *seen) add(what string, line int) {
	if s.count++; s.count == 1 {
		s.what, s.firstLine = what, line
	}
}

// damage is a stretch of lines that could not be read.
type damage struct {
	err      error // nil: there is none
	from, to int
	kept     int // whole spans before a cut
}

func newReader(known *resources) *reader {
	return &reader{line: 1, pool: newPool(), ids: &slab{}, resources: known}
}

// read reads documents one after another. After a damaged one it goes on at the next line that can begin one. It reports whether the
// text ended between two documents.
func (r *reader) read(w *window) (whole bool) {
	r.records = make([]traces.Record, 0, min(lineFeeds(w.text), len(w.text)/leastSpan)) // mostly a line is a span
	for {
		r.line += w.drop(blank(w.text))
		if len(w.text) == 0 {
			if !w.more() {
				return r.damage.err == nil
			}
			continue
		}
		before := *r
		r.in = cursor{text: w.text, buf: r.in.buf}
		r.document()
		switch err := r.in.err; {
		case err == nil:
			r.reportDamage()
			r.line += w.drop(r.in.at)
		case errors.Is(err, errCut) && w.more(): // the window was too small, and is larger now
			*r = before
		case errors.Is(err, errCut) && w.part:
			return false
		default:
			r.line += w.drop(r.leaveOut(w, err, before))
		}
	}
}

// leastSpan is about how many bytes a span takes at least.
const leastSpan = 256

// leaveOut goes back to before a document that turned out to be damaged, and returns where to go on. Only of one that
// the end of the source cuts off, what was whole is kept.
func (r *reader) leaveOut(w *window, err error, before reader) (next int) {
	next = nextDocument(w.text)
	for next == len(w.text) && w.more() {
		next = nextDocument(w.text)
	}
	if !errors.Is(err, errCut) || next < len(w.text) {
		*r = before
	}
	if r.damage.err == nil {
		r.damage = damage{err: err, from: r.line}
	}
	r.damage.to = r.line
	r.damage.kept = len(r.records) - len(before.records)
	return next
}

// reportDamage lists the stretch of damaged lines that ends here, if there is one.
func (r *reader) reportDamage() {
	d := r.damage
	if d.err == nil {
		return
	}
	where := fmt.Sprintf("line %d", d.from)
	if d.to > d.from {
		where = fmt.Sprintf("lines %d to %d", d.from, d.to)
	}
	did := "skipped"
	if d.kept > 0 {
		did = fmt.Sprintf("kept the whole spans before the cut (%d)", d.kept)
	}
	r.problem(traces.UnreadableLine, "", "%s: %v; %s", where, d.err, did)
	if r.garbage == "" && !errors.Is(d.err, errCut) {
		r.garbage = fmt.Sprintf("%s: %v", where, d.err)
	}
	r.damage = damage{}
}

// verdict lists what was left out and returns an error if nothing but that was there.
func (r *reader) verdict() error {
	if len(r.records) == 0 {
		switch s, n, o := r.signals, r.nameless, r.others; {
		case s.count > 0:
			return fmt.Errorf("line %d holds OTLP %s, %w; export the traces", s.firstLine, s.what, ErrNotOTLP)
		case n.count > 0:
			return fmt.Errorf("line %d: the spans have no ids, %w; are they log records that were sent to a trace endpoint?", n.firstLine, ErrNotOTLP)
		case r.documents == 0 && o.count > 0:
			return fmt.Errorf("line %d holds %s, %w", o.firstLine, o.what, ErrNotOTLP)
		case r.documents == 0 && r.garbage != "":
			return fmt.Errorf("%s, %w", r.garbage, ErrNotOTLP)
		}
	}
	if s := r.signals; s.count > 0 {
		r.problem(traces.UnreadableLine, "", "line %d: OTLP %s among the spans; skipped (%d in all)", s.firstLine, s.what, s.count)
	}
	if s := r.others; s.count > 0 {
		r.problem(traces.UnreadableLine, "", "line %d: %s; skipped (%d in all)", s.firstLine, s.what, s.count)
	}
	if s := r.nameless; s.count > 0 {
		r.problem(traces.MissingData, "", "line %d: a span without an id; skipped (%d in all)", s.firstLine, s.count)
	}
	return nil
}

func (r *reader) problem(code traces.ProblemCode, span, format string, args ...any) {
	r.problems = append(r.problems, traces.Problem{Code: code, SpanID: span, Message: fmt.Sprintf(format, args...)})
}
