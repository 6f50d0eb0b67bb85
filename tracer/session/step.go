package session

import (
	"slices"
	"strconv"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// An agent is a line of steps, one after the other, below one span: the run's own, or that of a sub-agent.
type agent struct {
	run     *run
	span    *span
	steps   []*step
	current *conversation // whose turn it is
	side    bool          // works for the main chain
	ended   bool
}

// A step is one turn: a call and its tools. It is closed when all of them have ended.
type step struct {
	agent *agent
	call  *call
	span  *span
}

func (a *agent) step(c *call, start time.Time) *step {
	n := len(a.steps) + 1
	s := a.run.span(a.span, traces.RoleStep, traces.KindInternal, "step "+strconv.Itoa(n), start)
	s.int(traces.KeyStepIndex, int64(n))
	st := &step{agent: a, call: c, span: s}
	a.steps = append(a.steps, st)
	s.write()
	return st
}

// settle closes the step if nothing of it is open.
func (s *step) settle() {
	if s.call.settled && len(s.call.pending()) == 0 {
		s.span.close(s.end())
	}
}

func (s *step) end() time.Time {
	end := s.call.end()
	for _, t := range s.call.tools {
		end = later(end, t.span.end)
	}
	return end
}

// isBusy reports whether one of the agent's calls waits for its answer.
func (a *agent) isBusy() bool {
	return slices.ContainsFunc(a.steps, func(s *step) bool { return s.call.isOpen() })
}

// isWaiting reports whether one of the agent's tools is under way and has not been given up.
func (a *agent) isWaiting() bool {
	return slices.ContainsFunc(a.steps, func(s *step) bool { return len(s.call.waiting()) > 0 })
}

// finish ends the agent and returns when the last of its work ended; at is when tools ended whose results never came.
func (a *agent) finish(at time.Time) time.Time {
	if a.ended {
		return a.span.end
	}
	a.ended = true
	var end time.Time
	for _, s := range a.steps {
		s.call.giveUp(at)
		end = later(end, s.end())
	}
	if a.span != a.run.root {
		a.span.outcome(a.outcome())
		a.span.close(end)
	}
	return end
}

// outcome is that of the call that ended last.
func (a *agent) outcome() (traces.Outcome, string) {
	if len(a.steps) == 0 {
		return traces.OutcomeUnknown, ""
	}
	last := a.steps[0]
	for _, s := range a.steps {
		if !s.call.end().Before(last.call.end()) {
			last = s
		}
	}
	final := last.call.final()
	return final.outcome, final.word
}

// detach puts a sub-agent that outlives its tool below the run: nothing waits for it now.
func (a *agent) detach() {
	a.span.rec.ParentID = a.run.root.rec.SpanID
	a.span.truth(traces.KeyBackground, true)
	a.span.write()
}
