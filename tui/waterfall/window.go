package waterfall

import (
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/tui/keys"
)

// A window is the part of a run's time that is in view: 0 <= from < to <= whole.
type window struct {
	from, to time.Duration
	whole    time.Duration // above 0
}

// narrowest is the least time that can be zoomed into; a nanosecond is what is recorded.
const narrowest = 100 * time.Nanosecond

func (w *window) reset() { w.from, w.to = 0, w.whole }

func (w window) zoomed() bool { return w.from > 0 || w.to < w.whole }

// grow takes the run's new length.
func (w *window) grow(whole time.Duration) {
	zoomed := w.zoomed()
	w.whole = whole
	if zoomed {
		w.set(w.from, w.to-w.from)
	} else {
		w.reset()
	}
}

// move zooms by factors of two round the part of the selected span that is in view, and pans by quarters.
func (w *window) move(action keys.Action, n int, selected *traces.Span) {
	size := w.to - w.from
	switch action {
	case keys.ZoomReset:
		w.reset()
	case keys.ZoomSpan:
		margin := selected.Duration() / 20
		w.set(selected.Start-margin, selected.Duration()+2*margin)
	case keys.PanLeft:
		w.set(w.from-time.Duration(min(n, 1000))*(size/4), size)
	case keys.PanRight:
		w.set(w.from+time.Duration(min(n, 1000))*(size/4), size)
	case keys.ZoomIn, keys.ZoomOut:
		centre := w.from + size/2
		if from, to := max(w.from, selected.Start), min(w.to, selected.End); from < to {
			centre = from + (to-from)/2
		}
		left := float64(centre-w.from) / float64(size)
		for range min(n, 64) {
			if action == keys.ZoomIn {
				size = max(size/2, 1)
			} else {
				size = min(size, w.whole) * 2
			}
		}
		size = min(max(size, narrowest), w.whole)
		w.set(centre-time.Duration(left*float64(size)), size)
	}
}

// set shows size from from on, moved and cut so that it lies within the run.
func (w *window) set(from, size time.Duration) {
	size = max(1, min(max(size, narrowest), w.whole))
	w.from = max(0, min(from, w.whole-size))
	w.to = w.from + size
}
