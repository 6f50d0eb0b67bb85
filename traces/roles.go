package traces

import "strings"

// Role returns the role that the span has by itself, whatever surrounds it: what it declares, else what its operation says,
// else its kind.
func (rec *Record) Role() Role {
	if r := Role(rec.Attrs.String(KeyRole)); r.valid() {
		return r
	}
	switch rec.Attrs.String(KeyOperation) {
	case "chat", "text_completion", "generate_content", "embeddings":
		return RoleModel
	case "execute_tool", "retrieval", "search_memory", "create_memory", "update_memory", "upsert_memory", "delete_memory",
		"create_memory_store", "delete_memory_store":
		return RoleTool
	case "invoke_agent", "create_agent", "invoke_workflow":
		return RoleAgent
	}
	switch rec.Kind {
	case KindServer:
		return RoleServer
	case KindClient:
		return RoleClient
	case KindProducer:
		return RoleProducer
	case KindConsumer:
		return RoleConsumer
	}
	return RoleInternal
}

func (r Role) valid() bool {
	switch r {
	case RoleAgent, RoleStep, RoleModel, RoleAttempt, RolePhase, RoleTool, RoleWait,
		RoleClient, RoleServer, RoleProducer, RoleConsumer, RoleInternal:
		return true
	}
	return false
}

// isHTTP reports whether a span is an HTTP request as OpenTelemetry describes one.
func isHTTP(rec *Record) bool {
	for _, a := range rec.Attrs {
		switch a.Key {
		case KeyHTTPStatus, KeyHTTPMethod, KeyResendCount:
			return true
		}
	}
	return false
}

// findRoles gives every span its role and its flags. Between a model call and what belongs to it there may be spans of no
// role; an agent, a step or a tool begins a world of its own.
func (b *builder) findRoles() {
	spans := b.run.Spans
	model := make([]*Span, len(spans))   // the nearest model span around it
	attempt := make([]*Span, len(spans)) // the nearest attempt of the same call
	good := map[*Span]int{}              // how many calls that went well lie directly in a model span
	for _, s := range spans {
		if s.Record == nil {
			s.Role = RoleInternal
			continue
		}
		s.Role = s.Record.Role()
		s.flag()
		if s.Has(FlagOpen) {
			b.run.Open = true
		}
		if s.Has(FlagOpen) && b.opt.Now.IsZero() {
			b.problems.add(Unfinished, s.ID, "%q has no end; taken to last until %s after the run's start", s.Name, s.End)
		}
		around(s, model, RoleModel)
		around(s, attempt, RoleAttempt)
		if m := model[s.Index]; m != nil && attempt[s.Index] == nil && s.Role == RoleModel && s.Kind != KindServer && sameCall(m, s) &&
			!outcomeOf(s).Failed() {
			good[m]++
		}
	}
	clear(model)
	clear(attempt)
	tool := make([]*Span, len(spans))
	layer := map[*Span]bool{} // spans that are in b.layers
	b.layers = map[*Span][]*Span{}
	for _, s := range spans {
		if s.Record == nil {
			continue
		}
		around(s, model, RoleModel)
		around(s, tool, RoleTool)
		around(s, attempt, RoleAttempt)
		m, t, a := model[s.Index], tool[s.Index], attempt[s.Index]
		switch {
		case s.Role == RoleModel && good[s] > 1:
			s.Role = RoleInternal // it holds several calls, so it is none
		case s.Role == RoleModel && m != nil && s.Kind == KindServer && sameCall(m, s):
			s.Role = RoleServer // the provider's own view of the call
		case s.Role == RoleModel && m != nil && sameCall(m, s):
			b.layers[m] = append(b.layers[m], s)
			layer[s] = true
			s.becomeAttempt(a, layer)
		case s.Role == RoleClient && m != nil && isHTTP(s.Record):
			s.becomeAttempt(a, layer)
		case s.Role == RoleTool && t != nil && sameTool(t, s):
			s.Role = RoleInternal
		}
		if s.Role == RoleTool {
			s.flagOutcome()
		}
	}
}

// around notes the nearest span of a role around s, unless the world of another call lies between.
func around(s *Span, nearest []*Span, role Role) {
	p := s.Parent
	if p == nil {
		return
	}
	switch p.Role {
	case role:
		nearest[s.Index] = p
	case RoleAgent, RoleStep, RoleTool, RoleModel:
	default:
		nearest[s.Index] = nearest[p.Index]
	}
}

// becomeAttempt makes s an attempt. Inside a recorded one it is a detail; inside a layer of the call it takes that one's place.
func (s *Span) becomeAttempt(outer *Span, layer map[*Span]bool) {
	switch {
	case outer == nil || outer.Role != RoleAttempt:
		s.Role = RoleAttempt
	case layer[outer]:
		s.Role, outer.Role = RoleAttempt, RoleInternal
	case s.Role == RoleModel:
		s.Role = RoleInternal
	}
}

