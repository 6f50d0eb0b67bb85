package budget

import (
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// A unit is what a limit is written in.
type unit int

const (
	number unit = iota
	duration
	share
)

func (u unit) String() string { return [...]string{"number", "ns", "share"}[u] }

// A quantity is something of which a group of runs has many values.
type quantity struct {
	name   string
	unit   unit
	of     string // what has one: "run", "model call", …
	sample func(*measure.Group) sample
}

// A sample is what a group's runs have of a quantity.
type sample struct {
	stats.Sample
	interrupted int // runs left out, because they were broken off or had not ended
}

// fixed are the quantities that have no parameter; components and families come beside them.
var fixed = []quantity{
	{"run", duration, "run", func(g *measure.Group) sample { return times(g, func(*measure.Run) bool { return true }) }},
	{"answer", duration, "correct run", func(g *measure.Group) sample { return times(g, (*measure.Run).Correct) }},
	{"steps", number, "run", perRun(func(r *measure.Run) *float64 { return count(r.Counts.Steps) })},
	{"calls", number, "run", perRun(func(r *measure.Run) *float64 { return count(r.Counts.ModelCalls) })},
	{"retries", number, "run", perRun(func(r *measure.Run) *float64 { return count(r.Counts.Retries()) })},
	{"input_tokens", number, "counted run", perRun(tokens(func(u measure.Usage) *int64 { return u.Input }))},
	{"output_tokens", number, "counted run", perRun(tokens(func(u measure.Usage) *int64 { return u.Output }))},
	{"reasoning_tokens", number, "counted run", perRun(tokens(func(u measure.Usage) *int64 { return u.Reasoning }))},
	{"ttft", duration, "streamed model call", perCall(func(c *measure.Call) *float64 { return ns(c.TTFT) })},
	{"felt_ttft", duration, "streamed model call", perCall(func(c *measure.Call) *float64 { return ns(c.FeltTTFT) })},
	{"tpot", duration, "streamed model call", perCall(func(c *measure.Call) *float64 { return ns(c.TPOT) })},
	{"worst_gap", duration, "streamed model call", perCall(func(c *measure.Call) *float64 { return ns(c.Gaps.Max) })},
	{"output_rate", number, "streamed model call", perCall(func(c *measure.Call) *float64 { return c.OutputRate })},
	{"exec", duration, "measured tool call", execution("")},
}

// quantityOf returns the quantity with a name; false if there is none.
func quantityOf(name string) (quantity, bool) {
	for _, q := range fixed {
		if q.name == name {
			return q, true
		}
	}
	if tool, ok := parameter(name, "exec"); ok {
		return quantity{name, duration, "measured " + tool + " call", execution(tool)}, true
	}
	if part, ok := partOf(name); ok {
		return quantity{name, duration, "run", perRun(func(r *measure.Run) *float64 {
			t := float64(part(r))
			return &t
		})}, true
	}
	return quantity{}, false
}

// partOf returns the function that says how much of a run's critical path went to what name says: a component, a family or
// tool[NAME].
func partOf(name string) (func(*measure.Run) time.Duration, bool) {
	if tool, ok := parameter(name, "tool"); ok {
		return func(r *measure.Run) time.Duration { return r.Path.Tool(tool) }, true
	}
	for _, c := range traces.Components {
		if string(c) == name {
			return func(r *measure.Run) (sum time.Duration) {
				for _, t := range r.Components {
					if t.Component == c {
						sum += t.Time
					}
				}
				return sum
			}, true
		}
	}
	for _, f := range traces.Families {
		if strings.EqualFold(string(f), name) {
			return func(r *measure.Run) (sum time.Duration) {
				for _, t := range r.Families {
					if t.Family == f {
						sum += t.Time
					}
				}
				return sum
			}, true
		}
	}
	return nil, false
}

// parameter returns what stands between the brackets of word[…].
func parameter(name, word string) (string, bool) {
	inside, ok := strings.CutPrefix(name, word+"[")
	if !ok {
		return "", false
	}
	inside, ok = strings.CutSuffix(inside, "]")
	return inside, ok && inside != ""
}

// times are those of the runs that count, and of the runs that were cut off, which would have taken longer.
func times(g *measure.Group, counts func(*measure.Run) bool) (s sample) {
	for _, r := range g.Runs {
		switch t := float64(r.Time()); {
		case r.Interrupted():
			s.interrupted++
		case r.CutOff():
			s.Above = append(s.Above, t)
		case counts(r):
			s.Exact = append(s.Exact, t)
		}
	}
	return s
}

func perRun(of func(*measure.Run) *float64) func(*measure.Group) sample {
	return func(g *measure.Group) (s sample) {
		for _, r := range g.Runs {
			if r.Interrupted() {
				s.interrupted++
				continue
			}
			s.Exact = appendKnown(s.Exact, of(r))
		}
		return s
	}
}

func perCall(of func(*measure.Call) *float64) func(*measure.Group) sample {
	return func(g *measure.Group) (s sample) {
		for _, r := range g.Runs {
			for i := range r.Calls {
				s.Exact = appendKnown(s.Exact, of(&r.Calls[i]))
			}
		}
		return s
	}
}

// execution is how long each measured call of a tool ran, of all tools if name is "".
func execution(name string) func(*measure.Group) sample {
	return func(g *measure.Group) (s sample) {
		for _, r := range g.Runs {
			for _, c := range r.ToolCalls {
				if name == "" || c.Name == name {
					s.Exact = appendKnown(s.Exact, ns(c.Run))
				}
			}
		}
		return s
	}
}

// tokens leaves out runs of which not every call was counted.
func tokens(of func(measure.Usage) *int64) func(*measure.Run) *float64 {
	return func(r *measure.Run) *float64 {
		n := of(r.Usage)
		if n == nil || r.Usage.Uncounted > 0 {
			return nil
		}
		return count(int(*n))
	}
}

func appendKnown(list []float64, v *float64) []float64 {
	if v == nil {
		return list
	}
	return append(list, *v)
}

func count(n int) *float64 {
	f := float64(n)
	return &f
}

func ns(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	f := float64(*d)
	return &f
}
