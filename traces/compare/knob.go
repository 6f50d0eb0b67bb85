package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// A Knob is what turning the reasoning effort did to the amount of reasoning, all else being equal.
type Knob struct {
	Setting string  // the values of the other keys, "" if there are none
	Levels  []Level // lowest effort first
	Effect  Effect
	P       *float64 // of a trend over the levels, either way; nil if nothing was counted
	Text    string   // what it shows, in words; "" if there were no calls
}

// A Level is one setting of the knob.
type Level struct {
	Asked     string   // the effort of the group
	Sent      []string // the efforts that its requests carried, where they name one, in natural order
	Reasoning *float64 // tokens a call, the mean of the runs; nil if not all were counted
}

// Effect says what the knob did.
type Effect string

// The effects.
const (
	Works    Effect = "works"    // more effort, more reasoning
	Ignored  Effect = "ignored"  // the same reasoning at all levels
	Clamped  Effect = "clamped"  // the same at some neighbouring levels, more at others
	Inverted Effect = "inverted" // more effort, less reasoning, somewhere
	Untold   Effect = "untold"   // the tokens of reasoning were not counted, or the runs are too few
)

// same is how far two amounts of reasoning may differ and still pass for the same: by what is seen where there are too few runs for
// an interval, and by the 95 % interval of their ratio.
const (
	seenSame   = 1.02
	boundsSame = 1.25
)

// knobs looks at each set of groups that differ in effort alone.
func knobs(groups []measure.Group) []Knob {
	var order []string
	by := map[string][]*measure.Group{}
	for i := range groups {
		g := &groups[i]
		if !slices.Contains(g.By, "effort") || g.Key["effort"] == "" {
			continue
		}
		var others []string
		for _, k := range g.By {
			if k != "effort" {
				others = append(others, g.Key[k])
			}
		}
		setting := strings.Join(others, " · ")
		if by[setting] == nil {
			order = append(order, setting)
		}
		by[setting] = append(by[setting], g)
	}
	var list []Knob
	for _, setting := range order {
		if levels := by[setting]; len(levels) > 1 {
			list = append(list, knobOf(setting, levels))
		}
	}
	return list
}

func knobOf(setting string, groups []*measure.Group) Knob {
	k := Knob{Setting: setting, Effect: Untold}
	counted := true
	for _, g := range groups {
		l := Level{Asked: g.Key["effort"], Sent: sent(g.Runs)}
		if n, ok := reasoningPerCall(g.Runs); ok {
			l.Reasoning = &n
		} else {
			counted = false
		}
		k.Levels = append(k.Levels, l)
	}
	if slices.ContainsFunc(groups, func(g *measure.Group) bool { return g.Calls.PerRun != nil && *g.Calls.PerRun > 0 }) {
		k.Text = k.whether() + ": the reasoning tokens were not counted in every call."
	}
	if counted {
		k.judge(strata(groups))
	}
	if s := k.mismatch(); s != "" {
		k.Text += " " + s
	}
	return k
}

// sent returns the efforts that requests carried.
func sent(runs []*measure.Run) []string {
	var words []string
	for _, r := range runs {
		for _, c := range r.ModelCalls {
			if !c.Side && c.Effort != "" && !slices.Contains(words, c.Effort) {
				words = append(words, c.Effort)
			}
		}
	}
	slices.SortFunc(words, stats.Natural)
	return words
}

// perCall returns the reasoning tokens a call of a run, right or wrong: the main chain's calls, if all were counted.
func perCall(r *measure.Run) (tokens float64, ok bool) {
	calls := 0
	for _, c := range r.ModelCalls {
		if c.Side || c.Outcome.Failed() {
			continue
		}
		if c.Usage.Reasoning == nil {
			return 0, false
		}
		tokens += float64(*c.Usage.Reasoning)
		calls++
	}
	if calls == 0 {
		return 0, false
	}
	return tokens / float64(calls), true
}

// reasoningPerCall averages runs; those without a call that went well are left out.
func reasoningPerCall(runs []*measure.Run) (float64, bool) {
	var sum float64
	n := 0
	for _, r := range runs {
		tokens, ok := perCall(r)
		if !ok && slices.ContainsFunc(r.Calls, func(c measure.Call) bool { return !c.Side && !c.Outcome.Failed() }) {
			return 0, false
		}
		if ok {
			sum, n = sum+tokens, n+1
		}
	}
	return sum / float64(max(n, 1)), n > 0
}

// strata sorts the tokens a call by task and level; tasks that not all levels did are pooled where no task is common to all.
func strata(groups []*measure.Group) [][][]float64 {
	by := map[string][][]float64{}
	all := make([][]float64, len(groups))
	for level, g := range groups {
		for _, r := range g.Runs {
			tokens, ok := perCall(r)
			if !ok {
				continue
			}
			task := r.Group["task"]
			if by[task] == nil {
				by[task] = make([][]float64, len(groups))
			}
			by[task][level] = append(by[task][level], tokens)
			all[level] = append(all[level], tokens)
		}
	}
	var list [][][]float64
	for _, task := range slices.Sorted(maps.Keys(by)) {
		if levels := by[task]; !slices.ContainsFunc(levels, func(xs []float64) bool { return len(xs) == 0 }) {
			list = append(list, levels)
		}
	}
	if len(list) == 0 {
		return [][][]float64{all}
	}
	return list
}

