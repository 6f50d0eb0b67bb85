package activity

import (
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// A Usual is how long tools usually take, and models to their first token: the median of what the latest runs tell. The zero value knows
// nothing. It is not safe for concurrent use.
type Usual struct {
	tools, waits map[string]*sample // by name
}

// Add takes what a run tells. A run that has grown, known by its key, takes its own place.
func (u *Usual) Add(key string, run *traces.Run) {
	if u.tools == nil {
		u.tools, u.waits = map[string]*sample{}, map[string]*sample{}
	}
	tools, waits := map[string][]time.Duration{}, map[string][]time.Duration{}
	for _, t := range run.ToolCalls {
		switch {
		case t.Span.Has(traces.FlagOpen):
		case t.Run != nil:
			tools[t.Name] = append(tools[t.Name], *t.Run)
		default:
			tools[t.Name] = append(tools[t.Name], t.Span.Duration()-t.Approval)
		}
	}
	for _, c := range run.ModelCalls {
		if c.TTFT != nil {
			waits[c.Model] = append(waits[c.Model], *c.TTFT)
		}
	}
	put(u.tools, entry{key, run.Start}, tools)
	put(u.waits, entry{key, run.Start}, waits)
}

// Tool returns how long a tool usually takes; false if it has never been seen to end.
func (u *Usual) Tool(name string) (time.Duration, bool) { return u.tools[name].median() }

// Wait returns how long a model usually takes to its first token.
func (u *Usual) Wait(model string) (time.Duration, bool) { return u.waits[model].median() }

// remembered is how many runs a sample is of.
const remembered = 100

// A sample is times by run, of the latest runs that have any.
type sample struct {
	runs   []entry // by start
	times  map[string][]time.Duration
	middle time.Duration
	stale  bool // middle is
}

// An entry is a run.
type entry struct {
	key   string
	start time.Time
}

func put(samples map[string]*sample, run entry, times map[string][]time.Duration) {
	for name, list := range times {
		s := samples[name]
		if s == nil {
			s = &sample{times: map[string][]time.Duration{}}
			samples[name] = s
		}
		if slices.Equal(s.times[run.key], list) {
			continue
		}
		if s.times[run.key] == nil {
			at, _ := slices.BinarySearchFunc(s.runs, run, func(a, b entry) int { return a.start.Compare(b.start) })
			s.runs = slices.Insert(s.runs, at, run)
		}
		s.times[run.key], s.stale = list, true
		if len(s.runs) > remembered {
			delete(s.times, s.runs[0].key)
			s.runs = slices.Delete(s.runs, 0, 1)
		}
	}
}

func (s *sample) median() (time.Duration, bool) {
	if s == nil {
		return 0, false
	}
	if s.stale {
		var all []time.Duration
		for _, list := range s.times {
			all = append(all, list...)
		}
		slices.Sort(all)
		s.middle, s.stale = all[(len(all)-1)/2], false
	}
	return s.middle, true
}
