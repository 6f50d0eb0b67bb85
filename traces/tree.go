package traces

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// rootID is the id of the span that holds several roots together.
const rootID = "@trace"

// A node is a span while its tree is being repaired; all times are absolute.
type node struct {
	rec        *Record // nil for @trace
	trace      int32
	parent     int32 // -1: none
	start, end int64
	known      int64 // of an open span: the last instant at which it is known to have lived
	skew       int64
	open       bool
	duplicate  bool
	hidden     bool // a recorded phase that is going to be split anew
}

// A forest is the nodes of one run on their way to a tree.
type forest struct {
	group
	opt      Options
	problems *problemList
	nodes    []node
	root     int32
	first    []int32 // kids of i are kids[first[i]:first[i+1]]
	kids     []int32
	order    []int32 // parents before children
}

// plant makes the run's tree and its times.
func (b *builder) plant(g group) {
	f := &forest{group: g, opt: b.opt, problems: &b.problems}
	f.read()
	f.cutCycles()
	f.findRoot()
	f.adopt()
	if !b.opt.NoSkewRepair {
		f.repairSkew()
	}
	f.finish()
	f.grow(b.run)
}

func (f *forest) id(i int32) string {
	if rec := f.nodes[i].rec; rec != nil {
		return rec.SpanID
	}
	return rootID
}

// read takes the records over, and repairs what a record alone shows to be wrong.
func (f *forest) read() {
	f.nodes = make([]node, len(f.spans), len(f.spans)+1)
	for i, s := range f.spans {
		e := &f.set.spans[s]
		rec := e.rec
		n := &f.nodes[i]
		*n = node{rec: rec, trace: e.trace, parent: -1, start: inTime(rec.Start), end: inTime(rec.End), duplicate: e.duplicate}
		if e.parent >= 0 {
			n.parent = f.local[e.parent]
		}
		if n.end == 0 {
			n.open = true
			n.known = max(n.start, lastSign(rec))
		} else if n.start != 0 {
			n.end = max(n.end, n.start)
		}
	}
	if f.opt.StallThreshold > 0 {
		f.hidePhases()
	}
}

// hidePhases leaves out the recorded phases of attempts whose chunk series is there to split them at another threshold.
func (f *forest) hidePhases() {
	readable := map[int32]bool{}
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.parent < 0 || !n.rec.Attrs.Has(KeyPhase) {
			continue
		}
		ok, known := readable[n.parent]
		if !known {
			v, _ := f.nodes[n.parent].rec.Attrs.Value(KeyChunks)
			c, fine := chunkSeries(v)
			ok = fine && len(c.List) > 0
			readable[n.parent] = ok
		}
		n.hidden = ok
	}
}

// cutCycles makes an orphan of one member of each cycle of parents.
func (f *forest) cutCycles() {
	seen := make([]int32, len(f.nodes)) // number of the walk that came by
	var cuts []int32
	length := map[int32]int{}
	for i := range f.nodes {
		walk := int32(i) + 1
		at := int32(i)
		for at >= 0 && seen[at] == 0 {
			seen[at] = walk
			at = f.nodes[at].parent
		}
		if at < 0 || seen[at] != walk {
			continue
		}
		cut, n := at, 1
		for k := f.nodes[at].parent; k != at; k = f.nodes[k].parent {
			n++
			if f.before(k, cut) < 0 {
				cut = k
			}
		}
		cuts = append(cuts, cut)
		length[cut] = n
		f.nodes[cut].parent = -1
	}
	slices.SortFunc(cuts, f.before)
	for _, i := range cuts {
		f.problems.add(ParentCycle, f.id(i), "%d spans are each other's parents; cut at %q", length[i], f.nodes[i].rec.Name)
	}
}

// before orders siblings: by start, then id.
func (f *forest) before(a, b int32) int {
	x, y := &f.nodes[a], &f.nodes[b]
	if c := cmp.Compare(x.start, y.start); c != 0 {
		return c
	}
	return cmp.Or(strings.Compare(f.id(a), f.id(b)), strings.Compare(f.set.traces[x.trace].id, f.set.traces[y.trace].id))
}

