package traces

import (
	"cmp"
	"slices"
)

// A group is the spans of one run.
type group struct {
	id    string
	set   *spanSet
	spans []int32 // into set.spans
	local []int32 // position in spans of each span of the set; shared by all groups
}

// groups puts together the traces that are one run: those whose roots carry one run id, else those that carry one conversation
// id, else each trace for itself.
func (set *spanSet) groups() []group {
	byKey := map[runKey]int{}
	var groups []group
	for t, key := range set.runKeys() {
		at, ok := byKey[key]
		if !ok {
			at = len(groups)
			byKey[key] = at
			groups = append(groups, group{id: key.id, set: set})
		}
		g := &groups[at]
		if g.spans == nil {
			g.spans = set.traces[t].spans
		} else {
			g.spans = append(slices.Clip(g.spans), set.traces[t].spans...)
		}
	}
	local := make([]int32, len(set.spans))
	for i := range groups {
		for k, s := range groups[i].spans {
			local[s] = int32(k)
		}
		groups[i].local = local
	}
	return groups
}

// A runKey says what run a trace belongs to, and from what that is known.
type runKey struct{ kind, id string }

// runKeys returns the key of each trace. A conversation is one run if at most one of its traces is a whole turn (a root with
// model calls below it), the others being fragments: some agents write each call as a trace of its own. With several turns it is
// several runs, and a fragment belongs to the turn that began last before it.
func (set *spanSet) runKeys() []runKey {
	keys := make([]runKey, len(set.traces))
	members := map[string][]int{} // traces by conversation
	for t := range set.traces {
		run, conversation := set.ids(&set.traces[t])
		switch {
		case run != "":
			keys[t] = runKey{"run", run}
		case conversation != "":
			keys[t] = runKey{"conversation", conversation}
			members[conversation] = append(members[conversation], t)
		default:
			keys[t] = runKey{"trace", set.traces[t].id}
		}
	}
	for _, traces := range members {
		if len(traces) > 1 {
			set.splitTurns(traces, keys)
		}
	}
	return keys
}

// splitTurns gives each turn of a conversation a run of its own, if there are several.
func (set *spanSet) splitTurns(traces []int, keys []runKey) {
	start, whole := map[int]int64{}, map[int]bool{}
	var turns []int
	for _, t := range traces {
		for _, s := range set.traces[t].spans {
			if at := inTime(set.spans[s].rec.Start); at != 0 && (start[t] == 0 || at < start[t]) {
				start[t] = at
			}
		}
		if set.isTurn(&set.traces[t]) {
			turns = append(turns, t)
			whole[t] = true
		}
	}
	if len(turns) < 2 {
		return
	}
	slices.SortFunc(turns, func(a, b int) int {
		return cmp.Or(cmp.Compare(start[a], start[b]), cmp.Compare(set.traces[a].id, set.traces[b].id))
	})
	for _, t := range traces {
		at, found := slices.BinarySearchFunc(turns, start[t], func(turn int, at int64) int { return cmp.Compare(start[turn], at) })
		if !found {
			at--
		}
		turn := turns[max(at, 0)]
		if whole[t] {
			turn = t
		}
		keys[t] = runKey{"trace", set.traces[turn].id}
	}
}

// isTurn reports whether a trace has a root that is neither a call nor a tool, and a model call below a root.
func (set *spanSet) isTurn(t *traceInfo) bool {
	root, call := false, false
	for _, s := range t.spans {
		role := set.spans[s].rec.Role()
		if set.spans[s].parent >= 0 {
			call = call || role == RoleModel
			continue
		}
		switch role {
		case RoleModel, RoleAttempt, RolePhase, RoleTool, RoleWait, RoleClient:
		default:
			root = true
		}
	}
	return root && call
}

// ids returns the run id that the roots of a trace carry, and the conversation that its spans carry if it is only one.
func (set *spanSet) ids(t *traceInfo) (run, conversation string) {
	several := false
	for _, s := range t.spans {
		rec, root := set.spans[s].rec, set.spans[s].parent < 0
		for _, a := range rec.Attrs {
			if a.Key != KeyRunID && a.Key != KeyConversation {
				continue
			}
			v, _ := a.Value.(string)
			switch {
			case v == "":
			case a.Key == KeyConversation:
				several = several || conversation != "" && conversation != v
				conversation = v
			case root && (run == "" || v < run):
				run = v
			}
		}
	}
	if several {
		conversation = ""
	}
	return run, conversation
}
