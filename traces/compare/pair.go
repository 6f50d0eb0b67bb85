package compare

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// A Pair is group B compared with group A: all figures are of B against A.
type Pair struct {
	A, B   *measure.Group
	NA, NB int  // runs whose times were compared: correct ones and those cut off, of the tasks that both did
	Paired bool // compared task by task
	Tasks  int  // that both did, 0 if the runs do not name their tasks
	Method Method

	Ratio, RatioLow, RatioHigh *float64       // of times, b ÷ a; nil where too many were cut off to say or one took no time, Low and High also where too few to bound
	Shift, ShiftLow, ShiftHigh *time.Duration // of times, b - a, likewise
	P                          *float64       // adjusted for the number of pairs; nil if a side has no time
	Verdict                    Verdict
	Smallest                   *float64 // the smallest share by which B could be faster that would have been seen four times in five; nil if unknown
	RunsNeeded                 *int     // of each group, to tell a difference as large as it looks now; nil if it is told, or none is in sight
	Success                    *Rates   // nil if a side does not say how its runs ended

	MeanDifference *time.Duration // of the times of finished, correct runs; nil without such runs on a side
	Causes         []Cause        // largest first; they add up to MeanDifference exactly
	CauseNotes     []string       // what the causes could not tell, a sentence each

	Notes []string // what a reader must know of the comparison, a sentence each
	Text  string   // what it shows, in words

	spread float64 // of the logarithms: within tasks, or of the tasks' differences
	least  float64 // the smallest p that as many runs or tasks can give
}

// A Method is how times were compared.
type Method string

// The methods.
const (
	Ranks       Method = "rank-sum"              // all runs of A with all of B
	RanksByTask Method = "rank-sum within tasks" // runs of A with those of B of the same task
	TaskMeans   Method = "signed-rank of tasks"  // one difference a task
)

// A Verdict says what a pair shows.
type Verdict string

// The verdicts.
const (
	Faster   Verdict = "faster"    // B is
	Slower   Verdict = "slower"    // B is
	NoneSeen Verdict = "none_seen" // no difference seen, though one of Smallest would have been
	TooFew   Verdict = "too_few"   // whatever the runs had shown, it could not have been told
)

// Rates is how much more often B was right than A.
type Rates struct {
	Rate, Low, High float64 // difference, -1 to 1, with its 95 % interval (Newcombe)
	P               float64 // Fisher's, adjusted for the number of pairs
	RunsNeeded      *int    // of each group to tell rates as different as they look; nil if it is told, or they look alike
}

// told reports whether the rates differ beyond doubt.
func (r *Rates) told() bool { return r != nil && r.P <= alpha }

// test compares the times and success of two groups; made is how many pairs there are. P is not adjusted, and nothing concluded yet.
func test(a, b *measure.Group, made int) *Pair {
	p := &Pair{A: a, B: b, Success: rates(a, b)}
	p.noteShared()
	times := p.match()
	logs := logarithms(times)
	for _, s := range times {
		p.NA += s.A.N()
		p.NB += s.B.N()
	}
	if len(times) == 0 {
		return p
	}
	if p.Tasks > 1 && stats.LeastSignedRankP(p.Tasks) <= alpha/float64(max(made, 1)) {
		p.Method = TaskMeans
		p.byTask(times, logs)
	} else {
		p.Method = Ranks
		if len(times) > 1 {
			p.Method = RanksByTask
		}
		p.byRun(times, logs)
	}
	p.Paired = len(times) > 1
	return p
}

// noteShared says how many runs are on both sides, as where a file is compared with itself: these do not differ, whatever the settings do.
func (p *Pair) noteShared() {
	in := map[string]*measure.Run{}
	for _, r := range p.A.Runs {
		in[r.ID] = r
	}
	n := 0
	for _, r := range p.B.Runs {
		if r.ID != "" && in[r.ID] != nil && copies(r, in[r.ID]) {
			n++
		}
	}
	if n > 0 {
		p.Notes = append(p.Notes, traces.FormatCount(n, "run")+" of both are the same: no difference between these is one between settings")
	}
}