// findRoot makes one root: the span without a parent id, else @trace above several; orphans are adopted by it.
func (f *forest) findRoot() {
	var roots, orphans []int32
	for i := range f.nodes {
		switch n := &f.nodes[i]; {
		case n.parent >= 0:
		case n.rec.ParentID == "":
			roots = append(roots, int32(i))
		default:
			orphans = append(orphans, int32(i))
		}
	}
	slices.SortFunc(orphans, f.before)
	for _, i := range orphans {
		n := &f.nodes[i]
		if cut := f.set.find(n.trace, n.rec.ParentID) >= 0; len(roots) > 0 && !cut {
			f.problems.add(OrphanAdopted, n.rec.SpanID, "%q (%s) has a parent %s that is not there; put below the root",
				n.rec.Name, time.Duration(max(0, n.end-n.start)), n.rec.ParentID)
		}
	}
	if len(roots) == 0 {
		for _, i := range orphans {
			f.problems.add(OrphanAdopted, f.id(i), "%q has a parent %s that is not there; taken as a root",
				f.nodes[i].rec.Name, f.nodes[i].rec.ParentID)
		}
		roots, orphans = orphans, nil
	}
	f.root = roots[0]
	if len(roots) > 1 {
		slices.SortFunc(roots, f.before)
		f.root = int32(len(f.nodes))
		f.nodes = append(f.nodes, node{trace: f.nodes[roots[0]].trace, parent: -1})
		for _, i := range roots {
			f.nodes[i].parent = f.root
		}
		f.problems.add(SeveralRoots, "", "the run has %d roots; put below %s", len(roots), rootID)
	}
	for _, i := range orphans {
		f.nodes[i].parent = f.root
	}
}

// adopt lists the kids of each node, and all nodes from the root down.
func (f *forest) adopt() {
	f.first = make([]int32, len(f.nodes)+1)
	for i := range f.nodes {
		if p := f.nodes[i].parent; p >= 0 && !f.nodes[i].hidden {
			f.first[p+1]++
		}
	}
	for i := range f.nodes {
		f.first[i+1] += f.first[i]
	}
	f.kids = make([]int32, f.first[len(f.nodes)])
	next := slices.Clone(f.first)
	for i := range f.nodes {
		if p := f.nodes[i].parent; p >= 0 && !f.nodes[i].hidden {
			f.kids[next[p]] = int32(i)
			next[p]++
		}
	}
	f.order = make([]int32, 1, len(f.nodes))
	f.order[0] = f.root
	for i := 0; i < len(f.order); i++ {
		f.order = append(f.order, f.kidsOf(f.order[i])...)
	}
}

func (f *forest) kidsOf(i int32) []int32 { return f.kids[f.first[i]:f.first[i+1]] }

// grow makes the spans, parents before children and siblings in order, in one piece of memory.
func (f *forest) grow(run *Run) {
	for i := range f.nodes {
		slices.SortFunc(f.kidsOf(int32(i)), f.before)
	}
	var (
		spans = make([]Span, len(f.order))
		all   = make([]*Span, 0, len(f.order))
		kids  = make([]*Span, len(f.kids))
		at    = make([]int32, len(f.nodes)) // a node's position in spans
		stack = []int32{f.root}
		base  = f.nodes[f.root].start
	)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &f.nodes[i]
		s := &spans[len(all)]
		at[i] = int32(len(all))
		*s = Span{ID: f.id(i), Trace: f.set.traces[n.trace].id, Name: rootID, Index: int32(len(all)), Record: n.rec,
			Start: time.Duration(n.start - base), End: time.Duration(n.end - base), Skew: time.Duration(n.skew)}
		if n.rec != nil {
			s.Name, s.Kind = n.rec.Name, n.rec.Kind
		} else {
			s.Flags |= FlagVirtual
		}
		if n.open {
			s.Flags |= FlagOpen
		}
		f.complain(n)
		if n.parent >= 0 {
			s.Parent = &spans[at[n.parent]]
			kids[int(f.first[n.parent])+len(s.Parent.Kids)] = s
			s.Parent.Kids = s.Parent.Kids[:len(s.Parent.Kids)+1]
		}
		if from, to := f.first[i], f.first[i+1]; from < to {
			s.Kids = kids[from:from:to]
		}
		all = append(all, s)
		below := f.kidsOf(i)
		for k := len(below) - 1; k >= 0; k-- {
			stack = append(stack, below[k])
		}
	}
	run.Spans = all
	run.Root = all[0]
	run.Start = time.Unix(0, base).UTC()
	run.Wall = run.Root.Duration()
	f.link(at, spans)

	for _, i := range f.order {
		id := f.set.traces[f.nodes[i].trace].id
		if len(run.TraceIDs) == 0 || run.TraceIDs[len(run.TraceIDs)-1] != id && !slices.Contains(run.TraceIDs, id) {
			run.TraceIDs = append(run.TraceIDs, id)
		}
	}
}

