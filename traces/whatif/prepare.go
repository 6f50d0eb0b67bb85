package whatif

import (
	"slices"
	"sync"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/measure"
)

// Prepared is a run that is ready for many plans, so that a screen can answer each move of a slider. What a plan asks for is worked
// out the first time that it is asked. Not safe for concurrent use.
type Prepared struct {
	Run *measure.Run

	scenes map[critpath.Edges]*scene
	tokens func() tokens
	owners func() *owners
	seen
}

// Prepare returns run ready for plans. Runs that were seen, this one included, are as in Of.
func Prepare(run *measure.Run, seen []*measure.Run) *Prepared {
	return prepare(run, seenIn(func() []*measure.Run { return append(slices.Clone(seen), run) }))
}

// PrepareAll returns each of runs ready for plans; all of them were seen.
func PrepareAll(runs []*measure.Run) []*Prepared {
	seen := seenIn(func() []*measure.Run { return runs })
	list := make([]*Prepared, len(runs))
	for i, run := range runs {
		list[i] = prepare(run, seen)
	}
	return list
}

func prepare(run *measure.Run, seen seen) *Prepared {
	return &Prepared{
		Run:    run,
		scenes: map[critpath.Edges]*scene{},
		tokens: sync.OnceValue(func() tokens { return tokensOf(run) }),
		owners: sync.OnceValue(func() *owners {
			o := ownersOf(run.Run)
			return &o
		}),
		seen: seen,
	}
}

// seen is what all runs that were seen tell, worked out the first time that it is asked.
type seen struct {
	cachedWaits func() map[string]time.Duration // by model
	tools       func() []string                 // names, sorted
	components  func() []string                 // in the order of display
}

func seenIn(runs func() []*measure.Run) seen {
	return seen{
		cachedWaits: sync.OnceValue(func() map[string]time.Duration { return cachedWaits(runs()) }),
		tools:       sync.OnceValue(func() []string { return toolsOf(runs()) }),
		components:  sync.OnceValue(func() []string { return componentsOf(runs()) }),
	}
}

