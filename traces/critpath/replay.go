package critpath

import (
	"time"

	"github.com/seed46266073/longpole/traces"
)

// A Replay is a run that can be played again with other lengths of its parts, every span after what it waited for. It is
// read-only and safe for concurrent use.
type Replay struct {
	Run   *traces.Run
	Parts []Part // every stretch of time that can be changed, in an order that depends on the run alone

	tree *tree
	net  *network
}

// Timing says when a replayed run's spans start and end.
type Timing struct {
	Start, End []time.Duration // by Index
	Wall       time.Duration
}

// Replay prepares the run to be played again. It takes O(n log n) time for n spans and their links.
func (p *Path) Replay(e Edges) *Replay {
	r := &Replay{Run: p.Run, tree: p.tree}
	if p.tree != nil {
		r.net, r.Parts = wire(p.tree, e, p.source())
	}
	return r
}

// Lengths returns how long each part took, for the caller to change.
func (r *Replay) Lengths() []time.Duration {
	lengths := make([]time.Duration, len(r.Parts))
	for i, p := range r.Parts {
		lengths[i] = p.To - p.From
	}
	return lengths
}

// Play returns when everything happens if the parts take the given lengths, as many as there are parts. With those of Lengths
// these are exactly the times of the run; a shorter part never makes the run longer. It takes linear time.
func (r *Replay) Play(lengths []time.Duration) Timing {
	n := len(r.Run.Spans)
	out := Timing{Start: make([]time.Duration, n), End: make([]time.Duration, n)}
	if n == 0 {
		return out
	}
	at := r.net.play(lengths)
	for i, s := range r.Run.Spans {
		if r.net.end[i] == none { // left out of the run: goes along with its parent
			shift := out.Start[s.Parent.Index] - s.Parent.Start
			out.Start[i], out.End[i] = s.Start+shift, s.End+shift
			continue
		}
		// What was clipped off stays as it was.
		out.Start[i] = at[r.net.start[i]] + s.Start - r.tree.nodes[i].start
		out.End[i] = at[r.net.end[i]] + s.End - r.tree.ended(int32(i))
	}
	out.Wall = at[r.net.end[0]] - at[r.net.start[0]]
	return out
}