// complain lists what is wrong with a span by itself.
func (f *forest) complain(n *node) {
	rec := n.rec
	if rec == nil {
		return
	}
	if n.duplicate {
		f.problems.add(DuplicateID, rec.SpanID, "several spans have this id; kept %q, which ends last", rec.Name)
	}
	if rec.Dropped != (Dropped{}) {
		f.problems.add(DroppedData, rec.SpanID, "the source cut %d attributes, %d events and %d links off %q",
			rec.Dropped.Attrs, rec.Dropped.Events, rec.Dropped.Links, rec.Name)
	}
	if doubt, _ := rec.Attrs.Bool(KeyUsageDoubt); doubt {
		f.problems.add(DoubtfulData, rec.SpanID, "the token counts of %q do not add up; those in doubt are taken as unknown", rec.Name)
	}
	if doubt, _ := rec.Attrs.Bool(KeyTimingsDoubt); doubt {
		f.problems.add(DoubtfulData, rec.SpanID, "the server's own timings of %q contradict what was measured; they are not used", rec.Name)
	}
	start, end := inTime(rec.Start), inTime(rec.End)
	if start != rec.Start || end != rec.End {
		f.problems.add(BadAttribute, rec.SpanID, "%q has times outside the years 1970 to 2116; taken as unknown", rec.Name)
	}
	if start == 0 {
		f.problems.add(NoStart, rec.SpanID, "%q does not say when it started; taken to start at %s", rec.Name, instant(n.start))
	}
	if end != 0 && end < start {
		f.problems.add(NegativeDuration, rec.SpanID, "%q ends %s before it starts; taken as having no length", rec.Name, time.Duration(start-end))
	}
	if n.parent < 0 || n.skew == f.nodes[n.parent].skew {
		return
	}
	client := f.nodes[n.parent]
	f.problems.add(ClockSkew, rec.SpanID, "%q of host %s is not inside its client's span of host %s; moved by %s with all below it",
		rec.Name, host(rec), host(client.rec), time.Duration(n.skew-client.skew))
}

func instant(t int64) string { return time.Unix(0, t).UTC().Format(time.RFC3339Nano) }

// link resolves the links by which spans declare what they waited for.
func (f *forest) link(at []int32, spans []Span) {
	for _, i := range f.order {
		rec := f.nodes[i].rec
		if rec == nil {
			continue
		}
		for _, l := range rec.Links {
			if dep, _ := l.Attrs.Bool(KeyDep); !dep {
				continue
			}
			s := &spans[at[i]]
			if to := f.find(f.nodes[i].trace, l); to >= 0 && to != i && !f.nodes[to].hidden {
				s.Link = append(s.Link, &spans[at[to]])
				continue
			}
			f.problems.add(UnusableLink, rec.SpanID, "%q waited for span %s, which is not in the run", rec.Name, l.SpanID)
		}
	}
}

// find returns the node a link points to, -1 if it is not in the run.
func (f *forest) find(trace int32, l Link) int32 {
	if l.TraceID != "" && l.TraceID != f.set.traces[trace].id {
		trace = int32(slices.IndexFunc(f.set.traces, func(t traceInfo) bool { return t.id == l.TraceID }))
	}
	if trace < 0 {
		return -1
	}
	s := f.set.find(trace, l.SpanID)
	if s < 0 {
		return -1
	}
	if i := f.local[s]; int(i) < len(f.spans) && f.spans[i] == s {
		return i
	}
	return -1
}
