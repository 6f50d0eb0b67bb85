package dialect

import (
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// codex is the agent Codex CLI (0.155 to 0.169). Its spans are those of its program's functions; what a request used stands on a
// span below it. One run writes several traces, which share conversation.id or, as a string, thread.id.
var codex = family{
	name: "Codex",
	is: func(rec *traces.Record) bool {
		return strings.HasPrefix(rec.Scope, "codex") || strings.HasPrefix(rec.Name, "codex.") || strings.HasPrefix(resource(rec, traces.KeyServiceName), "codex")
	},
	keys: []key{
		{"model", traces.KeyRequestModel, text},
		{"codex.turn.reasoning_effort", traces.KeyEffort, nil},
		{"model_reasoning_effort", traces.KeyEffort, nil},
		{"reasoning_effort", traces.KeyEffort, nil},
		{"codex.usage.reasoning_output_tokens", traces.KeyReasoningTokens, nil},
	},
	roles: func(rec *traces.Record) traces.Role {
		switch rec.Name {
		case "session_task.turn":
			return traces.RoleAgent
		case "run_sampling_request":
			return traces.RoleModel
		case "try_run_sampling_request":
			return traces.RoleAttempt
		}
		if rec.Attrs.String("tool_name") != "" && rec.Attrs.String("call_id") != "" {
			return traces.RoleTool
		}
		return traces.RoleInternal
	},
	tree: func(b *batch, s *span) {
		b.endBeforeTools(s)
		if s.isModel() || s.is(traces.RoleAgent) {
			return
		}
		model := s.above(traces.RoleModel)
		if model == nil {
			return
		}
		for _, key := range []string{traces.KeyInputTokens, traces.KeyCachedTokens, traces.KeyOutputTokens, traces.KeyReasoningTokens} {
			if n, ok := s.int(key); ok && !model.has(key) {
				model.set(key, n)
			}
		}
		if model.text(traces.KeyEffort) == "" {
			if turn := s.above(traces.RoleAgent); turn != nil && turn.text(traces.KeyEffort) != "" {
				model.set(traces.KeyEffort, turn.text(traces.KeyEffort))
			}
		}
	},
}