// copies reports whether two runs of one id are the same run, read twice.
func copies(a, b *measure.Run) bool {
	if !a.Start.Equal(b.Start) || a.Wall != b.Wall {
		return false
	}
	x, y := maps.Clone(a.Group), maps.Clone(b.Group)
	delete(x, Source)
	delete(y, Source)
	return maps.Equal(x, y)
}

// match returns the times of both groups' correct and cut off runs, task by task where they did the same tasks.
func (p *Pair) match() []stats.Stratum {
	a, b := samples(p.A.Runs), samples(p.B.Runs)
	var tasks []string
	named := false
	for task := range a {
		if b[task].N() > 0 && a[task].N() > 0 {
			tasks = append(tasks, task)
			named = named || task != ""
		}
	}
	slices.SortFunc(tasks, stats.Natural)
	if len(tasks) == 0 {
		all := stats.Stratum{A: pooled(a), B: pooled(b)}
		if all.A.N() == 0 || all.B.N() == 0 {
			return nil
		}
		if len(a) > 1 || len(b) > 1 || a[""].N() == 0 || b[""].N() == 0 {
			p.Notes = append(p.Notes, "they did different tasks: what looks like a difference may be one between tasks")
		}
		return []stats.Stratum{all}
	}
	if named {
		p.Tasks = len(tasks)
	}
	var strata []stats.Stratum
	left := pooled(a).N() + pooled(b).N()
	for _, task := range tasks {
		strata = append(strata, stats.Stratum{A: a[task], B: b[task]})
		left -= a[task].N() + b[task].N()
	}
	if left > 0 {
		p.Notes = append(p.Notes, traces.FormatCount(left, "run")+" of tasks that only one of them got right or ran into the limit in: left out of the comparison of times")
	}
	return strata
}

// samples sorts the times of correct and cut off runs by task, in nanoseconds from the intended start.
func samples(runs []*measure.Run) map[string]stats.Sample {
	by := map[string]stats.Sample{}
	for _, r := range runs {
		task := r.Group["task"]
		s := by[task]
		switch {
		case r.Correct():
			s.Exact = append(s.Exact, float64(r.Time()))
		case r.CutOff():
			s.Above = append(s.Above, float64(r.Time()))
		default:
			continue
		}
		by[task] = s
	}
	return by
}

func pooled(by map[string]stats.Sample) stats.Sample {
	var all stats.Sample
	for _, s := range by {
		all.Exact, all.Above = append(all.Exact, s.Exact...), append(all.Above, s.Above...)
	}
	slices.Sort(all.Exact) // maps have no order
	slices.Sort(all.Above)
	return all
}

// logarithms turns times into logarithms: times are skewed to the right, and ratios become differences.
func logarithms(times []stats.Stratum) []stats.Stratum {
	of := func(xs []float64) []float64 {
		logs := make([]float64, len(xs))
		for i, x := range xs {
			logs[i] = math.Log(max(x, 1))
		}
		return logs
	}
	list := make([]stats.Stratum, len(times))
	for i, s := range times {
		list[i] = stats.Stratum{A: stats.Sample{Exact: of(s.A.Exact), Above: of(s.A.Above)}, B: stats.Sample{Exact: of(s.B.Exact), Above: of(s.B.Above)}}
	}
	return list
}

// byRun compares runs within tasks.
func (p *Pair) byRun(times, logs []stats.Stratum) {
	if v, ok := stats.MannWhitney(logs...); ok {
		p.P = &v
	}
	p.least = stats.LeastP(logs...)
	ratio, _ := stats.HodgesLehmann(level, logs...)
	shift, _ := stats.HodgesLehmann(level, times...)
	p.size(ratio, shift, timeless(times))
	p.spread = within(logs)
}

