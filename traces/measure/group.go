package measure

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/stats"
)

// level is the confidence of every interval that is reported.
const level = 0.95

// A Group is the runs of one setting and what they have in common.
type Group struct {
	Key  map[string]string // value of each key; "" where a run has none
	By   []string          // the keys, in the order asked for
	Runs []*Run            // in the order given; N of them

	N         int
	Succeeded int  // finished with a correct answer
	Censored  int  // cut off by a time limit
	Unknown   int  // did not say how they ended; not in Success
	Checked   bool // an answer was checked; else correct only means finished
	// Interrupted runs were cancelled or have not ended. They are in none of the figures: who stopped them is not the setting.
	Interrupted int

	Success       *Rate // of the runs Told; nil if no run says how it ended
	TimeToCorrect Times // of the correct runs, those cut off counted as longer
	Tokens        Tokens
	Calls         CallMeans

	// Means over the finished, correct runs, which are Succeeded in number. The components add up to MeanWall exactly.
	MeanWall   *time.Duration  // nil without such runs
	MeanLate   *time.Duration  // how long after its intended start a run began, those without one counted as 0; nil if none had one
	Components []ComponentMean // in the order of display
	Families   []FamilyMean    // the same, summed

	Notes []string // what a reader must know beside the numbers, one sentence each
}

// A Rate is a share of runs with its 95 % Wilson interval, all 0 to 1.
type Rate struct {
	Rate, Low, High float64
}

// Times are the times to a correct answer of N correct runs, each from its intended start (Run.Time). A run that was cut off counts as
// longer than its limit, in the median and its interval; wrong and failed runs do not count, they are in the success rate.
type Times struct {
	N        int
	Median   *time.Duration // nil without runs
	MoreThan bool           // the median is more than Median: too many runs were cut off to say how much more
	Low      *time.Duration // 95 % interval of the median from order statistics; nil where too few runs tell
	High     *time.Duration // nil also where the interval is open above, because runs were cut off
	Min, Max *time.Duration // of the correct runs
}

// Tokens are means over the finished, correct runs whose calls were all counted; nil without any.
type Tokens struct {
	Input, Cached, Output, Reasoning *float64
}

// CallMeans say how often and how long the runs of a group, right or wrong but not interrupted, asked a model.
type CallMeans struct {
	PerRun  *float64       // model calls of the main chain
	Retries *float64       // attempts that were repeats
	Time    *time.Duration // median length of a final attempt that went well, side calls aside
}

// A ComponentMean is the mean time of a component, whatever its quality.
type ComponentMean struct {
	Component traces.Component
	Mean      time.Duration
	Share     float64 // of the mean wall time, 0 to 1
}

// A FamilyMean is the mean time of a family.
type FamilyMean struct {
	Family traces.Family
	Mean   time.Duration
	Share  float64
}

// GroupBy puts runs with equal values of all keys into one group; keys are those of Run.Group. Without keys all runs are
// one group. Groups come in the order of their values: efforts by rank (none, minimal, low, medium, high, xhigh, max), else
// naturally, missing values last.
func GroupBy(runs []*Run, keys ...string) []Group {
	var groups []Group
	index := map[string]int{}
	for _, r := range runs {
		key, id := map[string]string{}, ""
		for _, k := range keys {
			key[k] = r.Group[k]
			id += fmt.Sprintf("%q", r.Group[k])
		}
		i, ok := index[id]
		if !ok {
			i = len(groups)
			index[id] = i
			groups = append(groups, Group{Key: key, By: slices.Clone(keys)})
		}
		groups[i].Runs = append(groups[i].Runs, r)
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		for _, k := range keys {
			if c := compareValues(k, a.Key[k], b.Key[k]); c != 0 {
				return c
			}
		}
		return 0
	})
	for i := range groups {
		groups[i].summarise()
	}
	return groups
}

// Efforts are the words for reasoning effort that have a rank, lowest first.
var Efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

