package critpath

import (
	"time"

	"github.com/seed46266073/longpole/traces"
)

// Slack is how much longer a span could have lasted for free. It is defined by effect: replay the run forwards, each span
// starting when those that had finished before it are done, after the same delay as then, and each ending when its children are
// done, after the same rest as then; slack is the largest d by which a span's end can be put off such that the root ends when it
// did. With L the latest end that changes nothing that is
//
//	L(root) = end(root)
//	L(c)    = min( L(x) - tail(x), min over successors b of L(b) - duration(b) - lag(b) ),   slack(c) = L(c) - end(c)
//
// where x is the scope that c joins, tail(x) = end(x) - latest end in x, the successors of c are those that c released, and
// lag(b) = start(b) - latest end of those that b is a successor of: the float of critical path scheduling. In the network of a replay it is
// the run's wall time less the longest way through the span's end. CRISP's slack is another thing: room at the start, under sets
// learned over traces.

// Slack returns how much later the end of s could have been, what happened in it and everything else unchanged, without making the
// run longer: 0 where the run waited for its end. It is false where nobody waits for that: work that is detached, left out or in the
// background, and losers of a race. A tool that started while its model still streamed did not wait for the model's end, but for a
// position in its phases; so the model may have slack where these have none. The first call costs as much as a replay.
func (p *Path) Slack(s *traces.Span) (time.Duration, bool) {
	if !p.has(s) {
		return 0, false
	}
	b := p.base()
	k := b.net.end[s.Index]
	if k == none {
		return 0, false
	}
	return b.room(k)
}

// ToolSlack returns how much longer any one call of the tool could have taken without making the run longer: the least slack of its calls.
// It is false where no call of that name has any.
func (p *Path) ToolSlack(name string) (least time.Duration, ok bool) {
	for _, c := range p.Run.ToolCalls {
		if p.tree.toolName(c.Span.Index) != name {
			continue
		}
		if d, known := p.Slack(c.Span); known && (!ok || d < least) {
			least, ok = d, true
		}
	}
	return least, ok
}

// ComponentSlack returns how much longer any one part that is booked on the component could have taken without making the run longer. It is
// false where the run waited for no such part at all.
func (p *Path) ComponentSlack(c traces.Component) (least time.Duration, ok bool) {
	if p.tree == nil {
		return 0, false
	}
	b := p.base()
	for k := range b.net.instants {
		i := &b.net.instants[k]
		for _, part := range b.Parts[i.part : i.part+i.parts] {
			if part.Component != c || part.To <= part.From {
				continue
			}
			if d, known := b.room(int32(k)); known && (!ok || d < least) {
				least, ok = d, true
			}
		}
	}
	return least, ok
}

// A base is the run as recorded, as a replay sees it.
type base struct {
	*Replay
	lengths []time.Duration
	at      []time.Duration // when each instant came
	rest    []time.Duration // by how much the run went on after it at least; unknown where the run's end did not wait for it
}

func newBase(p *Path) *base {
	b := &base{Replay: p.Replay(Edges{})}
	b.lengths = b.Lengths()
	b.at, b.rest = b.net.play(b.lengths), b.net.rest(b.lengths)
	return b
}

// end returns when the run ended.
func (b *base) end() time.Duration { return b.at[b.net.end[0]] }

// room returns by how much instant k can be put off without putting off the run's end; false if that does not wait for it.
func (b *base) room(k int32) (time.Duration, bool) {
	if b.rest[k] == unknown {
		return 0, false
	}
	return b.end() - b.at[k] - b.rest[k], true
}
