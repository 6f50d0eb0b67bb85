package join_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/join"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// differ compares records; an empty list is no list. What is the same is seen fast.
func differ(a, b []traces.Record) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b, cmpopts.EquateEmpty())
}

// A player makes both sides of a random run. The wire shows all of it. The agent shows what it likes, by a clock that is a little off.
type player struct {
	r           *rand.Rand
	now         int64
	wire, spans []traces.Record
	skew        int64
	trace       string // the agent's
	calls       int
	attempts    int

	steps, models, each, layers, http, tools, details, ids, parents, beside bool // what the agent shows
}

func play(seed uint64) *player {
	r := rand.New(rand.NewPCG(seed, 2))
	coin := func() bool { return r.IntN(2) == 0 }
	p := &player{r: r, now: zero, skew: r.Int64N(80e6) - 40e6, trace: "0af7651916cd43dd8448eb211c80319c",
		steps: coin(), models: r.IntN(4) > 0, each: coin(), layers: coin(), http: coin(), tools: coin(), details: coin(), ids: coin(), parents: coin(), beside: coin()}
	root := p.record(nil, traces.RoleAgent, "run", attr(traces.KeyRunID, "run1"))
	if coin() {
		p.trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	}
	agent := p.show(nil, traces.RoleAgent, "agent")
	if p.trace == root().TraceID {
		agent().ParentID = root().SpanID
	}
	for i := range 1 + r.IntN(6) {
		p.step(root, agent, i)
	}
	p.wait(100)
	p.end(agent)
	p.end(root)
	return p
}

// A handle gives a span of one of the lists, which grow.
type handle func() *traces.Record

func (p *player) wait(ms int64) { p.now += (60 + p.r.Int64N(ms)) * 1e6 }

func (p *player) record(parent handle, role traces.Role, name string, attrs ...traces.Attr) handle {
	return p.add(&p.wire, "0af7651916cd43dd8448eb211c80319c", p.now, parent, role, name, attrs)
}

// show records a span of the agent.
func (p *player) show(parent handle, role traces.Role, name string, attrs ...traces.Attr) handle {
	return p.add(&p.spans, p.trace, p.now+p.skew, parent, role, name, attrs)
}

func (p *player) add(list *[]traces.Record, trace string, start int64, parent handle, role traces.Role, name string, attrs traces.Attrs) handle {
	rec := traces.Record{TraceID: trace, SpanID: fmt.Sprintf("%016x", 1+len(p.wire)+len(p.spans)), Name: name, Kind: traces.KindInternal, Start: start,
		Attrs: append(traces.Attrs{{Key: traces.KeyRole, Value: string(role)}}, attrs...)}
	if role == traces.RoleClient || role == traces.RoleModel {
		rec.Kind = traces.KindClient
	}
	if parent != nil {
		rec.ParentID = parent().SpanID
	}
	*list = append(*list, rec)
	i := len(*list) - 1
	return func() *traces.Record { return &(*list)[i] }
}

// end ends a span now, by the clock of its list.
func (p *player) end(h handle) {
	if h == nil {
		return
	}
	h().End = p.now
	for i := range p.spans {
		if h() == &p.spans[i] {
			h().End += p.skew
		}
	}
}

func (p *player) step(root, agent handle, n int) {
	p.wait(100)
	step := p.record(root, traces.RoleStep, "step")
	above := agent
	if p.steps {
		above = p.show(agent, traces.RoleStep, "turn")
	}
	p.wait(1)
	p.call(step, above, n)
	for range p.r.IntN(3) {
		p.wait(1)
		id := fmt.Sprintf("call_%d", len(p.wire))
		trip := p.record(step, traces.RoleTool, "tool", attr(traces.KeyToolCallID, id), attr(traces.KeyQuality, "bound"))
		p.wait(1)
		if p.tools {
			tool := p.show(above, traces.RoleTool, "tool", attr(traces.KeyToolCallID, id))
			p.wait(300)
			p.end(tool)
		}
		p.wait(1)
		p.end(trip)
	}
	p.end(step)
	p.wait(1)
	if p.steps {
		p.end(above)
	}
}

