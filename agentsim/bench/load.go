package bench

import (
	"context"
	"math/rand/v2"
	"strconv"
	"time"
)

// A Load is how runs come.
//
// In a closed loop each of some users begins its next run when its last one has ended. In an open loop runs are begun at a rate,
// however long others take, as people come to a service: a server that falls behind is not spared. There a run's wait until it
// could begin is recorded with it (longpole.intended_start_unix_ns).
type Load struct {
	Users int     // 0: 1. With a Rate: how many runs may go on at the same time; 0: any number
	Rate  float64 // runs a second, of recorded time; 0: a closed loop
	Even  bool    // with a Rate: equal gaps, else those of a Poisson process
}

// Rates, in runs a second of recorded time: even the longest gap between two, at the slowest speed, is a time.Duration.
const (
	leastRate = 1.0 / (24 * 60 * 60)
	mostRate  = 1e6
)

// tags say which load it is.
func (l Load) tags() map[string]string {
	tags := map[string]string{}
	if l.Rate > 0 {
		tags["rate"] = plain(l.Rate) + "/s"
	}
	if l.Rate == 0 || l.Users > 0 {
		tags["concurrency"] = strconv.Itoa(max(l.Users, 1))
	}
	return tags
}

// width is how many of n runs may go on at the same time.
func (l Load) width(n int) int {
	if l.Rate > 0 && l.Users == 0 {
		return n
	}
	return max(l.Users, 1)
}

// gap returns the recorded time between the start of the n-th run of a plan and the start before it; the same for the same seed.
func (l Load) gap(seed int64, n int) time.Duration {
	gap := 1 / l.Rate
	if !l.Even {
		gap *= rand.New(rand.NewPCG(uint64(seed), uint64(n)<<8|0x67)).ExpFloat64()
	}
	return time.Duration(gap * float64(time.Second))
}

// sleepUntil waits for an instant of the real clock, or until ctx is done, whose cause it then returns.
func sleepUntil(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