func compareValues(key, a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(len(b), len(a))
	}
	if key == "effort" {
		rank := func(word string) int {
			if i := slices.Index(Efforts, strings.ToLower(word)); i >= 0 {
				return i
			}
			return len(Efforts)
		}
		if c := cmp.Compare(rank(a), rank(b)); c != 0 {
			return c
		}
	}
	return stats.Natural(a, b)
}

// Distribution returns which share of the correct runs took how long, from their intended starts, in bins of equal width from low to high,
// whatever lies outside left out; nil if there are no bins or no such runs.
func (g *Group) Distribution(low, high time.Duration, bins int) []float64 {
	correct := slices.DeleteFunc(slices.Clone(g.Runs), func(r *Run) bool { return !r.Correct() })
	counts := stats.Histogram(times(correct), float64(low), float64(high), bins)
	if counts == nil || len(correct) == 0 {
		return nil
	}
	shares := make([]float64, bins)
	for i, n := range counts {
		shares[i] = float64(n) / float64(len(correct))
	}
	return shares
}

// Label names a group by its values, for lists: "low", "glm-sim · high", and "concurrency 16", as a number
// alone says nothing; "all runs" without keys.
func (g *Group) Label() string {
	if len(g.By) == 0 {
		return "all runs"
	}
	var words []string
	for _, k := range g.By {
		word := named(k, g.Key[k])
		if _, err := strconv.ParseFloat(word, 64); err == nil {
			word = k + " " + word
		}
		words = append(words, word)
	}
	return strings.Join(words, " · ")
}

// Values is Label for below a head that names the keys: a number stands alone.
func (g *Group) Values() string {
	if len(g.By) == 0 {
		return g.Label()
	}
	var words []string
	for _, k := range g.By {
		words = append(words, named(k, g.Key[k]))
	}
	return strings.Join(words, " · ")
}

// named returns a key's value as it can be seen.
func named(key, value string) string {
	switch {
	case value == "":
		return "no " + key
	case strings.TrimSpace(value) == "":
		return "(blank)"
	}
	return value
}

// Told returns how many runs the success rate is of: those that ended by themselves or at a limit, and say how.
func (g *Group) Told() int { return g.N - g.Unknown - g.Interrupted }

func (g *Group) summarise() {
	g.N = len(g.Runs)
	var correct, cutOff, ended []*Run
	for _, r := range g.Runs {
		if r.Interrupted() {
			g.Interrupted++
			continue
		}
		ended = append(ended, r)
		switch {
		case r.Correct():
			correct = append(correct, r)
		case r.CutOff():
			cutOff = append(cutOff, r)
		case r.Outcome == traces.OutcomeUnknown || r.Outcome == "" || r.Outcome == traces.OK:
			g.Unknown++
		}
	}
	g.Succeeded, g.Censored = len(correct), len(cutOff)
	g.Checked = slices.ContainsFunc(g.Runs, func(r *Run) bool { return r.Check != "" || r.Outcome == traces.FailedCheck })
	if told := g.Told(); told > 0 {
		i := stats.Wilson(g.Succeeded, told, level)
		g.Success = &Rate{float64(g.Succeeded) / float64(told), i.Low, i.High}
	}
	g.TimeToCorrect = timesOf(correct, cutOff)
	g.Tokens = tokensOf(correct)
	g.Calls = callMeans(ended)
	g.means(correct)
	g.note(correct, cutOff)
}

func times(runs []*Run) []float64 {
	list := make([]float64, len(runs))
	for i, r := range runs {
		list[i] = float64(r.Time())
	}
	return list
}

func timesOf(correct, cutOff []*Run) Times {
	sample := stats.Sample{Exact: times(correct), Above: times(cutOff)}
	t := Times{N: len(correct)}
	if m, ok := sample.Median(); ok {
		t.Median, t.MoreThan = ptr(nearest(m.Low)), m.High > m.Low
	}
	if i, ok := sample.MedianInterval(level); ok {
		t.Low = ptr(nearest(i.Low))
		if !math.IsInf(i.High, 1) {
			t.High = ptr(nearest(i.High))
		}
	}
	if len(sample.Exact) > 0 {
		t.Min, t.Max = ptr(nearest(slices.Min(sample.Exact))), ptr(nearest(slices.Max(sample.Exact)))
	}
	return t
}