func (p *player) call(step, above handle, n int) {
	p.calls++
	outside := above
	id := fmt.Sprintf("resp_%d", n)
	facts := []traces.Attr{attr(traces.KeyRequestModel, "m")}
	if p.ids {
		facts = append(facts, attr(traces.KeyResponseID, id))
	}
	var outer handle
	if p.models && (!p.each || p.layers) {
		outer = p.show(above, traces.RoleModel, "chat", facts...)
		above = outer
		p.wait(200)
	}
	call := p.record(step, traces.RoleModel, "chat", facts...)
	tries := 1 + max(0, p.r.IntN(6)-3)
	for i := range tries {
		failed := i < tries-1
		p.attempt(call, above, outside, id, i, failed)
		if failed {
			p.wait(500)
		}
	}
	p.end(call)
	if outer != nil {
		p.wait(50)
		p.end(outer)
	}
}

func (p *player) attempt(call, above, outside handle, id string, i int, failed bool) {
	p.attempts++
	status, outcome := int64(200), traces.OK
	if failed {
		status, outcome = 500, traces.Error
	}
	var model, http handle
	if p.models && p.each {
		model = p.show(above, traces.RoleModel, "try", attr(traces.KeyRequestModel, "m"))
		if p.ids && !failed {
			model().Attrs = append(model().Attrs, attr(traces.KeyResponseID, id))
		}
		above = model
	}
	if p.http {
		if p.beside { // the agent's HTTP library does not know of the model span
			above = outside
		}
		http = p.show(above, traces.RoleClient, "POST", attr(traces.KeyHTTPMethod, "POST"), attr(traces.KeyHTTPStatus, status))
		above = http
	}
	a := p.record(call, traces.RoleAttempt, "attempt", attr(traces.KeyAttempt, int64(i+1)), attr(traces.KeyHTTPStatus, status), attr(traces.KeyOutcome, string(outcome)))
	if p.parents && (model != nil || http != nil) {
		a().Attrs = append(a().Attrs, attr(traces.KeyTraceparent, "00-"+p.trace+"-"+above().SpanID+"-01"))
	}
	wait := p.record(a, traces.RolePhase, "wait", attr(traces.KeyPhase, "wait"))
	p.wait(300)
	p.end(wait)
	output := p.record(a, traces.RolePhase, "output", attr(traces.KeyPhase, "output"))
	if p.details && p.models {
		d := p.show(above, traces.RoleInternal, "detail")
		p.wait(100)
		p.end(d)
	}
	p.wait(300)
	p.end(output)
	p.end(a)
	for _, h := range []handle{http, model} {
		p.now += 1e6
		if h != nil && failed {
			h().Status = traces.StatusError
		}
		p.end(h)
	}
}

