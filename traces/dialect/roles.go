package dialect

import (
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// operations are the values of gen_ai.operation.name: the convention's own, which traces.Build knows too, and what emitters
// write beside them.
var operations = map[string]traces.Role{
	"chat": traces.RoleModel, "text_completion": traces.RoleModel, "generate_content": traces.RoleModel, "embeddings": traces.RoleModel,
	"execute_tool": traces.RoleTool, "retrieval": traces.RoleTool, "search_memory": traces.RoleTool, "create_memory": traces.RoleTool,
	"update_memory": traces.RoleTool, "upsert_memory": traces.RoleTool, "delete_memory": traces.RoleTool,
	"create_memory_store": traces.RoleTool, "delete_memory_store": traces.RoleTool,
	"invoke_agent": traces.RoleAgent, "create_agent": traces.RoleAgent, "invoke_workflow": traces.RoleAgent,

	"agent_step": traces.RoleStep, "react": traces.RoleStep, // AI SDK 7; LoongSuite
	"rerank": traces.RoleTool, "vector_db_retrieve": traces.RoleTool, "tool_call": traces.RoleTool, // AI SDK 7; Traceloop; Gemini CLI
	"llm_request": traces.RoleModel, "llm_call": traces.RoleModel, "completion": traces.RoleModel, // Traceloop; Gemini CLI; …
	"generate": traces.RoleModel, "response": traces.RoleModel,
	"agent_call": traces.RoleAgent, "user_prompt": traces.RoleAgent, // Gemini CLI
	"execute_task": traces.RoleInternal, "invoke_node": traces.RoleInternal, "plan": traces.RoleInternal, // Traceloop; ADK; the convention
	"schedule_tool_calls": traces.RoleInternal, "system_prompt": traces.RoleInternal,
}

// A kindKey is an attribute whose value says what a span is.
type kindKey struct {
	key   string
	roles map[string]traces.Role
}

// kinds in order of precedence. Their values are compared in lower case.
var kinds = []kindKey{
	{"langfuse.observation.type", map[string]traces.Role{"generation": traces.RoleModel, "embedding": traces.RoleModel, "agent": traces.RoleAgent,
		"tool": traces.RoleTool, "retriever": traces.RoleTool, "chain": traces.RoleInternal, "span": "", "event": traces.RoleInternal,
		"guardrail": traces.RoleInternal, "evaluator": traces.RoleInternal}},
	{"openinference.span.kind", map[string]traces.Role{"llm": traces.RoleModel, "embedding": traces.RoleModel, "agent": traces.RoleAgent,
		"tool": traces.RoleTool, "retriever": traces.RoleTool, "reranker": traces.RoleTool, "chain": traces.RoleInternal,
		"guardrail": traces.RoleInternal, "evaluator": traces.RoleInternal, "prompt": traces.RoleInternal}},
	{"traceloop.span.kind", map[string]traces.Role{"workflow": traces.RoleAgent, "agent": traces.RoleAgent, "tool": traces.RoleTool,
		"task": traces.RoleInternal}},
	{"lmnr.span.type", map[string]traces.Role{"llm": traces.RoleModel, "tool": traces.RoleTool, "cached": traces.RoleTool, "executor": traces.RoleInternal,
		"evaluator": traces.RoleInternal, "human_evaluator": traces.RoleInternal, "evaluation": traces.RoleInternal, "pipeline": traces.RoleAgent}},
	{"langsmith.span.kind", map[string]traces.Role{"llm": traces.RoleModel, "embedding": traces.RoleModel, "tool": traces.RoleTool,
		"retriever": traces.RoleTool, "chain": traces.RoleInternal, "prompt": traces.RoleInternal, "parser": traces.RoleInternal}},
	{"gen_ai.span.kind", map[string]traces.Role{"llm": traces.RoleModel, "embedding": traces.RoleModel, "agent": traces.RoleAgent, // LoongSuite
		"tool": traces.RoleTool, "retriever": traces.RoleTool, "reranker": traces.RoleTool, "step": traces.RoleStep, "chain": traces.RoleInternal,
		"task": traces.RoleInternal}},
	{"llm.request.type", map[string]traces.Role{"chat": traces.RoleModel, "completion": traces.RoleModel, "embedding": traces.RoleModel, // older Traceloop
		"rerank": traces.RoleTool}},
}

// roleOf says what a span is: what its family says of it, else the operation, else an attribute of kinds, else its name. "" leaves it to the OpenTelemetry kind.
func (s *span) roleOf() traces.Role {
	if s.family.roles != nil {
		if r := s.family.roles(s.Record); r != "" {
			return r
		}
	}
	if r := operations[s.Attrs.String(traces.KeyOperation)]; r != "" {
		return r
	}
	for _, k := range kinds {
		v := strings.ToLower(s.Attrs.String(k.key))
		if v == "embedding" {
			s.set(traces.KeyOperation, "embeddings")
		}
		if r := k.roles[v]; r != "" {
			return r
		}
	}
	return roleByName(s)
}

// roleByName knows names that are written without any attribute that says the same.
func roleByName(s *span) traces.Role {
	name := s.Name
	switch {
	case strings.HasPrefix(name, "chat "), strings.HasPrefix(name, "text_completion "), strings.HasPrefix(name, "generate_content "):
		return traces.RoleModel
	case strings.HasPrefix(name, "execute_tool "):
		return traces.RoleTool
	case strings.HasPrefix(name, "invoke_agent "), name == "invoke_agent", strings.HasPrefix(name, "invoke_workflow "):
		return traces.RoleAgent
	case s.has(traces.KeyRequestModel) && s.has(traces.KeyOutputTokens):
		return traces.RoleModel
	}
	return ""
}
