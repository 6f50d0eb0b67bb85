package dialect

import (
	"slices"

	"github.com/seed46266073/longpole/traces"
)

// openCode is the agent opencode (1.18): its own spans by hundreds, which stay without a role, and among them the AI SDK's.
// One run of its command line writes several traces, which share opencode.run in their resource.
var openCode = family{
	name: "opencode",
	is: func(rec *traces.Record) bool {
		return rec.Scope == "opencode" || resource(rec, "service.name") == "opencode"
	},
	roles: aiSDKRole,
	tree: func(b *batch, s *span) {
		aiSDKTree(b, s)
		if id := resource(s.Record, "opencode.run"); id != "" && s.parent == nil && resource(s.Record, "opencode.client") == "cli" {
			s.set(traces.KeyRunID, id)
			s.set(traces.KeyRunName, "opencode run")
		}
		if s.isModel() && s.below("SessionPrompt.ensureTitle") {
			s.set(traces.KeySide, true)
		}
	},
}

func resource(rec *traces.Record, key string) string {
	if rec.Resource == nil {
		return ""
	}
	return rec.Resource.Attrs.String(key)
}

// below reports whether a span of one of the names is around s.
func (s *span) below(names ...string) bool {
	p := s.parent
	for range maxLevels {
		if p == nil {
			return false
		}
		if slices.Contains(names, p.Name) {
			return true
		}
		p = p.parent
	}
	return false
}
