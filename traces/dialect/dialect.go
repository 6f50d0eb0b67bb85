// Package dialect translates what other libraries write on their spans into the words of package traces.
//
// In go records as they were read, out come the same records with the attributes that traces.Build understands added: the
// role of each span, the model's name, tokens, the time to the first chunk in seconds, ids of tool calls, and so on. What a
// span does not carry stays absent; where that leaves a question open, it is listed as a problem. Spans of our own, which name
// their role, pass unchanged, and a span that no rule knows stays what its kind says.
//
// There are three mechanisms. The matrix (matrix.go) renames attributes and converts their units. The tables of roles
// (roles.go) say what a span is. The families, one a file, hold what takes more than a look at one attribute: times of events, JSON
// inside of strings, spans that must be seen together. The words come from the libraries' sources and documentation as of
// autumn 2026, each named in its file.
package dialect

import (
	"slices"

	"github.com/seed46266073/longpole/traces"
)

// A family is one library, or several that share a way to write.
type family struct {
	name  string
	is    func(*traces.Record) bool // whether the span was written by it
	keys  []key                     // attributes that mean something on its spans only
	roles func(*traces.Record) traces.Role
	span  func(*batch, *span) // translates one span
	tree  func(*batch, *span) // after all spans were translated: what takes a look at others
}

// families in the order in which they are asked; the first one that knows a span has it.
var families = []*family{
	&claudeCode, &qwenCode, &anthropicSDK, &codex, &openCode, &geminiCLI, &adk, &aiSDK, &langfuse, &openInference, &langSmith, &laminar, &traceloop,
	&pydantic, &genAI,
}

// A span is one record on its way.
type span struct {
	*traces.Record
	family *family
	role   traces.Role // as far as it is known; "" leaves it to the operation and the kind
	parent *span
	kids   []*span
	extra  traces.Attrs // added to the attributes in the end
}

// set adds an attribute, which then is the one that readers see.
func (s *span) set(key string, value any) {
	s.extra = append(s.extra, traces.Attr{Key: key, Value: value})
}

// has reports whether an attribute is there by its own or by translation.
func (s *span) has(key string) bool { return s.extra.Has(key) || s.Attrs.Has(key) }

func (s *span) text(key string) string {
	if v := s.extra.String(key); v != "" {
		return v
	}
	return s.Attrs.String(key)
}

func (s *span) int(key string) (int64, bool) {
	if n, ok := s.extra.Int(key); ok {
		return n, true
	}
	return s.Attrs.Int(key)
}

func (s *span) float(key string) (float64, bool) {
	if f, ok := s.extra.Float(key); ok {
		return f, true
	}
	return s.Attrs.Float(key)
}

// isModel reports whether the span is a call to a model, by role or by operation.
func (s *span) isModel() bool { return s.is(traces.RoleModel) }

func (s *span) is(role traces.Role) bool {
	if s.role != "" {
		return s.role == role
	}
	return operations[s.Attrs.String(traces.KeyOperation)] == role
}

// A batch is all records that are translated together.
type batch struct {
	spans    []*span
	problems []traces.Problem
	gaps     map[gap]int
	tools    map[callID]*span // the earliest span of each tool call
}

type callID struct{ trace, id string }

// A gap is something that spans of a family do not tell.
type gap struct{ family, what string }

// missing counts a span that leaves something open.
func (b *batch) missing(s *span, what string) { b.gaps[gap{s.family.name, what}]++ }

// Normalise returns the records in our words, and what they leave open. The argument is not changed; what did not need a
// translation is shared with it. Records that are no spans of their own are left out.
func Normalise(records []traces.Record) ([]traces.Record, []traces.Problem) {
	if !slices.ContainsFunc(records, func(rec traces.Record) bool { return !isOurs(&rec) }) {
		return slices.Clip(records), nil
	}
	out := make([]traces.Record, 0, len(records))
	b := &batch{gaps: map[gap]int{}, tools: map[callID]*span{}}
	for i := range records {
		f := familyOf(&records[i])
		rec := records[i]
		if f == nil {
			out = append(out, rec)
			continue
		}
		if unpend(&rec) {
			out = append(out, rec)
			continue
		}
		out = append(out, rec) // its place; out never grows beyond its capacity
		b.spans = append(b.spans, &span{Record: &out[len(out)-1], family: f})
	}
	b.connect()
	for _, s := range b.spans {
		s.translate()
		s.role = s.roleOf()
		if s.family.span != nil {
			s.family.span(b, s)
		}
		b.common(s)
		b.note(s)
	}
	for _, s := range b.spans {
		if s.family.tree != nil {
			s.family.tree(b, s)
		}
	}
	for _, s := range b.spans {
		if s.role != "" {
			s.set(traces.KeyRole, string(s.role))
		}
		if len(s.extra) > 0 {
			s.Attrs = append(slices.Clip(s.Attrs), s.extra...)
		}
		b.audit(s)
	}
	return out, b.report()
}

// note remembers a tool's span.
func (b *batch) note(s *span) {
	id := callID{s.TraceID, s.text(traces.KeyToolCallID)}
	if id.id == "" || !s.is(traces.RoleTool) {
		return
	}
	if t := b.tools[id]; t == nil || s.Start < t.Start {
		b.tools[id] = s
	}
}

// isOurs reports whether a span is written in our words.
func isOurs(rec *traces.Record) bool { return rec.Attrs.Has(traces.KeyRole) }

// familyOf returns the family of a span, nil for one of our own.
func familyOf(rec *traces.Record) *family {
	if isOurs(rec) {
		return nil
	}
	for _, f := range families {
		if f.is(rec) {
			return f
		}
	}
	return nil
}

// connect finds the parents.
func (b *batch) connect() {
	type id struct{ trace, span string }
	byID := make(map[id]*span, len(b.spans))
	for _, s := range b.spans {
		byID[id{s.TraceID, s.SpanID}] = s
	}
	for _, s := range b.spans {
		if p := byID[id{s.TraceID, s.ParentID}]; p != nil && p != s && s.ParentID != "" {
			s.parent = p
			p.kids = append(p.kids, s)
		}
	}
}

// above returns the nearest span around s that is a given role, at most a given number of levels up, so that a broken
// tree costs little.
func (s *span) above(role traces.Role) *span {
	p := s.parent
	for range maxLevels {
		if p == nil || p.is(role) {
			return p
		}
		p = p.parent
	}
	return nil
}

const maxLevels = 32
