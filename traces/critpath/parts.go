package critpath

import (
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// A Part is a stretch of a span's own time that can be changed. The parts of a span that nothing joins add up to it, cut where
// something started from inside it. In a span that others join, each stretch between what released a span and its start is a part,
// so where several started side by side, parts overlap.
type Part struct {
	Span      *traces.Span  // whose own time it is
	Next      *traces.Span  // the span that starts after it; nil: the rest until Span's end, or all of a span without others in it
	From, To  time.Duration // as recorded; To < From where Next started before what it waited for had ended, clocks being what they are
	Component traces.Component
	Tool      string // the tool's name where Component is Tool, else ""
	Quality   traces.Quality
}

// own appends the parts of x's own time between two instants, split where its component changes.
func (w *wiring) own(x, next int32, from, to time.Duration) {
	p := Part{Span: w.run.Spans[x], From: from, To: to, Quality: w.run.Spans[x].Quality()}
	if next != none {
		p.Next = w.run.Spans[next]
	}
	if from >= to {
		if from > to || next == none {
			p.Component, p.Tool = w.booking(step{from, x, usual})
			w.parts = append(w.parts, p)
		}
		return
	}
	w.booked = w.book(w.booked[:0], x, from, to)
	for k, s := range slices.Backward(w.booked) {
		p.From, p.To = s.from, to
		if k > 0 {
			p.To = w.booked[k-1].from
		}
		p.Component, p.Tool = w.booking(s)
		w.parts = append(w.parts, p)
	}
}
