package tracer

import (
	"math"
	"time"
)

// A clock gives the recorded instants of a run: start + scale × (real − start), from one monotonic reading, so that the
// parts of a run add up whatever happens to the wall clock.
type clock struct {
	start time.Time // with its monotonic reading
	scale float64
	read  func() time.Time
}

func newClock(scale float64, read func() time.Time) clock {
	if scale <= 0 || math.IsInf(scale, 0) || math.IsNaN(scale) {
		scale = 1
	}
	return clock{start: read(), scale: scale, read: read}
}

func (c *clock) now() time.Time { return c.at(c.read()) }

// since returns the recorded time from a recorded instant until now.
func (c *clock) since(recorded time.Time) time.Duration {
	return c.elapsed(c.read()) - recorded.Sub(c.start)
}

// at returns the recorded instant of a real one.
func (c *clock) at(real time.Time) time.Time { return c.start.Round(0).Add(c.elapsed(real)) }

// elapsed returns the recorded time from the start until a real instant.
func (c *clock) elapsed(real time.Time) time.Duration {
	d := real.Sub(c.start)
	if c.scale != 1 {
		d = time.Duration(math.Round(float64(d) * c.scale))
	}
	return d
}
