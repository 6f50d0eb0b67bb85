package whatif

import (
	"slices"
	"sync"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
)

// A scene is a run's replay under one set of dependencies, with what edits ask about its stretches.
type scene struct {
	replay   *critpath.Replay
	recorded []time.Duration // length of each part
	kinds    []kind
	kind     []int32 // by part: index in kinds

	occurrence func() []int32   // by part: the span whose such time is one occurrence; none if the part is its own
	tokens     func() []float64 // by part: what was written in it; unknown if nobody counted
}

// A kind is what parts are booked on, and how their time is known.
type kind struct {
	component traces.Component
	tool      string
	quality   traces.Quality
	negative  bool // shorter than nothing: nobody's time
}

func (k kind) target() Target { return Target{string(k.component), k.tool} }

func (p *Prepared) newScene(r *critpath.Replay) *scene {
	s := &scene{replay: r, recorded: r.Lengths(), kind: make([]int32, len(r.Parts))}
	index := map[kind]int32{}
	for i := range r.Parts {
		part := &r.Parts[i]
		key := kind{part.Component, part.Tool, part.Quality, s.recorded[i] < 0}
		k, ok := index[key]
		if !ok {
			k = int32(len(s.kinds))
			index[key] = k
			s.kinds = append(s.kinds, key)
		}
		s.kind[i] = k
	}
	s.occurrence = sync.OnceValue(func() []int32 {
		owners := p.owners()
		list := make([]int32, len(r.Parts))
		for i := range r.Parts {
			list[i] = owners.of(&r.Parts[i])
		}
		return list
	})
	s.tokens = sync.OnceValue(func() []float64 { return s.spread(p.tokens().in) })
	return s
}

// spread splits the tokens of each phase over its parts, by length.
func (s *scene) spread(in []float64) []float64 {
	own := make([]time.Duration, len(in))
	for i := range s.replay.Parts {
		own[s.replay.Parts[i].Span.Index] += max(s.recorded[i], 0)
	}
	list := make([]float64, len(s.replay.Parts))
	for i := range s.replay.Parts {
		span := s.replay.Parts[i].Span.Index
		list[i] = unknown
		if in[span] != unknown && s.recorded[i] > 0 {
			list[i] = in[span] * float64(s.recorded[i]) / float64(own[span])
		}
	}
	return list
}

// selected tells for each kind whether it is of any of the targets, and can be changed.
func (s *scene) selected(targets ...Target) []bool {
	list := make([]bool, len(s.kinds))
	for k, kind := range s.kinds {
		list[k] = !kind.negative && slices.ContainsFunc(targets, func(t Target) bool { return t.has(kind.component, kind.tool) })
	}
	return list
}

// owners say which spans the time of a span counts together with, where an edit sets how long each occurrence lasts. By span; none:
// nothing like it is around the span.
type owners struct {
	attempt, tool, wait []int32
}

const none = -1

// ownersOf finds the nearest attempt (or model call), tool and wait at or above each span.
func ownersOf(run *traces.Run) owners {
	n := len(run.Spans)
	o := owners{make([]int32, n), make([]int32, n), make([]int32, n)}
	for i, s := range run.Spans { // parents come before children
		o.attempt[i], o.tool[i], o.wait[i] = none, none, none
		if s.Parent != nil {
			p := s.Parent.Index
			o.attempt[i], o.tool[i], o.wait[i] = o.attempt[p], o.tool[p], o.wait[p]
		}
		switch s.Role {
		case traces.RoleAttempt, traces.RoleModel:
			o.attempt[i] = int32(i)
		case traces.RoleTool:
			o.tool[i] = int32(i)
		case traces.RoleWait:
			o.wait[i] = int32(i)
		}
	}
	return o
}

// of returns the span whose such time is one occurrence; none if each stretch is its own.
func (o *owners) of(part *critpath.Part) int32 {
	i := part.Span.Index
	switch part.Component {
	case traces.Tool:
		return o.tool[i]
	case traces.Approval:
		return o.wait[i]
	case traces.Backoff, traces.Startup, traces.Agent, traces.Untraced:
		return none
	}
	return o.attempt[i]
}
