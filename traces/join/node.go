package join

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// tolerance is how far the agent's clock and the proxy's may disagree.
const tolerance = int64(50 * time.Millisecond)

// A node is one span on its way.
type node struct {
	rec    traces.Record // as it will come out
	wire   bool          // from the wire; else the agent's
	role   traces.Role
	parent *node   // nil for the root, and for spans of the wire whose parent is not there
	kids   []*node // as recorded, by start
	model  *node   // the nearest model span at or above it that it is part of
	moved  bool    // the parent is not the recorded one
	gone   bool    // it gave way to another span
	heir   *node   // to which
}

// open is the end of what has not ended.
const open = math.MaxInt64

// A key names a span across traces.
type key struct{ trace, id string }

// from and to are the span's times, in nanoseconds since the Unix epoch; from is 0 if it is not known.
func (n *node) from() int64 { return inTime(n.rec.Start) }

func (n *node) to() int64 { return cmp.Or(inTime(n.rec.End), open) }

// inTime returns t, or 0 for unknown if it is outside the years 1970 to 2116, in which nothing overflows.
func inTime(t int64) int64 {
	if t < 0 || t > 1<<62 {
		return 0
	}
	return t
}

// covers reports whether an interval lies in the span, as far as the clocks agree.
func (n *node) covers(from, to int64) bool {
	return n.from() != 0 && n.from()-tolerance <= from && (n.to() == open || to <= n.to()+tolerance)
}

// inside reports whether the span lies in another, as far as the clocks agree; it may be open.
func (n *node) inside(other *node) bool {
	return other.covers(n.from(), n.from()) && (n.to() == open || other.covers(n.from(), n.to()))
}

func (n *node) text(key string) string { return n.rec.Attrs.String(key) }

func (n *node) set(key string, value any) {
	n.rec.Attrs = slices.Clone(n.rec.Attrs).With(key, value)
}

// become changes the role.
func (n *node) become(role traces.Role) {
	if n.role != role {
		n.role = role
		n.set(traces.KeyRole, string(role))
	}
}

// move puts the span, with all below it, below another one.
func (n *node) move(to *node) {
	if n.parent != to && !to.below(n) {
		n.parent, n.moved = to, true
	}
}

// setAside says that nothing waits for the span.
func (n *node) setAside() {
	if background, _ := n.rec.Attrs.Bool(traces.KeyBackground); !background {
		n.set(traces.KeyBackground, true)
	}
}

// giveWay leaves the span out. What was below it, and is not moved, comes below heir, or where the span was.
func (n *node) giveWay(heir *node) {
	if heir != nil && !heir.below(n) {
		n.heir = heir
	}
	n.gone = true
}

// above returns the parent that the span comes out with.
func (n *node) above() *node {
	p := n.parent
	for p != nil && p.gone {
		p = cmp.Or(p.heir, p.parent)
	}
	return p
}

// below reports whether the span is top or comes out below it.
func (n *node) below(top *node) bool {
	for ; n != nil; n = n.above() {
		if n == top {
			return true
		}
	}
	return false
}

// isRequest reports whether a span of the agent is one HTTP request, or an attempt by its own account.
func (n *node) isRequest() bool {
	if n.wire {
		return false
	}
	a := n.rec.Attrs
	return n.role == traces.RoleAttempt ||
		n.role == traces.RoleClient && (a.Has(traces.KeyHTTPMethod) || a.Has(traces.KeyHTTPStatus) || a.Has(traces.KeyResendCount))
}

// failed reports whether an attempt or a call came to nothing, by what its span says.
func (n *node) failed() bool {
	if o := n.text(traces.KeyOutcome); o != "" {
		return o != string(traces.OK)
	}
	status, _ := n.rec.Attrs.Int(traces.KeyHTTPStatus)
	return status >= 400 || n.rec.Status == traces.StatusError || n.rec.Attrs.Has(traces.KeyErrorType)
}

// earlier orders nodes by start, then id.
func earlier(a, b *node) int { return earlierRecord(&a.rec, &b.rec) }

func earlierRecord(a, b *traces.Record) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.SpanID, b.SpanID), cmp.Compare(a.TraceID, b.TraceID))
}

// sameModel reports whether two spans name the same model, where one may name it with a date or a provider, or not at all.
func sameModel(a, b *node) bool {
	names := func(n *node) []string {
		return []string{n.text(traces.KeyRequestModel), n.text(traces.KeyResponseModel)}
	}
	known := false
	for _, x := range names(a) {
		for _, y := range names(b) {
			if x == "" || y == "" {
				continue
			}
			known = true
			if strings.Contains(x, y) || strings.Contains(y, x) {
				return true
			}
		}
	}
	return !known
}
