// Package window is the part of a stretch of time that a screen shows: it zooms, pans and can take a zoom back.
//
// Always 0 <= From < To <= the whole, and what is shown is at least 100 ns, or the whole if that is shorter.
package window

import (
	"time"

	"github.com/seed46266073/longpole/tui/keys"
)

// A Window is what is shown. Make it with New.
type Window struct {
	From, To time.Duration
	whole    time.Duration // above 0
	before   []interval    // what was shown before each zoom, the last one last
}

type interval struct{ from, to time.Duration }

// narrowest is the least time that can be zoomed into; a nanosecond is what is recorded.
const narrowest = 100 * time.Nanosecond

// New returns a window that shows all of whole.
func New(whole time.Duration) Window {
	whole = max(whole, 1)
	return Window{To: whole, whole: whole}
}

// Whole returns how much there is to show.
func (w *Window) Whole() time.Duration { return w.whole }

// Zoomed reports whether only a part is shown.
func (w *Window) Zoomed() bool { return w.From > 0 || w.To < w.whole }

// Grow takes a new whole. What was shown stays so; all of it, if it was all.
func (w *Window) Grow(whole time.Duration) {
	zoomed := w.Zoomed()
	w.whole = max(whole, 1)
	if zoomed {
		w.set(w.From, w.To-w.From)
	} else {
		w.From, w.To = 0, w.whole
	}
}

// Move does what action asks for and reports whether it is about time at all: it zooms by factors of two round the part of from to to
// that is shown, or to it, and pans by quarters.
func (w *Window) Move(action keys.Action, n int, from, to time.Duration) bool {
	size, n := w.To-w.From, max(1, min(n, 1000))
	switch action {
	case keys.ZoomReset:
		w.Show(0, w.whole)
	case keys.ZoomUndo:
		for range min(n, len(w.before)) {
			last := w.before[len(w.before)-1]
			w.before = w.before[:len(w.before)-1]
			w.set(last.from, last.to-last.from)
		}
	case keys.ZoomSpan:
		margin := (to - from) / 20
		w.Show(from-margin, to+margin)
	case keys.PanLeft:
		w.set(w.From-time.Duration(n)*(size/4), size)
	case keys.PanRight:
		w.set(w.From+time.Duration(n)*(size/4), size)
	case keys.ZoomIn, keys.ZoomOut:
		centre := w.From + size/2
		if from, to := max(w.From, from), min(w.To, to); from < to {
			centre = from + (to-from)/2
		}
		left := float64(centre-w.From) / float64(size)
		for range min(n, 64) {
			if action == keys.ZoomIn {
				size = max(size/2, 1)
			} else {
				size = min(size, w.whole) * 2
			}
		}
		size = min(max(size, narrowest), w.whole)
		start := centre - time.Duration(left*float64(size))
		w.Show(start, start+size)
	default:
		return false
	}
	return true
}

// remembered is how many zooms can be taken back.
const remembered = 100

// Show zooms to from to to, as far as there is so much.
func (w *Window) Show(from, to time.Duration) {
	was := interval{w.From, w.To}
	w.set(from, to-from)
	if was == (interval{w.From, w.To}) {
		return
	}
	if len(w.before) == remembered {
		w.before = append(w.before[:0], w.before[1:]...)
	}
	w.before = append(w.before, was)
}

// Centre pans so that at is in the middle, or as near to it as it can be.
func (w *Window) Centre(at time.Duration) { w.set(at-(w.To-w.From)/2, w.To-w.From) }

// set shows size from from on, moved and cut so that it lies within the whole.
func (w *Window) set(from, size time.Duration) {
	size = max(1, min(max(size, narrowest), w.whole))
	w.From = max(0, min(from, w.whole-size))
	w.To = w.From + size
}
