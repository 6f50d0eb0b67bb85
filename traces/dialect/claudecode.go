package dialect

import (
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// claudeCode is the agent Claude Code with its telemetry in beta (2.1.240), whose attributes have plain names.
var claudeCode = family{
	name: "Claude Code",
	is:   func(rec *traces.Record) bool { return strings.HasPrefix(rec.Name, "claude_code.") },
	keys: []key{
		{"model", traces.KeyRequestModel, nil},
		{"output_tokens", traces.KeyOutputTokens, nil},
		{"cache_read_tokens", traces.KeyCachedTokens, nil},
		{"cache_creation_tokens", traces.KeyCacheWriteTokens, nil},
		{"effort", traces.KeyEffort, nil},
		{"status_code", traces.KeyHTTPStatus, nil},
	},
	roles: func(rec *traces.Record) traces.Role { return codeRole(strings.TrimPrefix(rec.Name, "claude_code.")) },
	span: func(_ *batch, s *span) {
		in, ok := s.Attrs.Int("input_tokens") // without what was read from and written to the cache
		if !ok || s.Attrs.Has(traces.KeyInputTokens) {
			return
		}
		read, _ := s.Attrs.Int("cache_read_tokens")
		written, _ := s.Attrs.Int("cache_creation_tokens")
		s.set(traces.KeyInputTokens, in+read+written)
	},
	tree: codeTree,
}

// qwenCode is the agent Qwen Code (0.24), whose spans have the same shape and the attributes of OpenTelemetry's convention.
var qwenCode = family{
	name:  "Qwen Code",
	is:    func(rec *traces.Record) bool { return strings.HasPrefix(rec.Name, "qwen-code.") },
	roles: func(rec *traces.Record) traces.Role { return codeRole(strings.TrimPrefix(rec.Name, "qwen-code.")) },
	tree:  codeTree,
}

func codeRole(name string) traces.Role {
	switch name {
	case "interaction", "subagent":
		return traces.RoleAgent
	case "llm_request":
		return traces.RoleModel
	case "tool":
		return traces.RoleTool
	case "tool.blocked_on_user":
		return traces.RoleWait
	}
	return traces.RoleInternal
}

func codeTree(_ *batch, s *span) {
	switch {
	case strings.HasSuffix(s.Name, ".tool.blocked_on_user"):
		s.set(traces.KeyWait, "approval")
	case strings.HasSuffix(s.Name, ".tool.execution") && s.parent != nil && s.parent.is(traces.RoleTool) && s.End >= s.Start && s.End != 0:
		s.parent.set(traces.KeyRunTime, s.End-s.Start) // the tool's own span holds hooks and the wait for permission too
	case s.isModel():
		// The number of attempts counts where no span shows them.
		for _, k := range s.kids {
			if k.has(traces.KeyHTTPMethod) {
				return
			}
		}
		if n, ok := s.Attrs.Int("attempt"); ok && n > 1 {
			s.set(traces.KeyResendCount, n-1)
		}
	}
}
