package join

import (
	"slices"

	"github.com/seed46266073/longpole/traces"
)

// matchTools lets the round trips of tools, and waits, give way to the agent's spans of the same: those with the same id, else those
// that lie within the round trip, which is longer, in order.
func (j *joiner) matchTools() {
	var trips, measured []*node
	for _, n := range j.nodes { // of spans within each other, the outer one first
		switch {
		case n.gone || n.role != traces.RoleTool && n.role != traces.RoleWait:
		case n.wire:
			trips = append(trips, n)
		default:
			measured = append(measured, n)
		}
	}
	slices.SortFunc(trips, earlier)
	slices.SortStableFunc(measured, earlier)
	byID := map[string][]*node{}
	for _, n := range measured {
		if id := n.text(traces.KeyToolCallID); id != "" {
			byID[id] = append(byID[id], n)
		}
	}
	taken := map[*node]bool{}
	for _, trip := range trips {
		same := byID[trip.text(traces.KeyToolCallID)]
		if n := first(same, taken, trip, sameTime); n != nil { // ids may repeat
			j.yield(trip, n, taken)
		} else if n := first(same, taken, trip, func(_, _ *node) bool { return true }); n != nil {
			j.yield(trip, n, taken)
		}
	}
	for _, trip := range trips {
		for len(measured) > 0 && measured[0].from() < trip.from()-tolerance {
			measured = measured[1:] // it lies in no later one either
		}
		if n := first(measured, taken, trip, sameTime); n != nil && !trip.gone {
			j.yield(trip, n, taken)
		}
	}
}

// first returns the first of the agent's spans of the same role that is not taken and fits a round trip.
func first(measured []*node, taken map[*node]bool, trip *node, fits func(trip, n *node) bool) *node {
	for _, n := range measured {
		if n.from() > trip.to() {
			break
		}
		if n.role == trip.role && !taken[n] && fits(trip, n) {
			return n
		}
	}
	return nil
}

// sameTime reports whether n lies in the round trip, and nothing says that it is something else.
func sameTime(trip, n *node) bool {
	differ := func(key string) bool {
		x, y := trip.text(key), n.text(key)
		return x != "" && y != "" && x != y
	}
	return n.inside(trip) && !differ(traces.KeyToolCallID) && !differ(traces.KeyToolName) && trip.text(traces.KeyWait) == n.text(traces.KeyWait)
}

// yield lets a round trip give way to the agent's span, which gets what only the wire knows.
func (j *joiner) yield(trip, n *node, taken map[*node]bool) {
	taken[n] = true
	for _, key := range []string{traces.KeyToolCallID, traces.KeyToolName} {
		if v := trip.text(key); v != "" && n.text(key) == "" {
			n.set(key, v)
		}
	}
	n.rec.Links = slices.Concat(n.rec.Links, trip.rec.Links)
	trip.giveWay(n)
	if trip.role == traces.RoleTool {
		j.tally.tools++
	} else {
		j.tally.waits++
	}
}
