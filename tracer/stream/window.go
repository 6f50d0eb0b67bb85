package stream

import "time"

// A Window is a stretch in which the model reasoned without showing it. It is inferred from where its reasoning item or block
// opened and closed.
type Window struct {
	From, To time.Duration
}

// A window follows the reasoning item or block that is open.
type window struct {
	past []Window // those that showed no text, in order
	open bool
	from time.Duration
}

func (w *window) begin(at time.Duration) {
	w.end(at)
	w.open, w.from = true, at
}

func (w *window) end(at time.Duration) {
	if w.open && at > w.from {
		w.past = append(w.past, Window{w.from, at})
	}
	w.open = false
}

// output notes generated output: reasoning that shows is no hidden reasoning, and anything else ends it.
func (w *window) output(at time.Duration, kind int) {
	if kind == reasoning {
		w.open = false
		return
	}
	w.end(at)
}

// list returns the windows, the one that is open as of now.
func (w *window) list(now time.Duration) []Window {
	if w.open && now > w.from {
		return append(w.past[:len(w.past):len(w.past)], Window{w.from, now})
	}
	return w.past
}
