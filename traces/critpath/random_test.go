package critpath_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/seed46266073/longpole/traces"
)

// wild makes records in which anything can be wrong: parents that are missing or go in circles, ids twice, ends missing or before
// the start, skew, links to anywhere, races and streaming; and in which many boundaries touch or nearly touch.
func wild(rng *rand.Rand) []traces.Record {
	var (
		n     = 1 + rng.IntN(26)
		unit  = []int64{1, 7, 500_000, 3_000_000}[rng.IntN(4)] // ns; the tolerance is 1 % or 1 ms
		width = int64(1 + rng.IntN(40))
		list  []traces.Record
		roles = []string{"agent", "step", "model", "model", "attempt", "attempt", "phase", "tool", "tool", "wait", "client", "server",
			"producer", "consumer", "internal"}
	)
	id := func() string { return fmt.Sprintf("%02x", rng.IntN(n+n/8+1)) }
	at := func() int64 {
		t := rng.Int64N(width+1) * unit
		if rng.IntN(3) == 0 && unit > 7 {
			t += rng.Int64N(5) * unit / 5
		}
		return t
	}
	for i := range n {
		s := caseSpan{ID: fmt.Sprintf("%02x", i), Name: []string{"ttft", "visible", "odd", "approval"}[rng.IntN(4)], Kind: roles[rng.IntN(len(roles))]}
		s.Start, s.End = 1+at(), 1+at()
		if s.End < s.Start && rng.IntN(20) > 0 {
			s.Start, s.End = s.End, s.Start
		}
		if i == 0 && rng.IntN(10) > 0 {
			s.Kind, s.Start, s.End = "agent", 1, 1+width*unit
		}
		if rng.IntN(30) == 0 {
			s.End = 0
		}
		switch rng.IntN(12) {
		case 0:
			s.Parent = id()
		default:
			if i > 0 {
				s.Parent = fmt.Sprintf("%02x", rng.IntN(i))
			}
		}
		if rng.IntN(16) == 0 {
			s.ID = id()
		}
		s.Attrs.Background = rng.IntN(12) == 0
		s.Attrs.Cancelled = rng.IntN(8) == 0
		if s.Kind == "attempt" {
			s.Attrs.Op = []string{"", "", "p", "q"}[rng.IntN(4)]
			s.Attrs.Attempt = int64(rng.IntN(4))
			if rng.IntN(2) == 0 {
				s.Attrs.Error = "429"
			}
		}
		for rng.IntN(8) == 0 {
			s.Links = append(s.Links, id())
		}
		rec := s.record()
		switch s.Kind {
		case "model":
			if rng.IntN(2) == 0 {
				rec.Attrs = rec.Attrs.With(traces.KeyToolCallIDs, []any{"c1", "c2"}[:1+rng.IntN(2)])
			}
		case "tool":
			if rng.IntN(2) == 0 {
				rec.Attrs = rec.Attrs.With(traces.KeyToolCallID, []string{"c1", "c2"}[rng.IntN(2)])
			}
		case "wait":
			rec.Attrs = rec.Attrs.With(traces.KeyWait, []string{"approval", "rate_limit", "backoff", "other"}[rng.IntN(4)])
		}
		if rng.IntN(10) == 0 {
			rec.Resource = &traces.Resource{Attrs: traces.Attrs{{Key: traces.KeyHostName, Value: id()}}}
		}
		list = append(list, rec)
	}
	return list
}

// nested makes records of a run in which every span lies within its parent, in nanoseconds few enough that the tolerance
// is 0, or with tolerance so many that boundaries fall within it. If distinct, no two boundaries are the same.
func nested(rng *rand.Rand, width int64, distinct bool) []traces.Record {
	var spans []caseSpan
	used := map[int64]bool{}
	var grow func(parent string, from, to int64, depth int)
	grow = func(parent string, from, to int64, depth int) {
		id := fmt.Sprintf("%02x", len(spans))
		kind := []string{"step", "tool", "internal", "agent"}[rng.IntN(4)]
		spans = append(spans, caseSpan{ID: id, Parent: parent, Name: id, Kind: kind, Start: from, End: to})
		if depth == 0 {
			return
		}
		for range rng.IntN(5) {
			if len(spans) > 30 {
				return
			}
			a, b := from+rng.Int64N(to-from+1), from+rng.Int64N(to-from+1)
			if a > b {
				a, b = b, a
			}
			if distinct && (a == b || used[a] || used[b]) {
				continue
			}
			used[a], used[b] = true, true
			grow(id, a, b, depth-1)
		}
	}
	used[0], used[width] = true, true
	grow("", 0, width, 4)
	return records(spans)
}

// shuffled returns the records in another order.
func shuffled(rng *rand.Rand, list []traces.Record) []traces.Record {
	list = slices.Clone(list)
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func id(n int64) string { return fmt.Sprintf("%016x", n+1) }
