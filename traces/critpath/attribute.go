package critpath

import (
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// Attribution books each stretch of the path on one component, a function of the span that is blamed and its ancestors. Where
// two rules apply the first of these wins: time inside an attempt that failed is retry, whatever happened in it; time between
// a failed attempt and the next is backoff; a phase is its own component; else the role decides. Spans without a role of
// their own (HTTP clients, servers, internals) are booked like the model, attempt or tool they are part of, else like the
// agent. The agent's own time before the first model request is startup.

// emit puts the time that span i itself took onto the path, split where its component changes.
func (w *walker) emit(i int32, from, to time.Duration) {
	if from >= to {
		return
	}
	c, startup := w.component(i)
	if len(w.calls.gaps) == 0 || c == traces.Retry || c == traces.Backoff {
		w.book(i, from, to, c, startup)
		return
	}
	var gaps []gap
	for _, g := range w.calls.within(i, from) {
		if g.span != i || g.from >= to {
			break
		}
		gaps = append(gaps, gap{i, max(g.from, from), min(g.to, to)})
	}
	for k := len(gaps) - 1; k >= 0; k-- {
		w.book(i, gaps[k].to, to, c, startup)
		w.add(i, gaps[k].from, gaps[k].to, traces.Backoff)
		to = gaps[k].from
	}
	w.book(i, from, to, c, startup)
}

// book puts one stretch of one component onto the path; if it is startup, only until the first model request.
func (w *walker) book(i int32, from, to time.Duration, c traces.Component, startup bool) {
	if startup && from < w.firstModel && w.firstModel != never {
		w.add(i, max(from, w.firstModel), to, c)
		w.add(i, from, min(to, w.firstModel), traces.Startup)
		return
	}
	w.add(i, from, to, c)
}

// add appends a segment, the path being built backwards.
func (w *walker) add(i int32, from, to time.Duration, c traces.Component) {
	if from >= to {
		return
	}
	s := w.run.Spans[i]
	if n := len(w.path); n > 0 && w.path[n-1].Span == s && w.path[n-1].Component == c {
		w.path[n-1].From = from
		return
	}
	seg := Segment{Span: s, From: from, To: to, Component: c, Quality: s.Quality()}
	if c == traces.Tool {
		seg.Tool = w.toolName(i)
	}
	w.path = append(w.path, seg)
}

// component returns what the own time of span i is booked on, backoff between attempts aside; startup says that it is
// the agent's own time, which is startup as long as no model was asked.
func (t *tree) component(i int32) (c traces.Component, startup bool) {
	n := &t.nodes[i]
	switch {
	case n.failed:
		return traces.Retry, false
	case t.isTrace(i):
		return traces.Untraced, false
	}
	switch n.role {
	case agent:
		return traces.Agent, true
	case phase:
		if p := t.run.Spans[i].Phase; p != "" {
			return p, false
		}
		return traces.Response, false
	case wait:
		switch waitReason(t.run.Spans[i]) {
		case "approval":
			return traces.Approval, false
		case "backoff", "rate_limit":
			return traces.Backoff, false
		}
		if n.owner != none && t.nodes[n.owner].role == tool {
			return traces.Tool, false
		}
		return traces.Agent, false
	}
	switch {
	case n.owner == none:
		return traces.Agent, true
	case t.nodes[n.owner].role == tool:
		return traces.Tool, false
	}
	return traces.Response, false
}

// waitReason returns why a wait span waited, its name where no attribute says it.
func waitReason(s *traces.Span) string {
	if why := s.Attrs().String(traces.KeyWait); why != "" {
		return strings.ToLower(why)
	}
	return s.Name
}

// toolName returns the name of the tool that span i is part of.
func (w *walker) toolName(i int32) string {
	owner := w.run.Spans[w.nodes[i].owner]
	if w.tools == nil {
		w.tools = make(map[*traces.Span]string, len(w.run.ToolCalls))
		for _, c := range w.run.ToolCalls {
			w.tools[c.Span] = c.Name
		}
	}
	if name := w.tools[owner]; name != "" {
		return name
	}
	if name := owner.Attrs().String(traces.KeyToolName); name != "" {
		return name
	}
	return owner.Name
}
