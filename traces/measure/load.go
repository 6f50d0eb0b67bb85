package measure

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces/stats"
)

// Rates are how fast the model calls of a group gave their output. They are three different things that are all called tokens per
// second (Output, EndToEnd, Aggregate), and two that models with different tokenizers can be compared by. Calls of side chains
// and calls without an answer are left out, but for Aggregate. Calls of one run are alike, so each run counts once, with its
// median call.
type Rates struct {
	Calls          int             // with an answer
	Output         Spread[float64] // output tokens after the first ÷ (last − first token), per second, of a request
	EndToEnd       Spread[float64] // output tokens ÷ time of the request, the wait included, per second
	CharsPerSecond Spread[float64] // visible characters ÷ the time they took to arrive
	CharsPerToken  Spread[float64] // visible characters ÷ their tokens
	TTFT           Spread[time.Duration]
	TTFTTail       *time.Duration // the 95th percentile of all calls; nil from fewer than 20

	Aggregate *Throughput // of all calls of the group together; nil where unknown
	Shared    bool        // runs of other groups ran at the same time, and took their part of the server
	ByContext *Slope      // of the output rate over the context; nil from too few calls of different contexts
}

// A Spread is the median over runs with its 95 % interval from order statistics; nil where unknown, or from too few runs.
type Spread[T ~int64 | ~float64] struct {
	N                 int // runs that tell
	Median, Low, High *T
}

// A Throughput is what a load of several runs at once got out of a server.
type Throughput struct {
	Tokens          int64         // output tokens of all calls
	Uncounted       int           // calls whose output nobody counted; above 0, Tokens and TokensPerSecond are lower bounds
	Wall            time.Duration // during which at least one of the runs was under way, recorded time
	TokensPerSecond float64
	Users           float64 // runs under way at once, on average
}

// A Slope is how the output rate changes with a context that is 1,000 tokens longer, with its 95 % interval. Only calls of one
// run are compared with each other, so that runs of other models or loads do not look like one.
type Slope struct {
	PerThousand, Low, High float64 // tokens per second
	Calls, Runs            int
}

// RatesOf returns the rates of each group, in the same order.
func RatesOf(groups []Group) []Rates {
	list := make([]Rates, len(groups))
	shared := sharing(groups)
	for i := range groups {
		list[i] = ratesOf(groups[i].Runs)
		list[i].Shared = shared[i]
	}
	return list
}

func ratesOf(runs []*Run) Rates {
	r := Rates{Aggregate: ThroughputOf(runs)}
	var output, endToEnd, chars, perToken, ttft, all []float64
	var strata [][]stats.Point
	for _, run := range runs {
		var o, e, c, p, t []float64
		var points []stats.Point
		for i := range run.Calls {
			call := &run.Calls[i]
			if call.Side || call.Outcome.Failed() {
				continue
			}
			r.Calls++
			o, e = known(o, call.OutputRate), known(e, call.EndToEndRate)
			c, p = known(c, call.CharsPerSecond), known(p, call.CharsPerToken)
			t = known(t, call.TTFT)
			if call.OutputRate != nil && call.Usage.Input != nil {
				points = append(points, stats.Point{X: float64(*call.Usage.Input), Y: *call.OutputRate})
			}
		}
		output, endToEnd = middle(output, o), middle(endToEnd, e)
		chars, perToken = middle(chars, c), middle(perToken, p)
		ttft, all = middle(ttft, t), append(all, t...)
		strata = append(strata, points)
	}
	r.Output, r.EndToEnd = spreadOf[float64](output), spreadOf[float64](endToEnd)
	r.CharsPerSecond, r.CharsPerToken = spreadOf[float64](chars), spreadOf[float64](perToken)
	r.TTFT = spreadOf[time.Duration](ttft)
	if tail, ok := stats.Quantile(all, 0.95); ok {
		r.TTFTTail = ptr(nearest(tail))
	}
	if s, ok := stats.TheilSen(strata, level); ok {
		const thousand = 1000
		r.ByContext = &Slope{s.PerX * thousand, s.Interval.Low * thousand, s.Interval.High * thousand, s.N, s.Strata}
	}
	return r
}

// known appends a value if there is one.
func known[T ~int64 | ~float64](list []float64, v *T) []float64 {
	if v == nil {
		return list
	}
	return append(list, float64(*v))
}

// middle appends the median of a run's calls, if they have one.
func middle(list, calls []float64) []float64 {
	if m, ok := stats.Median(calls); ok {
		return append(list, m)
	}
	return list
}

func spreadOf[T ~int64 | ~float64](xs []float64) Spread[T] {
	s := Spread[T]{N: len(xs)}
	if m, ok := stats.Median(xs); ok {
		s.Median = ptr(T(m))
	}
	if i, ok := stats.MedianInterval(xs, level); ok {
		s.Low, s.High = ptr(T(i.Low)), ptr(T(i.High))
	}
	return s
}

// ThroughputOf returns what runs that overlap got out of their server together. It is nil where no output was counted, no time
// passed, or the runs were recorded at different time scales.
func ThroughputOf(runs []*Run) *Throughput {
	var t Throughput
	var walls float64
	counted := false
	for _, r := range runs {
		if r.Start.IsZero() || scale(r) != scale(runs[0]) {
			return nil
		}
		if r.Usage.Output != nil {
			t.Tokens += *r.Usage.Output
			counted = true
		}
		t.Uncounted += r.Usage.Uncounted
		walls += float64(r.Wall)
	}
	var until time.Time
	for _, r := range slices.SortedFunc(slices.Values(runs), byStart) {
		if r.Start.After(until) {
			until = r.Start
		}
		if end := over(r); end.After(until) {
			t.Wall += end.Sub(until)
			until = end
		}
	}
	if !counted || t.Wall <= 0 {
		return nil
	}
	t.Wall = time.Duration(float64(t.Wall) * scale(runs[0]))
	t.TokensPerSecond = float64(t.Tokens) / t.Wall.Seconds()
	t.Users = walls / float64(t.Wall)
	return &t
}

// sharing tells of each group whether runs of another were under way at the same time as one of its own.
func sharing(groups []Group) []bool {
	shared := make([]bool, len(groups))
	group := map[*Run]int{}
	var runs []*Run
	for i, g := range groups {
		for _, r := range g.Runs {
			group[r] = i
			runs = append(runs, r)
		}
	}
	slices.SortStableFunc(runs, byStart)
	until := make([]time.Time, len(groups)) // when the last of the group's runs so far is over
	for _, r := range runs {
		own := group[r]
		for i := range until {
			if i != own && until[i].After(r.Start) {
				shared[i], shared[own] = true, true
			}
		}
		if end := over(r); end.After(until[own]) {
			until[own] = end
		}
	}
	return shared
}

func byStart(a, b *Run) int { return a.Start.Compare(b.Start) }

// over returns the real instant at which a run was over.
func over(r *Run) time.Time { return r.Start.Add(time.Duration(float64(r.Wall) / scale(r))) }

func scale(r *Run) float64 { return cmp.Or(r.TimeScale, 1) }
