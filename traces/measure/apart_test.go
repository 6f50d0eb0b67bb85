package measure

import (
	"testing"
	"time"
)

func TestApart(t *testing.T) {
	seen := func(low, high float64, from, to time.Duration) *Group {
		return &Group{Success: &Rate{(low + high) / 2, low, high}, TimeToCorrect: Times{Low: &from, High: &to}}
	}
	for _, c := range []struct {
		name            string
		a, b            *Group
		oftener, sooner bool
	}{
		{"intervals apart", seen(0.8, 0.9, 1, 2), seen(0.5, 0.7, 3, 4), true, true},
		{"intervals that overlap", seen(0.6, 0.9, 1, 3), seen(0.5, 0.7, 3, 4), false, false},
		{"nothing known", &Group{}, &Group{}, false, false},
		{"open above", &Group{TimeToCorrect: Times{Low: new(time.Duration)}}, seen(0, 1, 3, 4), false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := MoreOften(c.a, c.b); got != c.oftener {
				t.Errorf("more often: got %v", got)
			}
			if got := Sooner(c.a, c.b); got != c.sooner {
				t.Errorf("sooner: got %v", got)
			}
		})
	}
}
