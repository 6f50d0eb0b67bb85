package whatif

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// A change is the lengths of a scene's parts while edits are made to them. A part that is shorter than nothing, because the next
// span started before what it waited for had ended, is nobody's time and never changed.
type change struct {
	*Prepared
	*scene
	lengths []time.Duration
	written []float64 // by part: how much is still written of what was; nil if no edit asks
	room    float64   // how much longer all parts together may become, so that no sum overflows
	full    bool      // room ran out
	assumed *notes    // nil: nobody asks
}

// change returns the lengths of a scene as recorded, for the edits of a plan to be made.
func (p *Prepared) change(s *scene, plan Plan, assumed *notes) *change {
	c := &change{Prepared: p, scene: s, lengths: slices.Clone(s.recorded), room: math.MaxInt64 / 4, assumed: assumed}
	for _, d := range c.lengths {
		c.room -= float64(max(d, 0))
	}
	if slices.ContainsFunc(plan.Edits, Edit.isRate) {
		c.written = slices.Repeat([]float64{1}, len(c.lengths))
	}
	return c
}

// set makes part i last d.
func (c *change) set(i int, d float64) {
	old := float64(c.lengths[i])
	if d > old {
		if d = min(d, old+max(c.room, 0)); d <= old {
			c.full = true
			return
		}
		c.room -= d - old
	}
	c.lengths[i] = time.Duration(math.Round(d))
}

// edit makes one edit.
func (c *change) edit(e Edit) {
	targets := []Target{e.Target}
	if e.How == Off && (e.Target == Component(traces.Retry) || e.Target.Name == string(traces.FamilyRetries)) {
		targets = []Target{Component(traces.Retry), Component(traces.Backoff)} // who does not fail does not wait
	}
	in := c.selected(targets...)
	if !slices.Contains(in, true) {
		c.nothing(e)
		return
	}
	c.doubts(e, in)
	switch {
	case e.How == Scale && e.Target == DecodeRate:
		c.scale(in, 1/e.Factor)
	case e.How == Scale:
		c.scale(in, e.Factor)
		c.write(in, e.Factor)
	case e.isRate():
		c.rate(e, in)
	case e.How == Set && e.Time > 0:
		c.each(in, e.Time)
	case e.How == Cached && e.Target == Component(traces.Wait):
		c.cacheWait(e)
	default:
		c.scale(in, 0)
		c.write(in, 0)
		if e.How != Set && (e.Target.Name == string(traces.Tool) || e.Target.Name == string(traces.FamilyTools)) {
			c.skipTools(e)
		}
	}
}

// scale makes the selected parts f times as long.
func (c *change) scale(in []bool, f float64) {
	if f == 1 {
		return
	}
	for i, k := range c.kind {
		if in[k] {
			c.set(i, float64(c.lengths[i])*f)
		}
	}
}

// write notes that f times as much is written in the selected parts, for a rate that is set later.
func (c *change) write(in []bool, f float64) {
	if c.written == nil {
		return
	}
	for i, k := range c.kind {
		if in[k] {
			c.written[i] *= f
		}
	}
}

// each makes each occurrence last d: the parts that belong to it keep their shares.
func (c *change) each(in []bool, d time.Duration) {
	var (
		of     = c.occurrence()
		n      = len(c.Run.Spans)
		sum    = make([]time.Duration, n) // of each occurrence
		before = make([]time.Duration, n) // of it, so far
		given  = make([]float64, n)       // of d, so far
	)
	for i, k := range c.kind {
		if o := of[i]; in[k] && o != none {
			sum[o] += c.lengths[i]
		}
	}
	for i, k := range c.kind {
		if !in[k] {
			continue
		}
		o := of[i]
		if o == none {
			c.set(i, float64(d))
			continue
		}
		before[o] += c.lengths[i]
		upTo := float64(d) // an occurrence that took no time gets all of it at once
		if sum[o] > 0 {
			upTo = math.Round(float64(d) * (float64(before[o]) / float64(sum[o])))
		}
		c.set(i, upTo-given[o])
		given[o] = upTo
	}
}

// rate makes what is written take its tokens ÷ rate.
func (c *change) rate(e Edit, in []bool) {
	for i, n := range c.scene.tokens() {
		if in[c.kind[i]] && n != unknown {
			c.set(i, n*c.written[i]/e.Rate*1e9)
		}
	}
	t := c.Prepared.tokens()
	if t.uncounted > 0 {
		c.assumed.say("%s: %d of %d calls have no token counts, or counts that contradict themselves: they stay as they are", e, t.uncounted, t.calls)
	}
	switch counted := t.calls - t.uncounted; {
	case counted == 0:
	case t.byTime == counted:
		c.assumed.say("%s: tokens are split over phases by time, as lengths of texts were not kept (inferred)", e)
	case t.byTime > 0:
		c.assumed.say("%s: tokens are split over phases by length of text, and by time where that was not kept (inferred)", e)
	default:
		c.assumed.say("%s: tokens are split over phases by length of text (inferred)", e)
	}
	c.unsplit(e)
}

// cacheWait makes no call wait longer than the shortest wait that was seen for its model with cached input.
func (c *change) cacheWait(e Edit) {
	var (
		in     = c.selected(e.Target)
		owners = c.owners()
		waits  = map[int32][]int{} // parts of each attempt
		seen   = c.cachedWaits()
	)
	for i, k := range c.kind {
		if o := owners.attempt[c.replay.Parts[i].Span.Index]; in[k] && c.lengths[i] > 0 && o != none {
			waits[o] = append(waits[o], i)
		}
	}
	for _, call := range c.Run.ModelCalls {
		for _, a := range call.Attempts {
			if parts := waits[a.Span.Index]; len(parts) > 0 {
				c.cacheWaitOf(e, call.Model, parts, seen)
			}
		}
	}
}

