package dialect

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/tracetest"
)

type attrs = map[string]any

// rec makes a record of the trace t that lasts from one second after the epoch to ten seconds after it.
func rec(id, parent, scope, name string, a attrs) traces.Record {
	r := traces.Record{TraceID: "t", SpanID: id, ParentID: parent, Scope: scope, Name: name, Start: sec(1), End: sec(10)}
	for k, v := range a {
		r.Attrs = append(r.Attrs, traces.Attr{Key: k, Value: v})
	}
	return r
}

func sec(n float64) int64 { return tracetest.Epoch.UnixNano() + int64(n*1e9) }

func event(name string, at float64, a ...traces.Attr) traces.Event {
	return traces.Event{Name: name, Time: sec(at), Attrs: a}
}

// TestSpans translates spans alone.
func TestSpans(t *testing.T) {
	for _, c := range []struct {
		name string
		in   traces.Record
		want attrs // as translated; nil: not there
	}{
		{"OpenTelemetry before 1.37", rec("1", "", "x", "chat m", attrs{"gen_ai.operation.name": "chat", "gen_ai.system": "vertex_ai",
			"gen_ai.usage.prompt_tokens": "12", "gen_ai.usage.completion_tokens": int64(3)}),
			attrs{traces.KeyProvider: "gcp.vertex_ai", traces.KeyInputTokens: int64(12), traces.KeyOutputTokens: int64(3), traces.KeyRole: "model"}},
		{"our key beats the other dialect's", rec("1", "", "x", "chat m", attrs{traces.KeyTTFT: 0.5, "ttft_ms": int64(900)}),
			attrs{traces.KeyTTFT: 0.5}},
		{"OpenInference's model call", rec("1", "", "x", "ChatCompletion", attrs{"openinference.span.kind": "LLM", "llm.model_name": "m", "llm.provider": "OpenAI",
			"llm.token_count.prompt": int64(9), "llm.token_count.completion_details.reasoning": int64(4), "llm.token_count.prompt_details.cache_read": int64(2),
			"llm.invocation_parameters":                                        `{"stream":true,"reasoning":{"effort":"high"}}`,
			"llm.output_messages.0.message.tool_calls.0.tool_call.id":          "c1",
			"llm.output_messages.0.message.tool_calls.0.tool_call.function.id": "no"}),
			attrs{traces.KeyRole: "model", traces.KeyRequestModel: "m", traces.KeyProvider: "openai", traces.KeyInputTokens: int64(9),
				traces.KeyReasoningTokens: int64(4), traces.KeyCachedTokens: int64(2), traces.KeyRequestStream: true, traces.KeyEffort: "high",
				traces.KeyToolCallIDs: []any{"c1"}}},
		{"OpenInference's tool", rec("1", "", "x", "grep", attrs{"openinference.span.kind": "TOOL", "tool.name": "grep", "tool.id": "c1"}),
			attrs{traces.KeyRole: "tool", traces.KeyToolName: "grep", traces.KeyToolCallID: "c1"}},
		{"OpenInference's embedding", rec("1", "", "x", "e", attrs{"openinference.span.kind": "EMBEDDING"}),
			attrs{traces.KeyRole: "model", traces.KeyOperation: "embeddings"}},
		{"OpenLLMetry's tool", rec("1", "", "x", "execute_tool f", attrs{"traceloop.span.kind": "tool", "traceloop.entity.name": "f"}),
			attrs{traces.KeyRole: "tool", traces.KeyToolName: "f"}},
		{"OpenLLMetry's older call", rec("1", "", "opentelemetry.instrumentation.openai.v1", "openai.chat", attrs{"llm.request.type": "chat", "gen_ai.system": "OpenAI",
			"llm.is_streaming": false, "gen_ai.completion.0.tool_calls.0.id": "c1"}),
			attrs{traces.KeyRole: "model", traces.KeyRequestStream: false, traces.KeyProvider: "openai", traces.KeyToolCallIDs: []any{"c1"}, traces.KeyTTFT: nil}},
		{"AI SDK's stream", rec("1", "", "ai", "ai.streamText.doStream", attrs{"operation.name": "ai.streamText.doStream my.function", "ai.model.provider": "openai.responses",
			"ai.model.id": "m", "ai.response.msToFirstChunk": 250.0, "ai.usage.cachedInputTokens": int64(5), "ai.response.finishReason": "tool-calls",
			"ai.response.toolCalls": `[{"type":"tool-call","toolCallId":"c1","toolName":"f","input":"{\"id\":\"x\"}"}]`}),
			attrs{traces.KeyRole: "model", traces.KeyProvider: "openai", traces.KeyRequestModel: "m", traces.KeyTTFT: 0.25, traces.KeyCachedTokens: int64(5),
				traces.KeyFinishReasons: []any{"tool-calls"}, traces.KeyToolCallIDs: []any{"c1"}}},
		{"AI SDK's loop", rec("1", "", "ai", "ai.generateText", attrs{"ai.operationId": "ai.generateText"}), attrs{traces.KeyRole: "agent"}},
		{"AI SDK 7's step and call", rec("1", "", "gen_ai", "step 1", attrs{"gen_ai.operation.name": "agent_step"}), attrs{traces.KeyRole: "step"}},
		{"Langfuse's generation", rec("1", "", "langfuse-sdk", "g", attrs{"langfuse.observation.type": "generation", "langfuse.observation.level": "ERROR",
			"langfuse.observation.completion_start_time": `"2026-01-01T00:00:03.5Z"`,
			"langfuse.observation.usage_details":         `{"input":10,"input_cached_tokens":30,"output":5,"output_reasoning_tokens":7,"total":52}`}),
			attrs{traces.KeyRole: "model", traces.KeyTTFT: 2.5, traces.KeyInputTokens: int64(40), traces.KeyCachedTokens: int64(30), traces.KeyOutputTokens: int64(12),
				traces.KeyReasoningTokens: int64(7), traces.KeyErrorType: "_OTHER"}},
		{"LangSmith's retriever, which it calls embeddings", rec("1", "", "x", "r", attrs{"langsmith.span.kind": "retriever", "gen_ai.operation.name": "embeddings"}),
			attrs{traces.KeyRole: "tool"}},
		{"Pydantic AI's older tool", rec("1", "", "pydantic-ai", "running tool", attrs{"gen_ai.tool.name": "f"}), attrs{traces.KeyRole: "tool"}},
		{"Pydantic AI's call", rec("1", "", "pydantic-ai", "chat m", attrs{"gen_ai.operation.name": "chat", "gen_ai.usage.details.thoughts_tokens": int64(8),
			"gen_ai.client.operation.time_to_first_chunk": 0.75}),
			attrs{traces.KeyReasoningTokens: int64(8), traces.KeyTTFT: 0.75}},
		{"ADK's call and its placeholder of an id", rec("1", "", "gcp.vertex.agent", "execute_tool f", attrs{"gen_ai.tool.call.id": "<not specified>"}),
			attrs{traces.KeyRole: "tool", traces.KeyToolCallID: ""}},
		{"ADK's bookkeeping around tools", rec("1", "", "gcp.vertex.agent", "execute_tool (merged)", attrs{"gen_ai.operation.name": "execute_tool"}),
			attrs{traces.KeyRole: "internal"}},
		{"Claude Code's request, whose input is without the cache", rec("1", "", "x", "claude_code.llm_request", attrs{"model": "m", "input_tokens": "4", "cache_read_tokens": int64(100),
			"cache_creation_tokens": int64(20), "output_tokens": int64(9), "ttft_ms": int64(800), "attempt": int64(3), "success": false, "stop_reason": "tool_use"}),
			attrs{traces.KeyRole: "model", traces.KeyRequestModel: "m", traces.KeyInputTokens: int64(124), traces.KeyCachedTokens: int64(100),
				traces.KeyCacheWriteTokens: int64(20), traces.KeyOutputTokens: int64(9), traces.KeyTTFT: 0.8, traces.KeyResendCount: int64(2),
				traces.KeyErrorType: "_OTHER", traces.KeyFinishReasons: []any{"tool_use"}}},
		{"the same words on a span of another library mean nothing", rec("1", "", "x", "task", attrs{"model": "T", "input_tokens": int64(4), "effort": "much"}),
			attrs{traces.KeyRequestModel: nil, traces.KeyInputTokens: nil, traces.KeyEffort: nil, traces.KeyRole: nil}},
		{"Claude Code's wait for the user", rec("1", "", "x", "claude_code.tool.blocked_on_user", nil), attrs{traces.KeyRole: "wait", traces.KeyWait: "approval"}},
		{"Codex's thread id, which is also a number", traces.Record{TraceID: "t", SpanID: "1", Scope: "codex_core", Name: "session_loop", Start: sec(1), End: sec(2),
			Attrs: traces.Attrs{{Key: "thread.id", Value: "conv"}, {Key: "thread.id", Value: int64(7)}}},
			attrs{traces.KeyConversation: "conv", traces.KeyRole: "internal"}},
		{"Laminar's call", rec("1", "", "lmnr.tracer", "c", attrs{"lmnr.span.type": "LLM", "gen_ai.usage.reasoning_tokens": int64(3)}),
			attrs{traces.KeyRole: "model", traces.KeyReasoningTokens: int64(3)}},
		{"LoongSuite's microseconds", rec("1", "", "x", "c", attrs{"gen_ai.span.kind": "LLM", "gen_ai.response.time_to_first_token": int64(1_310_000)}),
			attrs{traces.KeyRole: "model", traces.KeyTTFT: 1.31}},
		{"Gemini CLI's operations", rec("1", "", "gemini-cli", "llm_call", attrs{"gen_ai.operation.name": "llm_call"}), attrs{traces.KeyRole: "model"}},
		{"HTTP as it was called before", rec("1", "", "x", "POST", attrs{"http.method": "POST", "http.status_code": int64(429)}),
			attrs{traces.KeyHTTPMethod: "POST", traces.KeyHTTPStatus: int64(429), traces.KeyRole: nil}},
		{"ids in an answer written as a structure", traces.Record{TraceID: "t", SpanID: "1", Name: "chat m", Start: sec(1), End: sec(2), Attrs: traces.Attrs{
			{Key: "gen_ai.operation.name", Value: "chat"},
			{Key: "gen_ai.output.messages", Value: []any{traces.Attrs{{Key: "parts", Value: []any{traces.Attrs{{Key: "type", Value: "tool_call"}, {Key: "id", Value: "c9"}}}}}}}}},
			attrs{traces.KeyToolCallIDs: []any{"c9"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := Normalise([]traces.Record{c.in})
			for key, want := range c.want {
				got, _ := out[0].Attrs.Value(key)
				if n, ok := want.(int64); ok {
					got, _ = out[0].Attrs.Int(key)
					want = n
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: got %v, want %v", key, got, want)
				}
			}
		})
	}
}

func TestFirstChunkFromEvents(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []traces.Event
		cut    uint32
		want   any
	}{
		{"OpenInference", []traces.Event{event("First Token Stream Event", 2.5)}, 0, 1.5},
		{"OpenLLMetry, the first of many", []traces.Event{event("llm.content.completion.chunk", 3), event("llm.content.completion.chunk", 4)}, 0, 2.0},
		{"not if events were cut off: the first may be among them", []traces.Event{event("gen_ai.content.completion.chunk", 3)}, 5, nil},
		{"AI SDK, whose event may come late", []traces.Event{event("ai.stream.firstChunk", 9, traces.Attr{Key: "ai.response.msToFirstChunk", Value: 1310.0})}, 0, 1.31},
		{"not before the start", []traces.Event{event("First Token Stream Event", 0.5)}, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rec("1", "", "x", "c", attrs{"openinference.span.kind": "LLM"})
			r.Events, r.Dropped.Events = c.events, c.cut
			out, _ := Normalise([]traces.Record{r})
			if got, _ := out[0].Attrs.Value(traces.KeyTTFT); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestTrees translates spans that must be seen together.
func TestTrees(t *testing.T) {
	at := func(r traces.Record, from, to float64) traces.Record {
		r.Start, r.End = sec(from), sec(to)
		return r
	}
	for _, c := range []struct {
		name string
		in   []traces.Record
		want string
	}{
		{"AI SDK 6 holds a stream open while its tools run", []traces.Record{
			rec("1", "", "ai", "ai.streamText", attrs{"ai.operationId": "ai.streamText"}),
			rec("2", "1", "ai", "ai.streamText.doStream", attrs{"ai.operationId": "ai.streamText.doStream", "ai.response.toolCalls": `[{"toolCallId":"c1"}]`}),
			at(rec("3", "1", "ai", "ai.toolCall", attrs{"ai.operationId": "ai.toolCall", "ai.toolCall.id": "c1"}), 4, 9),
		}, "1<- 1-10 agent; 2<-1 1-4 model; 3<-1 4-9 tool"},
		{"ADK runs tools inside the model's span", []traces.Record{
			rec("1", "", "gcp.vertex.agent", "invocation", nil),
			rec("2", "1", "gcp.vertex.agent", "call_llm", nil),
			at(rec("3", "2", "gcp.vertex.agent", "execute_tool f", nil), 5, 8),
			at(rec("4", "2", "gcp.vertex.agent", "execute_tool g", nil), 6, 8),
		}, "1<- 1-10 agent; 2<-1 1-5 model; 3<-1 5-8 tool; 4<-1 6-8 tool"},
		{"a tool that the provider ran is no tool time", []traces.Record{
			rec("1", "", "gen_ai", "chat m", attrs{"gen_ai.operation.name": "chat"}),
			at(rec("2", "1", "gen_ai", "execute_tool web_search", attrs{"gen_ai.operation.name": "execute_tool"}), 10, 10),
		}, "1<- 1-10 model; 2<-1 10-10 internal"},
		{"Logfire's pending span is the start of the real one", []traces.Record{
			rec("2", "1", "logfire.openai", "chat m", attrs{"logfire.span_type": "pending_span", "logfire.pending_parent_id": "0000000000000000"}),
		}, "1<- 1-0 "},
		{"Logfire logs the end of a stream", []traces.Record{
			rec("1", "", "logfire", "turn", nil),
			at(rec("2", "1", "logfire.openai", "chat m", attrs{"gen_ai.operation.name": "chat"}), 1, 2),
			at(rec("3", "1", "logfire.openai", "log", attrs{"logfire.span_type": "log", "logfire.msg_template": "streaming response from {m} took {duration}s", "duration": 5.0}), 7, 7),
		}, "1<- 1-10 ; 2<-1 1-7 model; 3<-1 7-7 internal"},
		{"Codex's usage stands on a span below the request", []traces.Record{
			rec("1", "", "codex_core", "session_task.turn", nil),
			rec("2", "1", "codex_core", "run_sampling_request", nil),
			rec("3", "2", "codex_core", "try_run_sampling_request", nil),
			rec("4", "3", "codex_core", "handle_responses", attrs{"gen_ai.usage.output_tokens": int64(11)}),
		}, "1<- 1-10 agent; 2<-1 1-10 model 11 tokens; 3<-2 1-10 attempt; 4<-3 1-10 internal 11 tokens"},
		{"opencode's title is beside the point", []traces.Record{
			rec("1", "", "opencode", "SessionPrompt.ensureTitle", nil),
			rec("2", "1", "opencode", "ai.streamText.doStream", attrs{"ai.operationId": "ai.streamText.doStream"}),
		}, "1<- 1-10 ; 2<-1 1-10 model side"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := Normalise(c.in)
			var got []string
			for _, r := range out {
				line := fmt.Sprintf("%s<-%s %d-%d %s", r.SpanID, r.ParentID, (r.Start-sec(0))/1e9, max(0, r.End-sec(0))/1e9, r.Attrs.String(traces.KeyRole))
				if n, ok := r.Attrs.Int(traces.KeyOutputTokens); ok {
					line += fmt.Sprintf(" %d tokens", n)
				}
				if side, _ := r.Attrs.Bool(traces.KeySide); side {
					line += " side"
				}
				got = append(got, line)
			}
			if got := strings.Join(got, "; "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestToolExecutionIsTheToolsRunTime(t *testing.T) {
	execution := rec("2", "1", "x", "claude_code.tool.execution", nil)
	execution.Start, execution.End = sec(4), sec(6)
	out, _ := Normalise([]traces.Record{rec("1", "", "x", "claude_code.tool", attrs{"tool_name": "Bash", "tool_use_id": "c1"}), execution})
	runs, _ := traces.Build(out)
	if tools := runs[0].ToolCalls; len(tools) != 1 || tools[0].Run == nil || tools[0].Run.Seconds() != 2 || tools[0].CallID != "c1" || tools[0].Name != "Bash" {
		t.Errorf("got %+v", tools)
	}
}

// TestProperties checks for any records: nothing is lost, the argument stays as it was, and a second pass changes nothing more.
func TestProperties(t *testing.T) {
	for seed := range uint64(500) {
		checkProperties(t, seed)
	}
}

func FuzzNormalise(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkProperties(t, seed) })
}

func checkProperties(t *testing.T, seed uint64) {
	t.Helper()
	recs := foreign(seed)
	before := fmt.Sprint(recs)
	once, _ := Normalise(recs)
	if fmt.Sprint(recs) != before {
		t.Fatalf("seed %d: the argument was changed", seed)
	}
	if len(once) != len(recs) {
		t.Fatalf("seed %d: %d records of %d", seed, len(once), len(recs))
	}
	twice, _ := Normalise(once)
	for i := range twice {
		if got, want := twice[i].Attrs, once[i].Attrs; len(got) != len(want) && want.Has(traces.KeyRole) {
			t.Fatalf("seed %d: span %s changed again from %v to %v", seed, once[i].SpanID, want, got)
		}
	}
	traces.Build(once)
}

// foreign spreads other dialects' attributes over random records.
func foreign(seed uint64) []traces.Record {
	recs := tracetest.Random(seed)
	scopes := []string{"", "ai", "gen_ai", "pydantic-ai", "logfire.x", "gcp.vertex.agent", "langfuse-sdk", "codex_core", "opencode", "gemini-cli"}
	names := []string{"claude_code.llm_request", "claude_code.tool", "claude_code.tool.execution", "qwen-code.tool", "call_llm", "run_sampling_request", "chat m"}
	for i := range recs {
		n := int(seed)%97 + i*7
		recs[i].Attrs = slices.DeleteFunc(slices.Clone(recs[i].Attrs), func(a traces.Attr) bool { return a.Key == traces.KeyRole })
		recs[i].Scope = scopes[n%len(scopes)]
		if n%3 == 0 {
			recs[i].Name = names[n%len(names)]
		}
		k := matrix[n%len(matrix)]
		recs[i].Attrs = append(recs[i].Attrs, traces.Attr{Key: k.from, Value: []any{int64(n), "x", 1.5, nil, []any{"y"}}[n%5]})
		kind := kinds[n%len(kinds)]
		values := slices.Sorted(maps.Keys(kind.roles))
		if n%2 == 0 {
			recs[i].Attrs = append(recs[i].Attrs, traces.Attr{Key: kind.key, Value: values[n%len(values)]})
		}
	}
	return recs
}
