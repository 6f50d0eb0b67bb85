package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/traces"
)

func TestSpansAreKeptWithoutWhatTheySay(t *testing.T) {
	said := []string{"sk-proj-A1b2A1b2", "Bearer zz-q7q7", "postgres://svc:hunter2pass@db/prod", "the secret word", `{"path":"/etc"}`}
	var attrs traces.Attrs
	for i, key := range []string{"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt.0.content", "gen_ai.completion.0.content", "ai.prompt.messages",
		"ai.response.text", "ai.toolCall.args", "ai.toolCall.result", "input.value", "output.value", "llm.input_messages.0.message.content",
		"gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "gen_ai.system_instructions", "traceloop.entity.input", "traceloop.entity.output",
		"langfuse.observation.input", "exception.message", "exception.stacktrace", "url.full", "url.query", "http.request.header.authorization", "process.command_args",
		"db.query.text", "tool.parameters", "inputMessage", "toolArgs", "user.email", "mcp.request.body", "code.file.path"} {
		attrs = append(attrs, traces.Attr{Key: key, Value: said[i%len(said)]})
	}
	attrs = append(attrs, traces.Attr{Key: "lines", Value: "one\ntwo"}, traces.Attr{Key: "json", Value: said[4]}, traces.Attr{Key: "bytes", Value: []byte(said[0])},
		traces.Attr{Key: "long", Value: strings.Repeat("x", 500)}, traces.Attr{Key: "map", Value: traces.Attrs{{Key: "a", Value: said[0]}}},
		traces.Attr{Key: "list", Value: []any{"a word", said[4]}})
	kept := traces.Attrs{
		{Key: "gen_ai.operation.name", Value: "execute_tool"}, {Key: "gen_ai.usage.input_tokens", Value: int64(7)}, {Key: "gen_ai.request.stream", Value: true},
		{Key: "gen_ai.response.id", Value: "resp_1"}, {Key: "gen_ai.response.model", Value: "a-model"}, {Key: "gen_ai.tool.call.id", Value: "call_1"},
		{Key: "gen_ai.response.finish_reasons", Value: []any{"tool_calls"}}, {Key: "gen_ai.response.time_to_first_chunk", Value: 0.25}, {Key: "http.request.method", Value: "POST"},
		{Key: "gen_ai.agent.name", Value: "Weather agent"}, {Key: "error.type", Value: "timeout"},
	}
	list := []traces.Record{{Name: "execute_tool", Message: said[1], Attrs: append(attrs, kept...),
		Events: []traces.Event{{Name: "exception", Attrs: attrs}}, Links: []traces.Link{{SpanID: "1", Attrs: attrs}},
		Resource: &traces.Resource{Attrs: append(traces.Attrs{{Key: traces.KeyServiceName, Value: "agent"}}, attrs...)}}}
	removeContent(list)
	rec := list[0]
	if diff := cmp.Diff(kept, rec.Attrs); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if got := rec.Resource.Attrs.String(traces.KeyServiceName); got != "agent" {
		t.Errorf("got service %q, want agent", got)
	}
	all := fmt.Sprint(rec, rec.Resource.Attrs)
	for _, s := range said {
		if strings.Contains(all, s) {
			t.Errorf("%q is in %s", s, all)
		}
	}
}

func TestUnderstood(t *testing.T) {
	wire := func(trace, span, parent, run string) traces.Record {
		rec := traces.Record{TraceID: trace, SpanID: span, ParentID: parent, Name: span, Start: 1, End: 100, Scope: session.Scope,
			Attrs: traces.Attrs{{Key: traces.KeyRole, Value: string(traces.RoleAgent)}}}
		if run != "" {
			rec.Attrs = rec.Attrs.With(traces.KeyRunID, run)
		}
		return rec
	}
	own := func(trace, span, run string) traces.Record {
		return traces.Record{TraceID: trace, SpanID: span, Name: "work " + span, Start: 10, End: 20, Attrs: traces.Attrs{{Key: traces.KeyRunID, Value: run}}}
	}
	for _, tc := range []struct {
		name    string
		records []traces.Record
		want    string // runs, and how many spans each has
	}{
		{"the wire alone stays as it is", []traces.Record{wire("a", "1", "", "r1"), wire("a", "2", "1", "")}, "r1:2"},
		{"spans of the agent join their run, in whatever trace they came", []traces.Record{wire("a", "1", "", "r1"), own("b", "3", "r1"), own("c", "4", "r1")}, "r1:3"},
		{"each its own", []traces.Record{wire("a", "1", "", "r1"), own("c", "3", "r2"), wire("b", "2", "", "r2"), own("d", "4", "r1")}, "r1:2 r2:2"},
		{"spans without a word from the wire are a run all the same", []traces.Record{own("c", "3", "r1")}, "r1:1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			records, _ := understood(tc.records)
			runs, _ := traces.Build(records)
			var got []string
			for _, run := range runs {
				got = append(got, fmt.Sprintf("%s:%d", run.ID, len(run.Spans)))
			}
			if s := strings.Join(got, " "); s != tc.want {
				t.Errorf("got %s, want %s", s, tc.want)
			}
		})
	}
}