func (c *change) cacheWaitOf(e Edit, model string, parts []int, seen map[string]time.Duration) {
	var sum time.Duration
	hidden, prefill := false, false
	for _, i := range parts {
		sum += c.lengths[i]
		hidden = hidden || c.replay.Parts[i].Quality == traces.Bound
		prefill = prefill || c.replay.Parts[i].Component == traces.Prefill
	}
	least, known := seen[model]
	name := "the model"
	if model != "" {
		name = model
	}
	switch {
	case hidden:
		c.assumed.say("%s: a wait that may hold hidden reasoning stays as it is", e)
	case known:
		c.assumed.say("%s: no call of %s waits longer than %s, the shortest wait seen for it with cached input", e, name, traces.FormatDuration(least))
		if sum <= least {
			return
		}
		for _, i := range parts {
			c.set(i, float64(c.lengths[i])*(float64(least)/float64(sum)))
		}
	case prefill:
		c.assumed.say("%s: no call of %s with cached input was seen: prefill takes no time, the rest of the wait stays", e, name)
		for _, i := range parts {
			if c.replay.Parts[i].Component == traces.Prefill {
				c.set(i, 0)
			}
		}
	default:
		c.assumed.say("%s: no call of %s with cached input was seen, and nothing says how much of its wait is prefill: it stays as it is", e, name)
	}
}

// skipTools takes away all that is below the calls of a tool that are not made, or whose result is at hand.
func (c *change) skipTools(e Edit) {
	called := map[*traces.Span]string{}
	for _, call := range c.Run.ToolCalls {
		called[call.Span] = call.Name
	}
	gone := make([]bool, len(c.Run.Spans))
	for i, s := range c.Run.Spans {
		name := called[s]
		if name == "" {
			name = s.Name
		}
		gone[i] = s.Parent != nil && gone[s.Parent.Index] || s.Role == traces.RoleTool && (e.Target.Tool == "" || name == e.Target.Tool)
	}
	below := false
	for i, part := range c.replay.Parts {
		if gone[part.Span.Index] && c.lengths[i] > 0 {
			c.set(i, 0)
			below = true
		}
	}
	if below {
		c.assumed.say("%s: approvals and other calls below such a call take no time either", e)
	}
}

// nothing says that an edit has nothing to change here.
func (c *change) nothing(e Edit) {
	if c.assumed == nil {
		return
	}
	if e.Target.Tool == "" {
		c.assumed.idles("%s changes nothing: no such time is in the run%s", e, c.instead(e))
		c.unsplit(e)
		c.hidden(e)
		return
	}
	tools := c.tools()
	_, other := slices.BinarySearch(tools, e.Target.Tool)
	switch near := nearest(e.Target.Tool, tools); {
	case len(tools) == 0:
		c.assumed.idles("%s changes nothing: no tool was called", e)
	case other:
		c.assumed.idles("%s changes nothing: no such time is in the run", e)
	case near != "":
		c.assumed.idles("%s changes nothing: there is no such tool; did you mean tool[%s]? There are %s", e, near, someOf(tools))
	default:
		c.assumed.idles("%s changes nothing: there is no such tool; there are %s", e, someOf(tools))
	}
}

// instead names the times that there are, where none of the runs that were seen has that of an edit.
func (c *change) instead(e Edit) string {
	names := c.components()
	if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return e.Target.has(traces.Component(name), "") }) {
		return ""
	}
	return "; there are " + strings.Join(names, ", ")
}

// someOf names the first few of many.
func someOf(names []string) string {
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// doubts says how far the times that an edit is about are known.
func (c *change) doubts(e Edit, in []bool) {
	if c.assumed == nil {
		return
	}
	var bound, inferred time.Duration
	for i, k := range c.kind {
		switch d := c.recorded[i]; {
		case !in[k] || d <= 0:
		case c.replay.Parts[i].Quality == traces.Bound:
			bound += d
		case c.replay.Parts[i].Quality == traces.Inferred:
			inferred += d
		}
	}
	if bound > 0 {
		c.assumed.say("%s: %s of that time is an upper bound and changed whole; the true time may be less, and so may be the difference",
			e, traces.FormatDuration(bound))
	}
	if inferred > 0 {
		c.assumed.say("%s: %s of that time is inferred, not measured", e, traces.FormatDuration(inferred))
	}
	c.hidden(e)
}

// unsplit says that nothing is known of when a response was written that has no phases.
func (c *change) unsplit(e Edit) {
	if n := c.Prepared.tokens().unsplit; n > 0 && e.Target == DecodeRate {
		c.assumed.say("%s: the responses of %s are not split into phases: they stay as they are", e, traces.FormatCount(n, "call"))
	}
}

// hidden says that reasoning which was billed but not shown cannot be changed: it is somewhere in the wait.
func (c *change) hidden(e Edit) {
	if n := c.Prepared.tokens().hidden; n > 0 && e.Target.has(traces.Reasoning, "") {
		c.assumed.say("%s: the reasoning of %s was hidden and is part of the wait: it stays as it is", e, traces.FormatCount(n, "call"))
	}
}

// notes are sentences, each said once. Nil takes none.
type notes struct {
	list []string
	idle []string // of them: edits that have nothing to change
}

// idles says that an edit has nothing to change.
func (n *notes) idles(format string, args ...any) {
	n.say(format, args...)
	if s := fmt.Sprintf(format, args...); !slices.Contains(n.idle, s) {
		n.idle = append(n.idle, s)
	}
}

func (n *notes) say(format string, args ...any) {
	if n == nil {
		return
	}
	if s := fmt.Sprintf(format, args...); !slices.Contains(n.list, s) {
		n.list = append(n.list, s)
	}
}
