package session_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const msec = time.Millisecond

// A req is a request and its answer, in milliseconds.
type req struct {
	at, end  int
	says     string // the conversation: words as "sys:", "user:", "bot:", "call:ID,ID" and "result:ID", separated by blanks
	asks     string // what the answer asks for: "ID=NAME ID=NAME"
	model    string // "": big
	tools    int    // offered; 0: 2, below 0: none
	conn     int64
	status   int            // 0: 200
	outcome  traces.Outcome // "": ok, or error by the status
	retry    string         // X-Stainless-Retry-Count
	after    time.Duration  // Retry-After
	session  string
	subagent string
	previous string // previous_response_id
	id       string // of the response
	thread   bool   // the previous response is one of Anthropic's
	path     string // "": chat completions
	upstream string
	agent    string // user agent
	schema   bool
	whole    bool // not streamed
	finish   string
	last     int // of the last piece of tool calls; 0: the end
	seed     int
	prewarm  bool
}

func (r req) exchange(id int64) *proxy.Exchange {
	h := http.Header{}
	set := func(k, v string) {
		if v != "" {
			h.Set(k, v)
		}
	}
	set("X-Session-Id", r.session)
	set("X-Openai-Subagent", r.subagent)
	path := cmp.Or(r.path, "/v1/chat/completions")
	at := func(ms int) time.Time { return epoch.Add(time.Duration(ms) * msec) }
	x := &proxy.Exchange{ID: id, Upstream: cmp.Or(r.upstream, "model:80"), Method: "POST", Path: path, Conn: r.conn, Start: at(r.at), Sent: at(r.at),
		End: at(r.end), Status: cmp.Or(r.status, 200), Prewarm: r.prewarm, Measured: true}
	x.Request = stream.ParseRequest("POST", path, h, r.body())
	x.Request.Generates = x.Request.Generates && !r.prewarm
	x.Facts.UserAgent = cmp.Or(r.agent, "agent/1.0")
	if r.retry != "" {
		n := int(r.retry[0] - '0')
		x.Facts.RetryCount = &n
	}
	if r.after > 0 {
		x.Facts.RetryAfter = &r.after
	}
	x.Outcome = cmp.Or(r.outcome, traces.OK)
	if x.Status >= 400 {
		x.Outcome = traces.Error
	}
	end := x.End.Sub(x.Start)
	x.Result = &stream.Result{Outcome: x.Outcome, End: &end, ID: r.id, FinishReason: cmp.Or(r.finish, "stop")}
	for _, ask := range strings.Fields(r.asks) {
		id, name, _ := strings.Cut(ask, "=")
		last := end
		if r.last > 0 {
			last = at(r.last).Sub(x.Start)
		}
		x.Result.ToolCalls = append(x.Result.ToolCalls, stream.ToolCall{ID: id, Name: name, First: last, Last: last})
	}
	return x
}

func (r req) body() []byte {
	body := map[string]any{"model": cmp.Or(r.model, "big"), "stream": !r.whole}
	if r.tools == 0 {
		r.tools = 2
	}
	if r.tools > 0 {
		body["tools"] = make([]struct{}, r.tools)
	}
	if r.schema {
		body["response_format"] = map[string]any{"type": "json_schema"}
	}
	if r.previous != "" && r.thread {
		body["thread"] = map[string]any{"type": "continue", "previous_message_id": r.previous}
	} else if r.previous != "" {
		body["previous_response_id"] = r.previous
	}
	if r.seed != 0 {
		body["seed"] = r.seed
	}
	responses := strings.HasSuffix(r.path, "/responses")
	var list []any
	for _, word := range strings.Fields(r.says) {
		role, text, _ := strings.Cut(word, ":")
		switch role {
		case "sys":
			list = append(list, map[string]any{"role": "system", "content": text})
		case "user":
			list = append(list, map[string]any{"role": "user", "content": text})
		case "bot":
			list = append(list, map[string]any{"role": "assistant", "content": text})
		case "call":
			var calls []any
			for _, id := range strings.Split(text, ",") {
				if responses {
					list = append(list, map[string]any{"type": "function_call", "call_id": id})
				} else {
					calls = append(calls, map[string]any{"id": id, "type": "function"})
				}
			}
			if !responses {
				list = append(list, map[string]any{"role": "assistant", "tool_calls": calls})
			}
		case "result":
			if r.thread {
				list = append(list, map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": text}}})
			} else if responses {
				list = append(list, map[string]any{"type": "function_call_output", "call_id": text, "output": "done"})
			} else {
				list = append(list, map[string]any{"role": "tool", "tool_call_id": text, "content": "done"})
			}
		default:
			panic(word)
		}
	}
	if responses {
		body["input"] = list
	} else {
		body["messages"] = list
	}
	b, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return b
}

func traffic(reqs []req) []*proxy.Exchange {
	list := make([]*proxy.Exchange, len(reqs))
	for i, r := range reqs {
		list[i] = r.exchange(int64(i + 1))
	}
	return list
}

// draw writes a run as its spans, phases left out: name, start and end in milliseconds since the first request of all, and what is
// particular about it.
func draw(run *traces.Run) string {
	var b strings.Builder
	shift := run.Start.Sub(epoch)
	var walk func(s *traces.Span, depth int)
	walk = func(s *traces.Span, depth int) {
		if s.Role == traces.RolePhase {
			return
		}
		fmt.Fprintf(&b, "%s%s %d-%d", strings.Repeat(" ", depth), s.Name, (s.Start+shift)/msec, (s.End+shift)/msec)
		a := s.Attrs()
		if o := a.String(traces.KeyOutcome); o != "ok" && s.Role != traces.RoleTool {
			b.WriteString(strings.TrimRight(" "+o, " "))
		}
		for _, flag := range []struct{ key, word string }{{traces.KeySide, "side"}, {traces.KeyBackground, "background"}, {traces.KeyMayWait, "may-wait"}} {
			if v, _ := a.Bool(flag.key); v {
				b.WriteString(" " + flag.word)
			}
		}
		if planned, ok := a.Int(traces.KeyPlanned); ok {
			fmt.Fprintf(&b, " planned %d", time.Duration(planned)/msec)
		}
		if reason := a.String(traces.KeyReason); reason != "" {
			b.WriteString(" after " + reason)
		}
		b.WriteByte('\n')
		kids := slices.Clone(s.Kids)
		slices.SortStableFunc(kids, func(a, b *traces.Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Name, b.Name)) })
		for _, k := range kids {
			walk(k, depth+1)
		}
	}
	walk(run.Root, 0)
	return b.String()
}

func drawAll(runs []*traces.Run) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(draw(r))
	}
	return b.String()
}