// judge says what the knob did, from the tokens a call by task and level.
func (k *Knob) judge(byTask [][][]float64) {
	rise, p, ok := stats.Trend(byTask)
	if !ok {
		return
	}
	k.P = &p
	steps := make([]step, len(k.Levels)-1)
	for i := range steps {
		steps[i] = k.step(byTask, i, i+1, len(steps))
	}
	whole := k.step(byTask, 0, len(k.Levels)-1, 1)
	least, most := math.Inf(1), 0.0
	for _, l := range k.Levels {
		least, most = min(least, *l.Reasoning), max(most, *l.Reasoning)
	}
	var clamped, inverted []string
	for i, s := range steps {
		pair := k.Levels[i].Asked + " and " + k.Levels[i+1].Asked
		switch s {
		case alike:
			clamped = append(clamped, pair)
		case down:
			inverted = append(inverted, pair)
		}
	}
	switch {
	case most == 0:
		k.Effect, k.Text = Ignored, k.of()+"changed nothing: no reasoning tokens at any setting."
	case most <= seenSame*least, len(clamped) == len(steps) && whole == alike:
		k.Effect, k.Text = Ignored, fmt.Sprintf("%schanged nothing: about %s reasoning tokens a call at every setting.", k.of(), tokens(mean([]float64{least, most})))
	case p <= alpha && rise < 0:
		k.Effect, k.Text = Inverted, fmt.Sprintf("%sis inverted: more effort, fewer reasoning tokens (a call: %s).", k.of(), k.amounts())
	case len(inverted) > 0:
		k.Effect, k.Text = Inverted, fmt.Sprintf("%sis inverted between %s (reasoning tokens a call: %s).", k.of(), and(inverted), k.amounts())
	case p > alpha:
		k.Text = fmt.Sprintf("%s from so few runs: the reasoning tokens a call (%s) show no trend beyond doubt.", k.whether(), k.amounts())
	case len(clamped) > 0:
		k.Effect, k.Text = Clamped, fmt.Sprintf("%sis clamped: %s give the same reasoning (tokens a call: %s).", k.of(), and(clamped), k.amounts())
	default:
		k.Effect, k.Text = Works, fmt.Sprintf("%sworks: more effort, more reasoning tokens (a call: %s).", k.of(), k.amounts())
	}
}

// A step is how one level's reasoning compares with another's.
type step int

const (
	unclear step = iota
	up
	down
	alike
)

// step compares two levels within tasks; made is how many such steps there are.
func (k *Knob) step(byTask [][][]float64, from, to, made int) step {
	a, b := *k.Levels[from].Reasoning, *k.Levels[to].Reasoning
	if max(a, b) <= seenSame*min(a, b) {
		return alike
	}
	var pairs []stats.Stratum
	for _, levels := range byTask {
		pairs = append(pairs, stats.Stratum{A: stats.Sample{Exact: levels[from]}, B: stats.Sample{Exact: levels[to]}})
	}
	p, ok := stats.MannWhitney(pairs...)
	switch {
	case !ok:
		return unclear
	case p*float64(made) <= alpha && b > a:
		return up
	case p*float64(made) <= alpha:
		return down
	}
	logs := make([]stats.Stratum, len(pairs))
	for i, s := range pairs {
		logs[i] = stats.Stratum{A: stats.Sample{Exact: atLeastOne(s.A.Exact)}, B: stats.Sample{Exact: atLeastOne(s.B.Exact)}}
	}
	if ratio, _ := stats.HodgesLehmann(level, logs...); max(-ratio.Interval.Low, ratio.Interval.High) <= math.Log(boundsSame) {
		return alike
	}
	return unclear
}

// atLeastOne returns the logarithms of tokens, none counted as one.
func atLeastOne(xs []float64) []float64 {
	logs := make([]float64, len(xs))
	for i, x := range xs {
		logs[i] = math.Log(max(x, 1))
	}
	return logs
}

// mismatch says where requests did not carry the effort that the group is called by.
func (k *Knob) mismatch() string {
	var odd []string
	for _, l := range k.Levels {
		if len(l.Sent) > 0 && !(len(l.Sent) == 1 && strings.EqualFold(l.Sent[0], l.Asked)) {
			odd = append(odd, fmt.Sprintf("at %s the requests asked for %s", l.Asked, and(l.Sent)))
		}
	}
	if len(odd) == 0 {
		return ""
	}
	return "What was sent is not what the runs are called by: " + and(odd) + "."
}

// of begins a sentence.
func (k *Knob) of() string {
	if k.Setting == "" {
		return "Effort "
	}
	return "Effort of " + k.Setting + " "
}

// whether begins the sentence that nothing can be said.
func (k *Knob) whether() string {
	if k.Setting == "" {
		return "Whether effort did anything cannot be told"
	}
	return "Whether effort did anything for " + k.Setting + " cannot be told"
}

func (k *Knob) amounts() string {
	var words []string
	for _, l := range k.Levels {
		words = append(words, fmt.Sprintf("%s %s", l.Asked, tokens(*l.Reasoning)))
	}
	return strings.Join(words, ", ")
}

func tokens(n float64) string {
	if n < 10 && n != math.Round(n) {
		return fmt.Sprintf("%.1f", n)
	}
	return fmt.Sprintf("%.0f", n)
}

func and(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
