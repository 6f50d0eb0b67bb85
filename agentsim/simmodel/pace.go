package simmodel

import (
	"context"
	"time"
)

// A pace keeps the time of one request.
type pace struct {
	received time.Time
	speed    float64
	late     time.Duration // the most by which a wait ended after its time, real
}

// elapsed returns the real time since the request was received.
func (p *pace) elapsed() time.Duration { return time.Since(p.received) }

// now returns the modelled time since the request was received.
func (p *pace) now() time.Duration {
	if p.speed == 1 {
		return p.elapsed()
	}
	return time.Duration(float64(p.elapsed()) * p.speed)
}

// wait returns at the modelled time due, or at once if that has passed, with the real time since the request was
// received; or with an error as soon as ctx ends.
func (p *pace) wait(ctx context.Context, due time.Duration) (time.Duration, error) {
	if p.speed != 1 {
		due = time.Duration(float64(due) / p.speed)
	}
	if d := due - p.elapsed(); d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	now := p.elapsed()
	p.late = max(p.late, now-due)
	return now, nil
}
