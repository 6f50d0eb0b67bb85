package whatif

import (
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// A summary is what there is to be changed in some runs.
type summary struct {
	runs       int
	components map[traces.Component]onPath
	tools      map[string]onPath
	hidden     int  // calls that reasoned without a phase to show for it
	written    bool // something was written in phases
	toolCalls  int  // the most of a run
	steps      int  // likewise
}

// onPath is time that runs waited for, and how it is known.
type onPath struct {
	sum     float64 // of all runs, in nanoseconds: their times may be too long to be added up otherwise
	quality traces.Quality
}

func (p onPath) plus(d time.Duration, q traces.Quality) onPath {
	rank := map[traces.Quality]int{traces.Inferred: 1, traces.Bound: 2}
	if p.quality == "" || rank[q] > rank[p.quality] {
		p.quality = q
	}
	p.sum += float64(d)
	return p
}

func (s *summary) mean(sum float64) time.Duration {
	return time.Duration(sum / float64(max(1, s.runs)))
}

func (s *summary) prefill() bool {
	_, ok := s.components[traces.Prefill]
	return ok
}

func survey(runs []*measure.Run) *summary {
	s := &summary{runs: len(runs), components: map[traces.Component]onPath{}, tools: map[string]onPath{}}
	for _, r := range runs {
		for _, c := range r.Components {
			s.components[c.Component] = s.components[c.Component].plus(c.Time, c.Quality)
			switch c.Component {
			case traces.Reasoning, traces.Output, traces.ToolArgs:
				s.written = true
			}
		}
		for _, t := range r.Tools {
			q := traces.Measured
			if t.Measured < t.Calls {
				q = traces.Bound
			}
			s.tools[t.Name] = s.tools[t.Name].plus(t.Critical, q)
		}
		for i := range r.Calls {
			if hides(&r.Calls[i]) {
				s.hidden++
			}
		}
		s.toolCalls = max(s.toolCalls, len(r.ToolCalls))
		s.steps = max(s.steps, len(r.Steps))
	}
	return s
}

// hides reports whether a call's reasoning was billed, but has no phase.
func hides(c *measure.Call) bool {
	if c.Usage.Reasoning == nil || *c.Usage.Reasoning <= 0 || c.Answer.Span.Has(traces.FlagFailed) {
		return false
	}
	for _, p := range c.Answer.Phases {
		if p.Component == traces.Reasoning {
			return false
		}
	}
	return true
}