func nearest(ns float64) time.Duration { return time.Duration(math.Round(ns)) }

func tokensOf(runs []*Run) Tokens {
	mean := func(of func(Usage) *int64) *float64 {
		var sum, n float64
		for _, r := range runs {
			if v := of(r.Usage); v != nil && r.Usage.Uncounted == 0 {
				sum += float64(*v)
				n++
			}
		}
		if n == 0 {
			return nil
		}
		return ptr(sum / n)
	}
	return Tokens{
		Input:     mean(func(u Usage) *int64 { return u.Input }),
		Cached:    mean(func(u Usage) *int64 { return u.Cached }),
		Output:    mean(func(u Usage) *int64 { return u.Output }),
		Reasoning: mean(func(u Usage) *int64 { return u.Reasoning }),
	}
}

func callMeans(runs []*Run) CallMeans {
	if len(runs) == 0 {
		return CallMeans{}
	}
	var calls, retries int
	var lengths []float64
	for _, r := range runs {
		retries += r.Counts.Retries()
		for _, c := range r.Calls {
			if c.Side {
				continue
			}
			calls++
			if a := c.Answer; a.Outcome == traces.OK {
				lengths = append(lengths, float64(a.Span.Duration()))
			}
		}
	}
	m := CallMeans{
		PerRun:  ptr(float64(calls) / float64(len(runs))),
		Retries: ptr(float64(retries) / float64(len(runs))),
	}
	if t, ok := stats.Median(lengths); ok {
		m.Time = ptr(nearest(t))
	}
	return m
}

// note says what the numbers alone would hide.
func (g *Group) note(correct, cutOff []*Run) {
	say := func(format string, args ...any) { g.Notes = append(g.Notes, fmt.Sprintf(format, args...)) }
	if n := len(cutOff); n > 0 {
		limit := math.Round(slices.Min(times(cutOff))/1e8) / 10
		say("%s cut off at the limit %s as longer than %s s", traces.FormatCount(n, "run"), verb(n, "counts", "count"),
			strconv.FormatFloat(limit, 'f', -1, 64))
	}
	if n := len(correct); n == 0 {
		say("no run ended with a correct answer, so there is no time to one")
	} else if need := stats.NeededForMedianInterval(level); n+len(cutOff) < need {
		say("%s: too few for an interval of the median, which needs %d", traces.FormatCount(n, "correct run"), need)
	}
	if g.Unknown > 0 {
		say("%s %s not say how %s ended: left out of the success rate", traces.FormatCount(g.Unknown, "run"), verb(g.Unknown, "does", "do"),
			verb(g.Unknown, "it", "they"))
	}
	if n := g.Interrupted; n > 0 {
		say("%s %s interrupted or %s not ended, and %s not count", traces.FormatCount(n, "run"), verb(n, "was", "were"), verb(n, "has", "have"), verb(n, "does", "do"))
	}
	if !g.Checked && len(correct) > 0 {
		say("no answer was checked: correct only means finished")
	}
	counted := correct
	if len(correct) == 0 {
		counted = cutOff
	}
	if late := meanLate(counted); late != nil && *late > 0 {
		say("runs began %s later than meant on average: times to an answer count that, the parts of the mean do not", traces.FormatDuration(*late))
	}
	if s := humps(g.Runs); s != "" {
		g.Notes = append(g.Notes, s)
	}
	scales := map[float64]bool{}
	for _, r := range g.Runs {
		scales[r.TimeScale] = true
	}
	if len(scales) > 1 {
		say("runs recorded at different time scales (%s) are mixed", scaleList(scales))
	}
	experiments := map[string]bool{}
	for _, r := range g.Runs {
		experiments[r.Group["experiment"]] = true
	}
	if len(experiments) > 1 {
		say("runs of %d experiments are mixed", len(experiments))
	}
}

func scaleList(scales map[float64]bool) string {
	var words []string
	for _, s := range slices.Sorted(maps.Keys(scales)) {
		words = append(words, fmt.Sprintf("%gx", s))
	}
	return strings.Join(words, ", ")
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