// A place is what lies around a span, nil where there is no such thing.
type place struct {
	model, attempt *Span // the nearest ones of the same call
	tool, agent    *Span // the nearest ones
	step           *Span // the outermost one
}

// findPlaces notes what lies around each span.
func (b *builder) findPlaces() {
	b.places = make([]place, len(b.run.Spans))
	for _, s := range b.run.Spans[1:] {
		p := b.places[s.Parent.Index]
		switch s.Parent.Role {
		case RoleAgent:
			p.agent, p.model, p.attempt = s.Parent, nil, nil
		case RoleTool:
			p.tool, p.model, p.attempt = s.Parent, nil, nil
		case RoleStep:
			p.model, p.attempt = nil, nil
			if p.step == nil {
				p.step = s.Parent
			}
		case RoleModel:
			p.model, p.attempt = s.Parent, nil
		case RoleAttempt:
			p.attempt = s.Parent
		}
		b.places[s.Index] = p
	}
}

// sameCall reports whether a model span inside another is the same call seen by a lower layer.
func sameCall(outer, inner *Span) bool {
	a, b := outer.Attrs(), inner.Attrs()
	if (a.String(KeyOperation) == "embeddings") != (b.String(KeyOperation) == "embeddings") {
		return false
	}
	if id := a.String(KeyResponseID); id != "" && id == b.String(KeyResponseID) {
		return true
	}
	return sameModel(modelOf(a), modelOf(b))
}

func modelOf(a Attrs) string {
	if m := a.String(KeyRequestModel); m != "" {
		return m
	}
	return a.String(KeyResponseModel)
}

// sameModel compares names of which one may be dated, prefixed by a provider, or unknown.
func sameModel(a, b string) bool { return strings.Contains(a, b) || strings.Contains(b, a) }

// sameTool reports whether a tool span inside another is the same execution seen by a lower layer.
func sameTool(outer, inner *Span) bool {
	a, b := outer.Attrs(), inner.Attrs()
	if x, y := a.String(KeyToolCallID), b.String(KeyToolCallID); x != "" && y != "" {
		return x == y
	}
	x, y := a.String(KeyToolName), b.String(KeyToolName)
	return x != "" && x == y
}

// flag sets what the attributes declare.
func (s *Span) flag() {
	for _, a := range s.Record.Attrs {
		switch a.Key {
		case KeyBackground:
			if v, _ := s.Record.Attrs.Bool(KeyBackground); v {
				s.Flags |= FlagBackground
			}
		case KeyCancelled:
			if v, _ := s.Record.Attrs.Bool(KeyCancelled); v {
				s.Flags |= FlagCancelled
			}
		case KeyOpen:
			if v, _ := s.Record.Attrs.Bool(KeyOpen); v {
				s.Flags |= FlagOpen
			}
		case KeyQuality:
			switch v, _ := a.Value.(string); Quality(v) {
			case Inferred:
				s.Flags |= FlagInferred
			case Bound:
				s.Flags |= FlagBound
			}
		case KeyPhase:
			if v, ok := a.Value.(string); ok && s.Role == RolePhase {
				s.Phase = ParsePhase(v)
			}
		}
	}
	if s.Role == RolePhase && s.Phase == "" {
		s.Phase = ParsePhase(s.Name)
	}
}

func (s *Span) flagOutcome() {
	switch o := outcomeOf(s); {
	case o.Failed():
		s.Flags |= FlagFailed
	case o == Cancelled:
		s.Flags |= FlagCancelled
	}
}

// outcomeOf says how a call, an attempt or a tool ended: what it declares, else what its status, its error type and its HTTP
// status tell. OpenTelemetry leaves the status of what went well unset.
func outcomeOf(s *Span) Outcome {
	a := s.Attrs()
	switch o := Outcome(a.String(KeyOutcome)); o {
	case OK, Error, Truncated, Cancelled, Timeout, FailedCheck, OutcomeUnknown:
		return o
	}
	status, _ := a.Int(KeyHTTPStatus)
	kind := a.String(KeyErrorType)
	switch {
	case s.Has(FlagCancelled):
		return Cancelled
	case status >= 400 || kind != "" || s.Record != nil && s.Record.Status == StatusError:
		return errorOutcome(kind)
	case s.Has(FlagOpen):
		return OutcomeUnknown
	}
	return OK
}

// errorOutcome reads the class of an error from its type's name, which each language spells its own way.
func errorOutcome(kind string) Outcome {
	kind = strings.ToLower(kind)
	for _, word := range []string{"timeout", "timedout", "timed out", "deadline"} {
		if strings.Contains(kind, word) {
			return Timeout
		}
	}
	for _, word := range []string{"cancel", "abort"} {
		if strings.Contains(kind, word) {
			return Cancelled
		}
	}
	return Error
}
