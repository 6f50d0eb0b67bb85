package join_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/join"
)

const trace, other = "0af7651916cd43dd8448eb211c80319c", "4bf92f3577b34da6a3ce929d0e0e4736"

// span makes a record of a second, from a number of seconds on.
func span(id, parent string, from int64, role traces.Role, attrs ...traces.Attr) traces.Record {
	return traces.Record{TraceID: trace, SpanID: id, ParentID: parent, Name: id, Start: zero + from*1e9, End: zero + (from+1)*1e9,
		Attrs: append(traces.Attrs{attr(traces.KeyRole, string(role))}, attrs...)}
}

// find returns the record of an id.
func find(t *testing.T, records []traces.Record, id string) traces.Record {
	t.Helper()
	for _, rec := range records {
		if rec.SpanID == id {
			return rec
		}
	}
	t.Fatalf("there is no span %s", id)
	return traces.Record{}
}

func TestTheTraceparentOfARequestCountsMoreThanTheResponsesIDAndTime(t *testing.T) {
	const first, second = "00f067aa0ba902b1", "00f067aa0ba902b2"
	for _, c := range []struct{ name, header, want string }{
		{"it names the agent's span", "00-" + trace + "-" + second + "-01", second},
		{"it names a span below that", "00-" + trace + "-00f067aa0ba902c2-00", second},
		{"it names a request that the agent shows beside the call", "00-" + trace + "-00f067aa0ba902d1-01", first},
		{"it has more fields than this version", "cc-" + trace + "-" + second + "-01-what", second},
		{"it names a span that is not there", "00-" + trace + "-00f067aa0ba902b9-01", first},
		{"it names a span of another trace", "00-" + other + "-" + second + "-01", first},
		{"it names the run, as an agent without spans of its own passes it on", "00-" + trace + "-run-01", first},
		{"it is not one", "00-" + trace, first},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := join.Join([]traces.Record{
				span("run", "", 0, traces.RoleAgent),
				span("chat", "run", 0, traces.RoleModel, attr(traces.KeyResponseID, "r1")),
				span("attempt", "chat", 0, traces.RoleAttempt, attr(traces.KeyTraceparent, c.header)),
			}, []traces.Record{
				span(first, "run", 0, traces.RoleModel, attr(traces.KeyResponseID, "r1")),
				span(second, "run", 0, traces.RoleModel, attr(traces.KeyResponseID, "r2")),
				span("00f067aa0ba902c2", second, 0, traces.RoleInternal),
				span("00f067aa0ba902d1", "run", 0, traces.RoleClient, attr(traces.KeyHTTPMethod, "POST")),
			})
			if parent := find(t, got, "attempt").ParentID; parent != c.want {
				t.Errorf("the attempt lies below %s, want %s", parent, c.want)
			}
		})
	}
}

func TestTheCallKeepsWhatTheAgentSaysAndGetsWhatTheWireKnows(t *testing.T) {
	call := span("chat", "run", 1, traces.RoleModel, attr(traces.KeyRequestModel, "m-2026"), attr(traces.KeyProvider, "openai"), attr(traces.KeyInputTokens, int64(10)),
		attr(traces.KeyToolCallIDs, []any{"c1"}), attr(traces.KeyTTFT, 0.25), attr(traces.KeyOutcome, "ok"), attr(traces.KeyCheckpoint, int64(5)))
	call.Links = []traces.Link{{TraceID: trace, SpanID: "trip", Attrs: traces.Attrs{attr(traces.KeyDep, true)}}, {TraceID: other, SpanID: "elsewhere"}}
	model := span("model", "agent", 1, traces.RoleModel, attr(traces.KeyRequestModel, "m"), attr(traces.KeyProvider, "azure"), attr(traces.KeyTTFT, 0.9), attr("mine", "kept"))
	model.Start -= 1e8
	model.Links = []traces.Link{{TraceID: other, SpanID: "tool"}}
	spans := []traces.Record{span("agent", "", 0, traces.RoleAgent), model, span("tool", "agent", 0, traces.RoleTool, attr(traces.KeyToolCallID, "c0"))}
	for i := range spans {
		spans[i].TraceID = other
	}
	spans[0].End += 2e9
	root := span("run", "", 0, traces.RoleAgent, attr(traces.KeyRunID, "run1"))
	root.End += 2e9
	got, _ := join.Join([]traces.Record{root, call, span("attempt", "chat", 1, traces.RoleAttempt), span("trip", "run", 0, traces.RoleTool, attr(traces.KeyToolCallID, "c0"))}, spans)
	origin := traces.Link{TraceID: other, SpanID: "model", Attrs: traces.Attrs{attr(traces.KeyOrigin, true)}}
	want := traces.Record{TraceID: trace, SpanID: "model", ParentID: "agent", Name: "model", Start: call.Start, End: call.End,
		Attrs: traces.Attrs{attr(traces.KeyRole, "model"), attr(traces.KeyRequestModel, "m-2026"), attr(traces.KeyProvider, "azure"), attr(traces.KeyTTFT, 0.25), attr("mine", "kept"),
			attr(traces.KeyRunID, "run1"), attr(traces.KeyInputTokens, int64(10)), attr(traces.KeyToolCallIDs, []any{"c1"})},
		Links: []traces.Link{{TraceID: trace, SpanID: "tool"}, origin, {TraceID: trace, SpanID: "tool", Attrs: traces.Attrs{attr(traces.KeyDep, true)}}, {TraceID: other, SpanID: "elsewhere"}}}
	if diff := cmp.Diff(want, find(t, got, "model")); diff != "" {
		t.Errorf("the call (-want +got):\n%s", diff)
	}
	if op := find(t, got, "attempt").Attrs.String(traces.KeyOp); op != "model" {
		t.Errorf("the attempt is one of %q, want of model", op)
	}
}