func toolsOf(runs []*measure.Run) []string {
	var names []string
	for _, r := range runs {
		for _, t := range r.Tools {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func componentsOf(runs []*measure.Run) []string {
	found := map[traces.Component]bool{}
	for _, r := range runs {
		for _, c := range r.Components {
			found[c.Component] = true
		}
	}
	var names []string
	for _, c := range traces.Components {
		if found[c] {
			names = append(names, string(c))
		}
	}
	return names
}

// cachedWaits returns the shortest wait of each model's calls whose input was cached, at least in part.
func cachedWaits(runs []*measure.Run) map[string]time.Duration {
	least := map[string]time.Duration{}
	for _, r := range runs {
		for _, c := range r.Calls {
			if c.Usage.Cached == nil || *c.Usage.Cached <= 0 || c.Answer.Span.Has(traces.FlagFailed) || c.Answer.Span.Has(traces.FlagOpen) {
				continue
			}
			var wait time.Duration
			waited := false
			for _, p := range c.Answer.Phases {
				if Component(traces.Wait).has(p.Component, "") && p.Quality != traces.Bound {
					wait += p.End - p.Start
					waited = true
				}
			}
			if before, ok := least[c.Model]; waited && (!ok || wait < before) {
				least[c.Model] = wait
			}
		}
	}
	return least
}

// scene returns the replay under some dependencies, made once.
func (p *Prepared) scene(e critpath.Edges) *scene {
	s := p.scenes[e]
	if s == nil {
		s = p.newScene(p.Run.Path.Replay(e))
		p.scenes[e] = s
	}
	return s
}

// edited returns the lengths in a scene after a plan's edits.
func (p *Prepared) edited(s *scene, plan Plan, assumed *notes) *change {
	c := p.change(s, plan, assumed)
	for _, e := range plan.Edits {
		c.edit(e)
	}
	return c
}

// Answer answers a plan in full.
func (p *Prepared) Answer(plan Plan) Answer {
	var (
		said   = p.notes(plan)
		a      = Answer{Run: p.Run, Plan: plan, Idle: said.idle, Assumed: said.list}
		c      = p.change(p.scene(plan.edges(false)), plan, nil)
		labels = plan.Labels()
		wall   = p.Run.Wall
		effect = func() {
			after := c.wall()
			a.Effects = append(a.Effects, Effect{labels[len(a.Effects)], wall - after})
			wall = after
		}
	)
	if plan.ParallelTools != AsRecorded {
		effect()
	}
	for _, e := range plan.Edits {
		c.edit(e)
		effect()
	}
	if plan.Steps < 0 {
		c.skip(fewerSteps(p.Run.Run, -plan.Steps).median())
		effect()
	}
	t := c.replay.Play(c.lengths)
	a.After = measure.Of(p.Run.Run.Retime(t.Start, t.End))
	a.Low, a.High = p.Range(plan)
	for _, t := range plan.targets() {
		w := p.sweep(plan, t)
		if w.total == 0 {
			continue // nothing to make shorter
		}
		a.Curves = append(a.Curves, Line{t, w.curve()})
		a.Knees = append(a.Knees, w.knees()...)
	}
	return a
}

// Range returns between what the run's time is under a plan, as Answer.Low and High have it. It costs some replays.
func (p *Prepared) Range(plan Plan) (low, high time.Duration) {
	var walls []time.Duration
	for _, structural := range []bool{false, true} {
		c := p.edited(p.scene(plan.edges(structural)), plan, nil)
		if plan.Steps < 0 {
			f := fewerSteps(p.Run.Run, -plan.Steps)
			walls = append(walls, c.without(f.shortest()), c.without(f.longest()))
			c.skip(f.median())
		}
		walls = append(walls, c.wall())
	}
	return slices.Min(walls), slices.Max(walls)
}

// Assumed returns what a plan takes for granted, or cannot do, as Answer.Assumed has it.
func (p *Prepared) Assumed(plan Plan) []string { return p.notes(plan).list }

func (p *Prepared) notes(plan Plan) *notes {
	assumed := &notes{}
	if plan.ParallelTools != AsRecorded {
		assumed.say("--parallel %s: tool calls of one model message do not need each other's results", plan.ParallelTools)
	}
	c := p.edited(p.scene(plan.edges(false)), plan, assumed)
	if plan.Steps < 0 {
		f := fewerSteps(p.Run.Run, -plan.Steps)
		f.assume(-plan.Steps, assumed)
		c.skip(f.median())
	}
	if c.full {
		assumed.say("times that would be longer than can be counted were cut short")
	}
	if p.Run.Open {
		assumed.say("the run had not ended when it was read: its times are so far")
	}
	return assumed
}

// A Glance is a plan's answer in short, for a slider while it moves.
type Glance struct {
	Wall       time.Duration
	Components []measure.ComponentTime // as in measure.Run; where two ways through the run are as long, perhaps those of the other one
}

// Glance answers a plan in linear time, within milliseconds also for a hundred thousand spans.
func (p *Prepared) Glance(plan Plan) Glance {
	c := p.made(plan)
	wall, parts := c.replay.Way(c.lengths)
	sums, rest := make([]time.Duration, len(c.kinds)), wall
	for _, i := range parts {
		sums[c.kind[i]] += c.lengths[i]
		rest -= c.lengths[i]
	}
	type booked struct {
		component traces.Component
		quality   traces.Quality
	}
	times := map[booked]time.Duration{{traces.Agent, traces.Measured}: rest} // gaps that belong to no part
	for k, d := range sums {
		times[booked{c.kinds[k].component, c.kinds[k].quality}] += d
	}
	g := Glance{Wall: wall}
	for _, component := range traces.Components {
		for _, quality := range []traces.Quality{traces.Measured, traces.Inferred, traces.Bound} {
			if d := times[booked{component, quality}]; d != 0 {
				g.Components = append(g.Components, measure.ComponentTime{Component: component, Time: d, Share: float64(d) / float64(wall), Quality: quality})
			}
		}
	}
	return g
}

// without returns how long the run would be without steps, and leaves the lengths as they are.
func (c *change) without(steps []*traces.Step) time.Duration {
	kept := slices.Clone(c.lengths)
	c.skip(steps)
	wall := c.wall()
	c.lengths = kept
	return wall
}

// wall returns how long the run takes with the lengths as they are.
func (c *change) wall() time.Duration {
	wall, _ := c.replay.Way(c.lengths)
	return wall
}

// made returns the lengths after all of a plan.
func (p *Prepared) made(plan Plan) *change {
	c := p.edited(p.scene(plan.edges(false)), plan, nil)
	if plan.Steps < 0 {
		c.skip(fewerSteps(p.Run.Run, -plan.Steps).median())
	}
	return c
}
