package dialect

import (
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// A key is one attribute of another dialect and what it is called here.
type key struct {
	from    string
	to      string
	convert func(any) (any, bool) // nil: as it is
}

// matrix is the attributes that mean the same wherever they occur. For each of our keys the first one that is present counts;
// our own key beats them all.
var matrix = []key{
	// Which model.
	{"gen_ai.system", traces.KeyProvider, provider}, // OpenTelemetry before 1.37
	{"llm.provider", traces.KeyProvider, provider},  // OpenInference
	{"llm.system", traces.KeyProvider, provider},
	{"ai.model.provider", traces.KeyProvider, provider},                           // AI SDK
	{"llm.request.model_name", traces.KeyRequestModel, nil},                       // OpenInference
	{"llm.model_name", traces.KeyRequestModel, nil},                               //
	{"ai.model.id", traces.KeyRequestModel, nil},                                  // AI SDK
	{"langfuse.observation.model.name", traces.KeyRequestModel, nil},              // Langfuse
	{"llm.response.model_name", traces.KeyResponseModel, nil},                     // OpenInference
	{"ai.response.model", traces.KeyResponseModel, nil},                           // AI SDK
	{"ai.response.id", traces.KeyResponseID, nil},                                 //
	{"gen_ai.is_streaming", traces.KeyRequestStream, nil},                         // Traceloop, also false
	{"llm.is_streaming", traces.KeyRequestStream, nil},                            //
	{"langsmith.request.streaming", traces.KeyRequestStream, nil},                 // LangSmith
	{"gen_ai.request.reasoning_effort", traces.KeyEffort, nil},                    // Traceloop, older Sentry
	{"llm.request.reasoning_effort", traces.KeyEffort, nil},                       // Traceloop
	{"gen_ai.response.reasoning_effort", traces.KeyEffort, nil},                   //
	{"gen_ai.openai.request.seed", traces.KeySeed, nil},                           // OpenTelemetry before 1.37
	{"llm.finish_reason", traces.KeyFinishReasons, list},                          // OpenInference
	{"ai.response.finishReason", traces.KeyFinishReasons, list},                   // AI SDK
	{"stop_reason", traces.KeyFinishReasons, list},                                // Claude Code
	{"finish_reason", traces.KeyFinishReasons, list},                              // Qwen Code
	{"anthropic.message.stop_reason", traces.KeyFinishReasons, list},              // Anthropic SDK
	{"gen_ai.response.finish_reason", traces.KeyFinishReasons, list},              // Traceloop, older
	{"gen_ai.usage.cache_creation.input_tokens", traces.KeyCacheWriteTokens, nil}, // OpenTelemetry 1.41

	// Time to the first chunk: seconds, milliseconds or, at one vendor, microseconds.
	{"gen_ai.client.operation.time_to_first_chunk", traces.KeyTTFT, per(1)},          // AI SDK 7, Pydantic AI
	{"ttft_ms", traces.KeyTTFT, per(1e3)},                                            // Claude Code, Qwen Code
	{"ai.response.msToFirstChunk", traces.KeyTTFT, per(1e3)},                         // AI SDK
	{"ai.stream.msToFirstChunk", traces.KeyTTFT, per(1e3)},                           // AI SDK, objects
	{"time_to_first_token_ms", traces.KeyTTFT, per(1e3)},                             // OpenInference, realtime
	{"gen_ai.response.time_to_first_token", traces.KeyTTFT, per(1e6)},                // LoongSuite
	{"ai.observability.generation.time_to_first_token_ms", traces.KeyTTFT, per(1e3)}, // TruLens

	// Tokens; input with what was cached, output with reasoning.
	{"gen_ai.usage.prompt_tokens", traces.KeyInputTokens, nil}, // OpenTelemetry before 1.27
	{"llm.token_count.prompt", traces.KeyInputTokens, nil},     // OpenInference
	{"ai.usage.inputTokens", traces.KeyInputTokens, nil},       // AI SDK 5
	{"ai.usage.promptTokens", traces.KeyInputTokens, nil},      // AI SDK 4
	{"gen_ai.usage.completion_tokens", traces.KeyOutputTokens, nil},
	{"llm.token_count.completion", traces.KeyOutputTokens, nil},
	{"ai.usage.outputTokens", traces.KeyOutputTokens, nil},
	{"ai.usage.completionTokens", traces.KeyOutputTokens, nil},
	{"gen_ai.usage.reasoning_tokens", traces.KeyReasoningTokens, nil}, // Traceloop, Laminar
	{"llm.usage.reasoning_tokens", traces.KeyReasoningTokens, nil},    //
	{"llm.token_count.completion_details.reasoning", traces.KeyReasoningTokens, nil},
	{"ai.usage.outputTokenDetails.reasoningTokens", traces.KeyReasoningTokens, nil},
	{"ai.usage.reasoningTokens", traces.KeyReasoningTokens, nil},
	{"gen_ai.usage.details.reasoning_tokens", traces.KeyReasoningTokens, nil}, // Pydantic AI
	{"gen_ai.usage.details.thoughts_tokens", traces.KeyReasoningTokens, nil},  //
	{"thoughts_token_count", traces.KeyReasoningTokens, nil},                  // Qwen Code
	{"gen_ai.usage.cache_read_input_tokens", traces.KeyCachedTokens, nil},     // Traceloop, older
	{"gen_ai.usage.details.cache_read_tokens", traces.KeyCachedTokens, nil},   // Pydantic AI
	{"llm.token_count.prompt_details.cache_read", traces.KeyCachedTokens, nil},
	{"llm.token_count.prompt_details.cache_input", traces.KeyCachedTokens, nil},
	{"ai.usage.inputTokenDetails.cacheReadTokens", traces.KeyCachedTokens, nil},
	{"ai.usage.cachedInputTokens", traces.KeyCachedTokens, nil},
	{"gen_ai.usage.cache_creation_input_tokens", traces.KeyCacheWriteTokens, nil},
	{"gen_ai.usage.details.cache_write_tokens", traces.KeyCacheWriteTokens, nil},
	{"llm.token_count.prompt_details.cache_write", traces.KeyCacheWriteTokens, nil},
	{"ai.usage.inputTokenDetails.cacheWriteTokens", traces.KeyCacheWriteTokens, nil},

	// Tools.
	{"tool.id", traces.KeyToolCallID, nil},        // OpenInference
	{"tool_call.id", traces.KeyToolCallID, nil},   // OpenInference's bridge to the AI SDK
	{"ai.toolCall.id", traces.KeyToolCallID, nil}, // AI SDK
	{"tool_use_id", traces.KeyToolCallID, nil},    // Claude Code
	{"call_id", traces.KeyToolCallID, nil},        // Codex
	{"tool.call_id", traces.KeyToolCallID, nil},   // Qwen Code
	{"tool.name", traces.KeyToolName, nil},
	{"ai.toolCall.name", traces.KeyToolName, nil},
	{"tool_name", traces.KeyToolName, nil},

	// Which conversation.
	{"conversation.id", traces.KeyConversation, nil}, // Codex
	{"thread.id", traces.KeyConversation, text},      // Codex, where it is also the number of a thread
	{"thread_id", traces.KeyConversation, text},
	{"gcp.vertex.agent.session_id", traces.KeyConversation, nil}, // ADK
	{"session.id", traces.KeyConversation, nil},
	{"langfuse.session.id", traces.KeyConversation, nil},
	{"traceloop.association.properties.session_id", traces.KeyConversation, nil},
	{"lmnr.association.properties.session_id", traces.KeyConversation, nil},
	{"ai.telemetry.metadata.sessionId", traces.KeyConversation, nil},
	{"langsmith.metadata.thread_id", traces.KeyConversation, nil},
	{"langsmith.metadata.session_id", traces.KeyConversation, nil},

	// HTTP before OpenTelemetry 1.21.
	{"http.method", traces.KeyHTTPMethod, nil},
	{"http.status_code", traces.KeyHTTPStatus, nil},
	{"http.resend_count", traces.KeyResendCount, nil},
	{"agent_name", traces.KeyAgentName, nil}, // Pydantic AI 2
}

// A rule is a key with its place in the order.
type rule struct {
	key
	rank int
}

var rules = ruleset(matrix)

func ruleset(keys []key) map[string]rule {
	m := make(map[string]rule, len(keys))
	for i, k := range keys {
		m[k.from] = rule{k, i}
	}
	return m
}

// translate adds the canonical attributes that the span lacks.
func (s *span) translate() {
	own := s.family.rules()
	type choice struct {
		to    string
		value any
		rank  int
	}
	var found []choice
	for _, a := range s.Attrs {
		r, ok := own[a.Key]
		if !ok {
			if r, ok = rules[a.Key]; !ok {
				continue
			}
			r.rank += len(own)
		}
		value := a.Value
		if r.convert != nil {
			if value, ok = r.convert(a.Value); !ok {
				continue
			}
		}
		if value == nil || value == "" {
			continue
		}
		at := -1
		for i := range found {
			if found[i].to == r.to {
				at = i
			}
		}
		if at < 0 {
			found = append(found, choice{r.to, value, r.rank})
		} else if r.rank <= found[at].rank {
			found[at] = choice{r.to, value, r.rank}
		}
	}
	for _, c := range found {
		if !s.Attrs.Has(c.to) {
			s.set(c.to, c.value)
		}
	}
	if name := s.Attrs.String(traces.KeyProvider); providers[name] != "" {
		s.set(traces.KeyProvider, providers[name])
	}
}

// rules returns the family's own keys; they are few and asked for often.
func (f *family) rules() map[string]rule { return ownRules[f] }

var ownRules = map[*family]map[string]rule{}

func init() {
	for _, f := range families {
		ownRules[f] = ruleset(f.keys)
	}
}

// per converts a number of which so many are a second into seconds.
func per(second float64) func(any) (any, bool) {
	return func(v any) (any, bool) {
		f, ok := traces.Attrs{{Key: "", Value: v}}.Float("")
		return f / second, ok
	}
}

// list makes a list of one string.
func list(v any) (any, bool) {
	if l, ok := v.([]any); ok {
		return l, len(l) > 0
	}
	s, ok := v.(string)
	return []any{s}, ok && s != ""
}

// text takes strings only.
func text(v any) (any, bool) {
	s, ok := v.(string)
	return s, ok
}

// provider takes older spellings of a provider's name, and the AI SDK's, which name the API too ("openai.chat").
func provider(v any) (any, bool) {
	s, ok := v.(string)
	if !ok {
		return nil, false
	}
	s = strings.ToLower(s)
	if name := providers[s]; name != "" {
		return name, true
	}
	if name, api, ok := strings.Cut(s, "."); ok && (api == "chat" || api == "responses" || api == "messages" || api == "completion" || api == "embedding") {
		return name, true
	}
	return s, true
}

var providers = map[string]string{
	"az.ai.openai": "azure.ai.openai", "az.ai.inference": "azure.ai.inference", "vertex_ai": "gcp.vertex_ai", "vertexai": "gcp.vertex_ai",
	"gemini": "gcp.gemini", "mistralai": "mistral_ai", "xai": "x_ai", "gcp.vertex.agent": "gcp.gen_ai",
}
