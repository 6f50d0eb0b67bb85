package traces

import "time"

// latest bounds instants so that no difference of two overflows: nanoseconds since 1970, until the year 2116.
const latest = int64(1) << 62

// inTime returns t, or 0 for unknown if it is outside 1970 to 2116.
func inTime(t int64) int64 {
	if t < 0 || t > latest {
		return 0
	}
	return t
}

// lastSign returns the last instant at which an open span is known to have lived, 0 if it says none.
func lastSign(rec *Record) int64 {
	at := inTime(checkpoint(rec))
	if b, ok := rec.Attrs.Value(KeyChunks); ok {
		if c, ok := chunkSeries(b); ok && len(c.List) > 0 {
			at = max(at, inTime(rec.Start+int64(c.List[len(c.List)-1].At)))
		}
	}
	return at
}

// repairSkew moves what a server recorded with another clock into the middle of the client's span that called it.
func (f *forest) repairSkew() {
	for _, i := range f.order {
		n := &f.nodes[i]
		if n.parent < 0 {
			continue
		}
		p := &f.nodes[n.parent]
		shift := p.skew
		if shift != 0 {
			f.move(n, shift)
		}
		if n.rec.Kind != KindServer || p.rec == nil || p.rec.Kind != KindClient || n.open || p.open || n.start == 0 || p.start == 0 ||
			n.start >= p.start && n.end <= p.end {
			continue
		}
		if a, b := host(n.rec), host(p.rec); a == "" || b == "" || a == b {
			continue
		}
		shift = p.start + ((p.end-p.start)-(n.end-n.start))/2 - n.start
		f.move(n, shift)
	}
}

func (f *forest) move(n *node, by int64) {
	n.skew += by
	if n.start != 0 {
		n.start = min(max(n.start+by, 1), latest)
	}
	if n.end != 0 {
		n.end = min(max(n.end+by, n.start, 1), latest)
	}
	if n.known != 0 {
		n.known = min(max(n.known+by, 1), latest)
	}
}

func host(rec *Record) string {
	if rec.Resource == nil {
		return ""
	}
	return rec.Resource.Attrs.String(KeyHostName)
}

// finish gives every node a start and an end.
func (f *forest) finish() {
	type span struct{ from, to int64 }
	seen := make([]span, len(f.set.traces))
	for _, i := range f.order {
		n := &f.nodes[i]
		if n.rec == nil {
			continue
		}
		s := &seen[n.trace]
		if n.start != 0 && (s.from == 0 || n.start < s.from) {
			s.from = n.start
		}
		s.to = max(s.to, n.start, n.end, n.known)
		if n.open && !f.opt.Now.IsZero() {
			s.to = max(s.to, inTime(f.opt.Now.UnixNano()))
		}
	}
	for _, i := range f.order {
		n := &f.nodes[i]
		if n.rec == nil {
			continue
		}
		from, to := seen[n.trace].from, seen[n.trace].to
		if n.parent >= 0 && f.nodes[n.parent].rec != nil {
			from, to = f.nodes[n.parent].start, f.nodes[n.parent].end
		}
		if n.start == 0 {
			n.start = n.end
			if n.open || i == f.root {
				n.start = from
			}
			if n.open && i != f.root {
				n.end = n.start
				continue
			}
		}
		if n.open {
			n.end = max(to, n.known)
		}
		n.end = max(n.end, n.start)
	}
	if top := &f.nodes[f.root]; top.rec == nil {
		for k, i := range f.kidsOf(f.root) {
			n := &f.nodes[i]
			if k == 0 || n.start < top.start {
				top.start = n.start
			}
			top.end = max(top.end, n.end)
		}
	}
}

// durationOf is a recorded number of nanoseconds, bounded like instants.
func durationOf(ns int64) time.Duration { return time.Duration(min(ns, latest)) }