func TestATimeToTheFirstChunkThatOnlyTheAgentKnowsCountsFromTheRequest(t *testing.T) {
	for _, c := range []struct {
		name   string
		ttft   float64
		want   float64
		wanted bool
	}{
		{"from the agent's span, 400 ms before the request was sent", 0.6, 0.2, true},
		{"before the request was sent: of an attempt that was given up", 0.3, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := span("model", "run", 0, traces.RoleModel, attr(traces.KeyTTFT, c.ttft))
			attempt := span("attempt", "chat", 0, traces.RoleAttempt, attr(traces.KeySentTime, int64(1e8)))
			attempt.Start += 3e8
			got, _ := join.Join([]traces.Record{span("run", "", 0, traces.RoleAgent), span("chat", "run", 0, traces.RoleModel), attempt}, []traces.Record{model})
			ttft, ok := find(t, got, "model").Attrs.Float(traces.KeyTTFT)
			if ok != c.wanted || math.Abs(ttft-c.want) > 1e-9 {
				t.Errorf("got %v, %t; want %v, %t", ttft, ok, c.want, c.wanted)
			}
		})
	}
}

func TestSpansOfTracesOfTheirOwnKeepTheirPlacesAndNames(t *testing.T) {
	a, b := span("01", "", 0, traces.RoleTool), span("02", "01", 0, traces.RoleInternal)
	a.TraceID, b.TraceID = other, other
	c := span("01", "", 0, traces.RoleTool)
	c.TraceID = "x"
	got, problems := join.Join([]traces.Record{span("01", "", 0, traces.RoleAgent, attr(traces.KeyRunID, "run1"))}, []traces.Record{a, b, c})
	var places []string
	for _, rec := range got {
		if rec.TraceID != trace || rec.Attrs.String(traces.KeyRunID) != "run1" {
			t.Errorf("%s is in trace %s and run %s", rec.SpanID, rec.TraceID, rec.Attrs.String(traces.KeyRunID))
		}
		places = append(places, rec.SpanID+" below "+rec.ParentID)
	}
	want := []string{"01 below ", "01." + other + " below 01", "01.x below 01", "02 below 01." + other}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if len(problems) != 1 || problems[0].Message != "the agent's spans came in 2 traces of their own; put into the run's, below its root" {
		t.Errorf("problems %v", problems)
	}
}

func TestOneSideAlone(t *testing.T) {
	both := []traces.Record{span("b", "a", 1, traces.RoleModel), span("a", "", 0, traces.RoleAgent), {Name: "nameless"}}
	want := []traces.Record{both[1], both[0]}
	for _, c := range []struct {
		name        string
		wire, spans []traces.Record
	}{{"of the wire", both, nil}, {"of the agent", nil, both}} {
		t.Run(c.name, func(t *testing.T) {
			got, problems := join.Join(c.wire, c.spans)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			if len(problems) != 1 || problems[0].Message != "1 records have no span id and were left out" {
				t.Errorf("problems %v", problems)
			}
		})
	}
	if got, problems := join.Join(nil, nil); len(got)+len(problems) > 0 {
		t.Errorf("of nothing: %v, %v", got, problems)
	}
}
