package critpath

import (
	"sync"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// A Path is the critical path of a run. It is read-only and safe for concurrent use.
type Path struct {
	Run        *traces.Run
	Segments   []Segment        // in time order, without gaps or overlaps from 0 to the run's wall time; empty if that is 0
	Detached   []Detached       // work that outlived the run, in the order of its spans: the root may have been closed too early
	Background []Detached       // outermost spans that nothing waits for by declaration, likewise; a link may have put one on the path
	Problems   []traces.Problem // spans that were clipped or left out, and what could not be told

	tree   *tree
	sums   func() *sums
	base   func() *base
	drags  func() *drags
	source func() []int32 // what made each span start while it was still going on itself
}

// A Segment is a stretch of the run that Span alone held up. Neighbours differ in span or component.
type Segment struct {
	Span      *traces.Span
	From, To  time.Duration // since the start of the run; From < To
	Component traces.Component
	Tool      string         // the tool's name where Component is Tool, else ""
	Quality   traces.Quality // how the span's time is known
}

// Duration returns To - From.
func (s Segment) Duration() time.Duration { return s.To - s.From }

// Detached is work that the run did not wait for.
type Detached struct {
	Span     *traces.Span
	Total    time.Duration // of the span
	Within   time.Duration // the part of it during the run
	Trailing time.Duration // the part of it after the run
}

// Outside reports whether all of the work was done before or after the run.
func (d Detached) Outside() bool { return d.Within == 0 }

// Find returns the critical path of a run. It never fails; a run that is still open is taken as of now. It takes
// O(n log n) time for n spans and needs no recursion.
func Find(run *traces.Run) *Path {
	p := &Path{Run: run}
	if run.Root != nil && len(run.Spans) > 0 {
		p.tree = join(run)
		p.Segments = segments(p.tree, walk(p.tree))
		p.Detached, p.Background = p.tree.detached, p.tree.background
		p.Problems = p.tree.problems.finish()
	}
	p.sums = sync.OnceValue(func() *sums { return sum(p) })
	p.source = sync.OnceValue(func() []int32 { return sources(p.tree) })
	p.base = sync.OnceValue(func() *base { return newBase(p) })
	p.drags = sync.OnceValue(func() *drags { return newDrags(p.base()) })
	return p
}

// OnPath returns how long the run was waiting for s itself, not for what is below it. The first call costs one pass over
// the path.
func (p *Path) OnPath(s *traces.Span) time.Duration {
	if !p.has(s) {
		return 0
	}
	return p.sums().own[s.Index]
}

// Below returns how long the run was waiting for s or anything below it.
func (p *Path) Below(s *traces.Span) time.Duration {
	if !p.has(s) {
		return 0
	}
	return p.sums().below[s.Index]
}

// Tool returns how long the run was waiting for the tool called name to execute, nested calls of other tools and models
// left out.
func (p *Path) Tool(name string) time.Duration { return p.sums().tools[name] }

func (p *Path) has(s *traces.Span) bool {
	return s != nil && int(s.Index) < len(p.Run.Spans) && p.Run.Spans[s.Index] == s
}

// sums are times on the path, by span and by tool.
type sums struct {
	own, below []time.Duration // by Index
	tools      map[string]time.Duration
}

func sum(p *Path) *sums {
	n := len(p.Run.Spans)
	s := &sums{own: make([]time.Duration, n), below: make([]time.Duration, n), tools: map[string]time.Duration{}}
	for _, seg := range p.Segments {
		s.own[seg.Span.Index] += seg.Duration()
		if seg.Component == traces.Tool {
			s.tools[seg.Tool] += seg.Duration()
		}
	}
	for i := n - 1; i >= 0; i-- { // parents come before children
		s.below[i] += s.own[i]
		if parent := p.Run.Spans[i].Parent; parent != nil {
			s.below[parent.Index] += s.below[i]
		}
	}
	return s
}
