package window

import (
	"math"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tui/keys"
)

const s = time.Second

func TestAZoomIsTakenBackAndAPanIsNot(t *testing.T) {
	w := New(16 * s)
	w.Move(keys.ZoomIn, 1, 0, 4*s)
	if w.From != time.Second || w.To != 9*s {
		t.Errorf("zoomed in round 2 s: %v to %v", w.From, w.To)
	}
	w.Move(keys.PanRight, 1, 0, 0)
	w.Show(4*s, 5*s)
	w.Move(keys.ZoomUndo, 1, 0, 0)
	if w.From != 3*s || w.To != 11*s {
		t.Errorf("the last zoom taken back: %v to %v, want 3s to 11s", w.From, w.To)
	}
	w.Move(keys.ZoomUndo, 5, 0, 0)
	if w.Zoomed() {
		t.Errorf("all zooms taken back: %v to %v", w.From, w.To)
	}
}

func TestAWindowStaysWithinTheWholeWhateverIsAsked(t *testing.T) {
	for _, whole := range []time.Duration{0, 1, 99, 16 * s, math.MaxInt64} {
		w := New(whole)
		for i, a := range []keys.Action{keys.ZoomIn, keys.PanLeft, keys.ZoomSpan, keys.PanRight, keys.ZoomOut, keys.ZoomIn, keys.ZoomReset, keys.ZoomUndo} {
			for range 50 {
				w.Move(a, i*7, -s, whole/3)
				if w.From < 0 || w.From >= w.To || w.To > max(whole, 1) {
					t.Fatalf("of %v, after %v: %v to %v", whole, a, w.From, w.To)
				}
			}
		}
	}
}

func TestAWholeViewGrowsWithItsRunAndAZoomStays(t *testing.T) {
	w := New(4 * s)
	w.Grow(8 * s)
	if w.To != 8*s {
		t.Errorf("it was all and is %v of 8s", w.To)
	}
	w.Show(s, 2*s)
	w.Grow(16 * s)
	if w.From != s || w.To != 2*s {
		t.Errorf("a zoom moved to %v to %v", w.From, w.To)
	}
}