func TestEveryCallRequestAndToolOfARandomRunIsThereOnce(t *testing.T) {
	for seed := range uint64(1000) {
		p := play(seed)
		got, problems := join.Join(p.wire, p.spans)
		checkJoined(t, p.wire, p.spans, got, problems)
		runs, more := traces.Build(got)
		if len(runs) != 1 || len(more) > 0 || runs[0].ID != "run1" {
			t.Fatalf("seed %d: %d runs, %v", seed, len(runs), more)
		}
		attempts := 0
		for _, c := range runs[0].ModelCalls {
			attempts += len(c.Attempts)
		}
		tools := 0
		for _, s := range p.wire {
			if s.Role() == traces.RoleTool {
				tools++
			}
		}
		if len(runs[0].ModelCalls) != p.calls || attempts != p.attempts || len(runs[0].ToolCalls) != tools {
			t.Fatalf("seed %d: %d calls, %d attempts, %d tools; want %d, %d, %d\n%v", seed, len(runs[0].ModelCalls), attempts, len(runs[0].ToolCalls), p.calls, p.attempts, tools, problems)
		}
		for _, again := range []struct {
			name        string
			wire, spans []traces.Record
		}{
			{"spans twice", p.wire, append(slices.Clone(p.spans), p.spans...)},
			{"the result with the spans", got, p.spans},
			{"the result alone", got, nil},
		} {
			if diff := differ(got, first(join.Join(again.wire, again.spans))); diff != "" {
				t.Fatalf("seed %d: joining %s (-once +again):\n%s", seed, again.name, diff)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func first(records []traces.Record, _ []traces.Problem) []traces.Record { return records }

// Whatever is wrong with the records, nothing is lost silently.
func TestJoiningOfBrokenRecords(t *testing.T) {
	for seed := range uint64(1000) {
		wire, spans := tracetest.Random(seed), tracetest.Random(seed+1_000_000)
		if seed%3 == 0 {
			wire = play(seed).wire
		}
		for i := range spans {
			if seed%2 == 0 {
				spans[i].TraceID += "'"
			}
		}
		got, problems := join.Join(wire, spans)
		checkJoined(t, wire, spans, got, problems)
		runs, _ := traces.Build(got)
		for _, run := range runs {
			var sum time.Duration
			for _, s := range critpath.Find(run).Segments {
				sum += s.To - s.From
			}
			if sum != run.Wall {
				t.Errorf("the components add up to %v, want %v", sum, run.Wall)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// checkJoined checks what holds for any records.
func checkJoined(t *testing.T, wire, spans, got []traces.Record, problems []traces.Problem) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(len(wire)), uint64(len(spans))))
	shuffle := func(list []traces.Record) []traces.Record {
		list = slices.Clone(list)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list
	}
	again, more := join.Join(shuffle(wire), shuffle(spans))
	if diff := differ(got, again); diff != "" {
		t.Errorf("records in another order (-one +other):\n%s", diff)
	}
	if diff := cmp.Diff(problems, more); diff != "" {
		t.Errorf("problems in another order (-one +other):\n%s", diff)
	}
	type id struct{ trace, span string }
	there, was := map[id]bool{}, map[id]bool{}
	for _, s := range got {
		if there[id{s.TraceID, s.SpanID}] {
			t.Errorf("span %s is there twice", s.SpanID)
		}
		there[id{s.TraceID, s.SpanID}] = true
		for _, l := range s.Links {
			if origin, _ := l.Attrs.Bool(traces.KeyOrigin); origin {
				there[id{l.TraceID, l.SpanID}] = true
			}
		}
	}
	for _, s := range traces.Latest(wire) {
		was[id{s.TraceID, s.SpanID}] = true
		if s.Role() == traces.RoleAttempt && !there[id{s.TraceID, s.SpanID}] {
			t.Errorf("attempt %s of the wire is gone", s.SpanID)
		}
	}
	left := map[string]int{}
	for _, s := range traces.Latest(spans) {
		if was[id{s.TraceID, s.SpanID}] || there[id{s.TraceID, s.SpanID}] {
			continue
		}
		switch s.Role() {
		case traces.RolePhase:
			left["phases"]++
		case traces.RoleAttempt, traces.RoleClient:
			left["requests"]++
		default:
			t.Errorf("span %s of the agent (%s) is gone", s.SpanID, s.Role())
		}
	}
	said := map[string]int{}
	for _, p := range problems {
		if _, agents, ok := strings.Cut(p.Message, "of the agent "); ok && strings.HasPrefix(p.Message, "left out") {
			for part := range strings.SplitSeq(agents, ", ") {
				n, what, _ := strings.Cut(part, " ")
				said[what], _ = strconv.Atoi(n)
			}
		}
	}
	if diff := cmp.Diff(left, said); diff != "" {
		t.Errorf("spans of the agent left out (-really +said):\n%s", diff)
	}
}