// byTask compares the means of tasks.
func (p *Pair) byTask(times, logs []stats.Stratum) {
	ratios, shifts := differences(logs), differences(times)
	if v, ok := stats.SignedRank(ratios); ok {
		p.P = &v
	}
	p.least = stats.LeastSignedRankP(len(times))
	ratio, ok := stats.SignedRankShift(level, ratios)
	if !ok {
		return
	}
	shift, _ := stats.SignedRankShift(level, shifts)
	p.size(ratio, shift, timeless(times))
	p.spread = deviation(ratios)
}

// differences returns b - a of each stratum's means; where values were cut off only as far as that bounds it.
func differences(strata []stats.Stratum) []stats.Interval {
	list := make([]stats.Interval, len(strata))
	for i, s := range strata {
		a, b := mean(slices.Concat(s.A.Exact, s.A.Above)), mean(slices.Concat(s.B.Exact, s.B.Above))
		list[i] = stats.Interval{Low: b - a, High: b - a}
		if len(s.A.Above) > 0 {
			list[i].Low = math.Inf(-1)
		}
		if len(s.B.Above) > 0 {
			list[i].High = math.Inf(1)
		}
	}
	return list
}

func mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x / float64(len(xs))
	}
	return sum
}

// within returns the standard deviation within samples; 0 where each has one value. Values that were cut off are taken as they are, which is
// too little spread: where they are the most, it is not known, and infinite.
func within(strata []stats.Stratum) float64 {
	var squares, degrees float64
	exact, above := 0, 0
	for _, s := range strata {
		for _, sample := range []stats.Sample{s.A, s.B} {
			exact, above = exact+len(sample.Exact), above+len(sample.Above)
			xs := slices.Concat(sample.Exact, sample.Above)
			m := mean(xs)
			for _, x := range xs {
				squares += (x - m) * (x - m)
			}
			degrees += float64(len(xs) - 1)
		}
	}
	if above > exact {
		return math.Inf(1)
	}
	return math.Sqrt(squares / max(degrees, 1))
}

// deviation returns the standard deviation of the differences that are known; infinite, as unknown, where most are not.
func deviation(differences []stats.Interval) float64 {
	var known []float64
	for _, d := range differences {
		if d.Low == d.High {
			known = append(known, d.Low)
		}
	}
	if 2*len(known) < len(differences) || len(known) < 2 {
		return math.Inf(1)
	}
	return within([]stats.Stratum{{A: stats.Sample{Exact: known}}})
}

// timeless reports whether a run took no time: nothing is a multiple of it.
func timeless(times []stats.Stratum) bool {
	return slices.ContainsFunc(times, func(s stats.Stratum) bool {
		return slices.ContainsFunc(slices.Concat(s.A.Exact, s.B.Exact), func(t float64) bool { return t <= 0 })
	})
}

// size keeps the estimates as far as they are known.
func (p *Pair) size(ratio, shift stats.Shift, timeless bool) {
	number := func(log float64) *float64 {
		if math.IsInf(log, 0) {
			return nil
		}
		v := math.Exp(log)
		return &v
	}
	span := func(ns float64) *time.Duration {
		if math.IsInf(ns, 0) {
			return nil
		}
		d := time.Duration(math.Round(ns))
		return &d
	}
	if shift.Estimate.Low == shift.Estimate.High {
		p.Shift = span(shift.Estimate.Low)
	}
	p.ShiftLow, p.ShiftHigh = span(shift.Interval.Low), span(shift.Interval.High)
	if timeless {
		return
	}
	if ratio.Estimate.Low == ratio.Estimate.High {
		p.Ratio = number(ratio.Estimate.Low)
	}
	p.RatioLow, p.RatioHigh = number(ratio.Interval.Low), number(ratio.Interval.High)
}

// rates compares how often the groups were right.
func rates(a, b *measure.Group) *Rates {
	if a.Success == nil || b.Success == nil {
		return nil
	}
	na, nb := a.Told(), b.Told()
	i := stats.Newcombe(a.Succeeded, na, b.Succeeded, nb, level)
	return &Rates{Rate: b.Success.Rate - a.Success.Rate, Low: i.Low, High: i.High, P: stats.Fisher(a.Succeeded, na, b.Succeeded, nb)}
}
