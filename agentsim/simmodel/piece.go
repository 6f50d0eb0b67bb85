package simmodel

import (
	"math/rand/v2"
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// A piece is what is generated in one go: a token, but for the opening of a call, which comes as a whole, as does all of it
// in APIs without pieces of calls.
type piece struct {
	kind        traces.Component
	text        string
	args        string // of a call that comes as a whole
	call        int    // index of the tool call
	opens       bool   // text is the name of a tool
	first, last bool   // of the reasoning, the text or the call
	tokens      int
}

// plan cuts the reply into pieces, as many as the client's limit allows.
func (g *generation) plan(reply Reply, reasoning int, r *rand.Rand) {
	add := func(kind traces.Component, texts []string, call int) {
		for _, t := range texts {
			g.pieces = append(g.pieces, piece{kind: kind, text: t, call: call, tokens: 1})
		}
	}
	add(traces.Reasoning, thought(reasoning, r), 0)
	add(traces.Output, tokens(strings.ToValidUTF8(reply.Text, "\uFFFD")), 0)
	g.truth.Finish = "stop"
	for i, c := range reply.Calls {
		g.truth.Finish = "tool_calls"
		g.callIDs = append(g.callIDs, mint(g.asked.callPrefix, g.turn.Index, g.ids))
		opening := piece{kind: traces.ToolArgs, text: c.Name, call: i, opens: true, tokens: Tokens(c.Name)}
		args := strings.ToValidUTF8(c.arguments(), "\uFFFD")
		if g.asked.wholeCalls {
			opening.args, args = args, ""
			opening.tokens += Tokens(opening.args)
		}
		g.pieces = append(g.pieces, opening)
		add(traces.ToolArgs, tokens(args), i)
	}
	total := 0
	for i, p := range g.pieces {
		if total += p.tokens; g.asked.limit > 0 && total > g.asked.limit {
			g.pieces, g.truth.Finish = g.pieces[:i], "length"
			break
		}
	}
	for i := range g.pieces {
		p := &g.pieces[i]
		p.first = i == 0 || g.pieces[i-1].kind != p.kind || g.pieces[i-1].call != p.call
		p.last = i == len(g.pieces)-1 || g.pieces[i+1].kind != p.kind || g.pieces[i+1].call != p.call
	}
}

// chunk joins the pieces that go into one event, from i on and at most so many, and returns how many these are.
func (g *generation) chunk(i, most int) (p piece, n int) {
	p, n = g.pieces[i], 1
	for ; n < most && i+n < len(g.pieces); n++ {
		next := g.pieces[i+n]
		if p.opens || next.opens || next.kind != p.kind || next.call != p.call {
			break
		}
		p.text += next.text
		p.tokens += next.tokens
		p.last = next.last
	}
	return p, n
}

// said is what has been generated.
type said struct {
	reasoning, text strings.Builder
	calls           []Call
	args            []byte // of the last call, so far
}

// say books a piece in what has been generated.
func (g *generation) say(p piece) {
	s := &g.said
	switch {
	case p.kind == traces.Reasoning:
		s.reasoning.WriteString(p.text)
		return
	case p.kind == traces.Output:
		s.text.WriteString(p.text)
		return
	case p.opens:
		s.calls = append(s.calls, Call{ID: g.callIDs[p.call], Name: p.text})
		s.args = append(s.args[:0], p.args...)
	default:
		s.args = append(s.args, p.text...)
	}
	if p.last {
		s.calls[p.call].Args = string(s.args)
	}
}

// message returns what has been generated as a message of the conversation.
func (s *said) message() Message {
	return Message{Role: "assistant", Content: s.text.String(), Calls: s.calls}
}
