package bench

import (
	"context"
	"errors"
	"sync"
	"time"
)

// An arrival is a run that is to begin.
type arrival struct {
	cell
	intended time.Time // zero: whenever there is a user for it
}

// stretch makes the runs of a batch, under its load.
//
// In a closed loop of a plan with several loads, users for whom no run is left make others that nothing records until the last
// recorded one has ended: its load is then that of the first.
func (e *execution) stretch(ctx context.Context, b batch) error {
	if len(b.cells) == 0 {
		return context.Cause(ctx)
	}
	opened := b.load.Rate > 0
	fill := !opened && len(e.Loads) > 1
	width := b.load.width(len(b.cells))
	if !fill {
		width = min(width, len(b.cells))
	}
	queue := make(chan arrival)
	if opened {
		queue = make(chan arrival, len(b.cells)) // who comes does not wait for who is being served
	}
	filling, stopFilling := context.WithCancel(ctx)
	defer stopFilling()
	e.enter(b.load)
	var recorded, workers sync.WaitGroup
	recorded.Add(width)
	for range width {
		workers.Go(func() {
			for a := range queue {
				if ctx.Err() == nil {
					e.complete(ctx, a)
				}
			}
			recorded.Done()
			for n := 0; fill && filling.Err() == nil && e.fill(filling, b.cells[n%len(b.cells)]); n++ {
			}
		})
	}
	e.feed(ctx, b, queue)
	close(queue)
	recorded.Wait()
	stopFilling()
	workers.Wait()
	e.leave(b.load)
	return context.Cause(ctx)
}

// feed hands the cells out: as they are taken, or at their time.
func (e *execution) feed(ctx context.Context, b batch, queue chan<- arrival) {
	at := time.Now()
	for _, c := range b.cells {
		a := arrival{cell: c}
		if b.load.Rate > 0 {
			at = at.Add(time.Duration(float64(b.load.gap(e.Seed, c.n)) / e.Speed))
			if a.intended = at; sleepUntil(ctx, at) != nil {
				return
			}
		}
		if ctx.Err() != nil {
			return
		}
		select {
		case queue <- a:
		case <-ctx.Done():
			return
		}
	}
}

// enter and leave time what is spent on a load.
func (e *execution) enter(l Load) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tally.paceOf(l).since = time.Now()
}

func (e *execution) leave(l Load) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.tally.paceOf(l)
	p.active += time.Since(p.since)
	p.since = time.Time{}
}

// complete makes the run of an arrival, and counts it. One that could not begin does not count, and is the last, as is one that could
// not be kept whole.
func (e *execution) complete(ctx context.Context, a arrival) {
	r := e.one(ctx, a)
	switch {
	case errors.Is(r.Err, errNotBegun):
		e.stop(r.Err)
		return
	case r.Lost > 0:
		e.stop(ErrNotKept)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.made[r.ID] = r
	e.tally.add(r, a.setting.load)
	e.tell(r)
}
