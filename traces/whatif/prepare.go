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

	scenes      map[critpath.Edges]*scene
	tokens      func() tokens
	owners      func() *owners
	cachedWaits func() map[string]time.Duration
}

// Prepare returns run ready for plans. Runs that were seen are for wait=cached, as in Of.
func Prepare(run *measure.Run, seen []*measure.Run) *Prepared {
	return &Prepared{
		Run:    run,
		scenes: map[critpath.Edges]*scene{},
		tokens: sync.OnceValue(func() tokens { return tokensOf(run) }),
		owners: sync.OnceValue(func() *owners {
			o := ownersOf(run.Run)
			return &o
		}),
		cachedWaits: sync.OnceValue(func() map[string]time.Duration { return cachedWaits(append(slices.Clone(seen), run)) }),
	}
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
		s = newScene(p.Run.Path.Replay(e))
		p.scenes[e] = s
	}
	return s
}

// edited returns the lengths in a scene after a plan's edits.
func (p *Prepared) edited(s *scene, plan Plan, assumed *notes) *change {
	c := p.change(s, assumed)
	for _, e := range plan.Edits {
		c.edit(e)
	}
	return c
}

// Answer answers a plan in full.
func (p *Prepared) Answer(plan Plan) Answer {
	var (
		assumed = &notes{}
		scene   = p.scene(plan.edges(false))
		a       = Answer{Run: p.Run, Plan: plan}
		wall    = p.Run.Wall
		effect  = func(label string, c *change) critpath.Timing {
			t := scene.replay.Play(c.lengths)
			a.Effects = append(a.Effects, Effect{label, wall - t.Wall})
			wall = t.Wall
			return t
		}
		c      = p.change(scene, assumed)
		labels = plan.Labels()
		timing critpath.Timing
	)
	if plan.ParallelTools != AsRecorded {
		timing = effect(labels[0], c)
		assumed.say("--parallel %s: tool calls of one model message do not need each other's results", plan.ParallelTools)
	} else {
		timing = scene.replay.Play(c.lengths)
	}
	for _, e := range plan.Edits {
		c.edit(e)
		timing = effect(e.String(), c)
	}
	walls := []time.Duration{timing.Wall}
	loose := p.edited(p.scene(plan.edges(true)), plan, nil)
	if plan.Steps < 0 {
		f := fewerSteps(p.Run.Run, -plan.Steps)
		f.assume(-plan.Steps, assumed)
		for _, steps := range [][]*traces.Step{f.shortest(), f.longest()} {
			walls = append(walls, c.without(steps), loose.without(steps))
		}
		c.skip(f.median())
		loose.skip(f.median())
		timing = effect(labels[len(labels)-1], c)
		walls[0] = timing.Wall
	}
	walls = append(walls, loose.replay.Play(loose.lengths).Wall)
	if c.full {
		assumed.say("times that would be longer than can be counted were cut short")
	}
	if p.Run.Open {
		assumed.say("the run had not ended when it was read: its times are so far")
	}
	a.After = measure.Of(p.Run.Run.Retime(timing.Start, timing.End))
	a.Low, a.High = slices.Min(walls), slices.Max(walls)
	a.Assumed = assumed.list
	for _, t := range plan.targets() {
		w := p.sweep(plan, t)
		a.Curves = append(a.Curves, Line{t, w.curve()})
		a.Knees = append(a.Knees, w.knees()...)
	}
	return a
}

// without returns how long the run would be without steps, and leaves the lengths as they are.
func (c *change) without(steps []*traces.Step) time.Duration {
	kept := slices.Clone(c.lengths)
	c.skip(steps)
	wall := c.replay.Play(c.lengths).Wall
	c.lengths = kept
	return wall
}

// wall returns how long the run would take under a plan.
func (p *Prepared) wall(plan Plan) time.Duration {
	c := p.made(plan)
	return c.replay.Play(c.lengths).Wall
}

// made returns the lengths after all of a plan.
func (p *Prepared) made(plan Plan) *change {
	c := p.edited(p.scene(plan.edges(false)), plan, nil)
	if plan.Steps < 0 {
		c.skip(fewerSteps(p.Run.Run, -plan.Steps).median())
	}
	return c
}
