package bench

import (
	"math"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/stats"
)

// A Progress is how far a plan is.
type Progress struct {
	Done      int
	Total     int           // of all rounds
	Estimate  bool          // Total is an estimate, since the precision decides; it is what is to be run next at least
	Failed    int           // of Done: without a correct answer, for whatever reason
	Elapsed   time.Duration // real time since the first run began; what was made before the experiment was gone on with is not in it
	Remaining time.Duration // estimate, real time; 0: unknown
	Last      *Run          // the run that has just ended; nil at the beginning, and between rounds
	Precision *Precision    // with Until, after the last complete trial; nil: there is none yet
	Next      time.Time     // when the next round begins, while it is waited for
}

// A tally counts what a plan has done, to tell what remains. The execution's mutex guards it.
type tally struct {
	began     time.Time
	done      int // earlier runs included
	failed    int
	earlier   int
	round     int // being run, from 0
	first     int // round that this process began with
	precision *Precision
	byLoad    map[Load]*pace
}

// A pace is how fast runs of a load are made.
type pace struct {
	done   int           // by this process
	active time.Duration // real time spent on the load, in stretches that have ended
	since  time.Time     // of the stretch being run; zero: none is
}

func (t *tally) paceOf(l Load) *pace {
	if t.byLoad[l] == nil {
		t.byLoad[l] = &pace{}
	}
	return t.byLoad[l]
}

// add counts a run.
func (t *tally) add(r *Run, l Load) {
	t.done++
	if r.Result.Outcome != traces.OK {
		t.failed++
	}
	if r.Before {
		t.earlier++
		return
	}
	t.paceOf(l).done++
}

// trials returns how many trials there will be, as far as can be told.
func (e *execution) trials() int {
	most := e.mostTrials()
	p := e.tally.precision
	switch {
	case e.Until == 0:
		return most
	case p == nil:
		return min(most, e.leastTrials())
	case p.More < 0 && !math.IsInf(p.Width, 1):
		return most
	case p.More < 0:
		return min(most, max(p.Trials+1, e.leastTrials()))
	}
	return min(most, p.Trials+p.More)
}

// leastTrials is how many trials give an interval at all if every run is right.
func (e *execution) leastTrials() int {
	n := len(e.Tasks)
	return (stats.NeededForMedianInterval(level) + n - 1) / n
}

// progress is called with the mutex held.
func (e *execution) progress(last *Run) Progress {
	t := &e.tally
	p := Progress{Done: t.done, Total: max(e.trials()*e.order.size(), t.done), Failed: t.failed, Elapsed: time.Since(t.began), Last: last,
		Precision: t.precision, Estimate: e.Until > 0 && (t.precision == nil || t.precision.More != 0)}
	p.Remaining = e.remaining(p.Total - t.done)
	return p
}

// remaining estimates how long so many runs will take: by load, as long as those so far did, or as long as their arrivals take; and
// no less than until the last round begins and is done.
func (e *execution) remaining(left int) time.Duration {
	t := &e.tally
	if t.done == t.earlier || left == 0 {
		return 0
	}
	rounds := max(e.Rounds, 1)
	inRound := e.order.size() * max(e.Trials, 1)
	whole := e.work(left)
	if rounds == 1 {
		return whole
	}
	if start := t.began.Add(time.Duration(rounds-1-t.first) * e.Every); t.round < rounds-1 {
		return max(whole, time.Until(start)+e.work(inRound))
	}
	return whole
}

// work is how long so many runs take, of all loads alike. In an open loop they end at the rate at which they come.
func (e *execution) work(runs int) time.Duration {
	loads := map[Load]float64{} // share of the runs
	for _, s := range e.order.settings {
		loads[s.load] += 1 / float64(len(e.order.settings))
	}
	var known, share float64 // seconds, and the share of the runs that take them
	for l, of := range loads {
		p := e.tally.byLoad[l]
		each := 0.0
		switch {
		case l.Rate > 0:
			each = 1 / (l.Rate * e.Speed)
		case p == nil || p.done == 0:
			continue
		default:
			active := p.active
			if !p.since.IsZero() {
				active += time.Since(p.since)
			}
			each = active.Seconds() / float64(p.done)
		}
		known += of * float64(runs) * each
		share += of
	}
	if share == 0 {
		return 0
	}
	return time.Duration(known / share * float64(time.Second))
}
