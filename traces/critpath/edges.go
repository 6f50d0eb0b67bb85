package critpath

import (
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// Edges say which dependencies a replay keeps; what a span declares to have waited for always counts. The zero value keeps all
// that the order of times suggests, which is conservative: what only happened to come one after another is taken to have waited.
//
// With Structural alone, a run replayed unchanged is the run as recorded. ToolsAtOnce and ToolsEarly make it another run even so:
// the tools that one model message asked for no longer queue up. Each keeps the agent's own time before it, and none starts later
// than it did.
type Edges struct {
	// Structural keeps only what an agent's loop implies: a tool waits for the model call that asked for it and for nothing else, and
	// only the end of what is around it waits for a side call. What is no tool, or was asked for by nobody known, waits for all the rest
	// that had finished. Neither answer bounds the other.
	Structural bool
	// ToolsAtOnce lets the tools that one model message asked for start once that is done which the first of them waited for: their
	// arguments do not need each other's results.
	ToolsAtOnce bool
	// ToolsEarly lets each of them start as soon as its own arguments are complete, while the model still streams. Where no tool_args
	// phases tell when that was, it is ToolsAtOnce; where they are not as many as the tools, arguments are taken to be of one length.
	ToolsEarly bool
}

// asking is which tool calls a replay releases otherwise than the order of times suggests.
type asking struct {
	batches map[*traces.ModelCall][]int32 // the tools that a call asked for, in its own scope, by start
	side    map[int32]bool                // model calls outside the main chain
}

// ask finds the tools that model calls asked for.
func (w *wiring) ask() {
	if w.edges == (Edges{}) {
		return
	}
	w.batches, w.side = map[*traces.ModelCall][]int32{}, map[int32]bool{}
	for _, t := range w.run.ToolCalls {
		if i := t.Span.Index; w.asker(i) != none {
			w.batches[t.Call] = append(w.batches[t.Call], i)
		}
	}
	for _, c := range w.run.ModelCalls {
		w.side[c.Span.Index] = c.Side
	}
}

// asker returns the model call that asked for tool c and began before it in the scope that spawned it, none if c has none such.
func (w *wiring) asker(c int32) int32 {
	k := w.nodes[c].toolCall
	if k == none || w.nodes[c].out || w.run.ToolCalls[k].Call == nil {
		return none
	}
	m := w.run.ToolCalls[k].Call.Span.Index
	if n := &w.nodes[m]; m == c || c == 0 || n.out || n.scope != w.spawner(c) || !w.blocks(m) || n.lost || n.start >= w.nodes[c].start {
		return none
	}
	return m
}

// asked returns the instant at which the call that asked for tool c had come to where c started, and when that was; none if no call
// is known to have asked for it.
func (w *wiring) asked(x, c int32) (k int32, at time.Duration) {
	m := w.asker(c)
	switch t := w.nodes[c].start; {
	case m == none:
		return none, 0
	case w.ended(m) <= t+w.nodes[x].tolerance:
		return w.end[m], w.ended(m)
	default:
		return w.position(m, t, c), t
	}
}

// sooner returns the instant after which c starts if it need not wait for other tools of its message, none if it did not.
func (w *wiring) sooner(c int32) int32 {
	m := w.asker(c)
	if m == none {
		return none
	}
	var (
		call  = w.run.ToolCalls[w.nodes[c].toolCall].Call
		t     = w.nodes[c].start
		x     = w.nodes[m].scope
		early = t // no later than it did
	)
	if args, ok := w.complete(call, c); ok && w.edges.ToolsEarly {
		early = min(early, args)
	} else if w.ended(m) <= t+w.nodes[x].tolerance {
		if first := w.batches[call][0]; w.nodes[first].start+w.nodes[x].tolerance >= w.ended(m) {
			k, _ := w.released(x, w.nodes[first].start)
			return k
		}
		return w.end[m]
	}
	return w.position(m, early, c)
}

// complete returns when the arguments of tool c were complete in the response of the call that asked for it.
func (w *wiring) complete(call *traces.ModelCall, c int32) (time.Duration, bool) {
	k, n := slices.Index(call.ToolCallIDs, w.run.ToolCalls[w.nodes[c].toolCall].CallID), len(call.ToolCallIDs)
	if k < 0 {
		k, n = slices.Index(w.batches[call], c), len(w.batches[call])
	}
	var args []*node
	var total time.Duration
	for _, p := range call.Final().Phases {
		if n := &w.nodes[p.Span.Index]; p.Component == traces.ToolArgs && !n.out && n.start < n.end {
			args = append(args, n)
			total += n.end - n.start
		}
	}
	if len(args) == n {
		return args[k].end, true
	}
	need := total * time.Duration(k+1) / time.Duration(max(n, 1))
	for _, p := range args {
		if d := p.end - p.start; need > d {
			need -= d
			continue
		}
		return p.start + need, true
	}
	return 0, false
}
