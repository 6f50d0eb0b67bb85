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

// totals are sums over the finished, correct runs of a group.
type totals struct {
	wall, late         time.Duration
	runs, steps, calls int64
	reasoning, output  int64 // tokens; output is what remains without reasoning
	reasoned           bool  // reasoning was counted in every call
	written            bool  // so was output, apart from reasoning where there was any
	components         map[traces.Component]time.Duration
	tools              map[string]toolTotals
}

type toolTotals struct {
	calls int64
	time  time.Duration // on the critical path
}

// totalsOf adds up; ok is false where the times are too long to be added.
func totalsOf(g *measure.Group) (t *totals, ok bool) {
	t = &totals{reasoned: true, written: true, components: map[traces.Component]time.Duration{}, tools: map[string]toolTotals{}}
	for _, r := range g.Runs {
		if !r.Correct() {
			continue
		}
		if r.Time() > math.MaxInt64-t.wall-t.late {
			return nil, false
		}
		t.runs++
		t.wall += r.Wall
		t.late += r.Time() - r.Wall
		t.steps += int64(r.Counts.Steps)
		t.calls += int64(r.Counts.ModelCalls)
		for _, c := range r.Components {
			t.components[c.Component] += c.Time
		}
		for _, tool := range r.Tools {
			sum := t.tools[tool.Name]
			t.tools[tool.Name] = toolTotals{sum.calls + int64(tool.Calls), sum.time + tool.Critical}
		}
		t.count(r)
	}
	if !t.reasoned && (t.reasoning > 0 || t.components[traces.Reasoning] > 0) {
		t.written = false // some of the output was reasoning, nobody knows how much
	}
	return t, true
}

// count adds up the tokens of a run.
func (t *totals) count(r *measure.Run) {
	u := r.Usage
	if u.Output == nil || u.Uncounted > 0 {
		t.reasoned, t.written = false, false
		return
	}
	apart := u.Reasoning != nil && !slices.ContainsFunc(r.ModelCalls, func(c *traces.ModelCall) bool {
		return c.Usage.Output != nil && c.Usage.Reasoning == nil
	})
	t.reasoned = t.reasoned && apart
	t.output += *u.Output
	if u.Reasoning != nil {
		t.reasoning += *u.Reasoning
		t.output -= min(*u.Reasoning, *u.Output)
	}
}

// hidden reports whether there was reasoning whose time is part of something else.
func (t *totals) hidden() bool {
	return t.reasoned && t.reasoning > 0 && t.components[traces.Reasoning] == 0
}

// termsOf returns the terms whose times add up to the mean times of both groups, from their intended starts, and what they cannot tell.
func termsOf(a, b *totals) (terms []term, notes []string) {
	of := func(list ...traces.Component) func(*totals) time.Duration {
		return func(t *totals) time.Duration {
			var sum time.Duration
			for _, c := range list {
				sum += t.components[c]
			}
			return sum
		}
	}
	perCall := []counted{steps, calls}
	reasoning := term{name: "reasoning time", family: traces.FamilyReasoning, counts: perCall, time: of(traces.Reasoning)}
	output := term{name: "output time", family: traces.FamilyDecode, counts: perCall, time: of(traces.Output, traces.ToolArgs)}
	if a.reasoned && b.reasoned {
		reasoning.counts = []counted{steps, calls, reasoningTokens}
	} else if reasoning.time(a)+reasoning.time(b) > 0 {
		notes = append(notes, "reasoning tokens were not counted in every call: the time of reasoning is split by calls only")
	}
	switch {
	case a.written && b.written && (a.reasoned == b.reasoned || a.reasoning+b.reasoning == 0):
		output.counts = []counted{steps, calls, outputTokens}
	case output.time(a)+output.time(b) > 0:
		notes = append(notes, "output tokens were not counted in every call, or not apart from reasoning: the time of output is split by calls only")
	}
	if a.hidden() || b.hidden() {
		notes = append(notes, "reasoning was counted but not seen: its time is part of what else the calls took, mostly until the first token")
	}
	terms = []term{
		{name: "connect time", family: traces.FamilyTTFT, counts: perCall, time: of(traces.Connect)},
		{name: "first-token time", family: traces.FamilyTTFT, counts: perCall, time: of(traces.Wait, traces.Queue, traces.Prefill)},
		reasoning, output,
		{name: "stalls", family: traces.FamilyStalls, time: of(traces.Stall)},
		{name: "tail time", family: traces.FamilyDecode, counts: perCall, time: of(traces.Tail)},
		{name: "unsplit response time", family: traces.FamilyDecode, counts: perCall, time: of(traces.Response)},
		{name: "approval", family: traces.FamilyTools, time: of(traces.Approval)},
		{name: "retries", family: traces.FamilyRetries, time: of(traces.Retry)},
		{name: "backoff", family: traces.FamilyRetries, time: of(traces.Backoff)},
		{name: "startup", family: traces.FamilyAgent, time: of(traces.Startup)},
		{name: "agent time", family: traces.FamilyAgent, counts: []counted{steps}, time: of(traces.Agent)},
		{name: "untraced", family: traces.FamilyAgent, time: of(traces.Untraced)},
	}
	terms = append(terms, toolTerms(a, b)...)
	booked := slices.Clone(terms)
	terms = append(terms, term{name: "late start", time: func(t *totals) time.Duration { return t.late }})
	return append(terms, term{name: "not booked", family: traces.FamilyAgent, time: func(t *totals) time.Duration { // nothing, for runs that were measured
		rest := t.wall
		for _, known := range booked {
			rest -= known.time(t)
		}
		return rest
	}}), notes
}

// toolTerms returns a term for each tool of either side.
func toolTerms(a, b *totals) []term {
	names := maps.Clone(a.tools)
	maps.Copy(names, b.tools)
	var terms []term
	for _, name := range slices.SortedFunc(maps.Keys(names), stats.Natural) {
		title := "tool " + name + ": "
		if name == "" {
			title = "tool without a name: "
		}
		uses := counted{title + "calls", "call", func(t *totals) int64 { return t.tools[name].calls }}
		terms = append(terms, term{name: title + "time", family: traces.FamilyTools, counts: []counted{steps, uses}, tool: &name,
			time: func(t *totals) time.Duration { return t.tools[name].time }})
	}
	return terms
}
