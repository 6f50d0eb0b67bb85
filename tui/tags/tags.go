// Package tags finds out by which of their tags runs can be told apart.
package tags

import (
	"cmp"
	"maps"
	"slices"

	"github.com/seed46266073/longpole/traces/measure"
)

// first are the tags that tell most about a run, before all others.
var first = []string{"effort", "model", "task"}

// Of lists the tags in which runs differ: effort, model and task first, then the others by name. Trials only number runs of one kind: they
// are left out.
func Of(runs []*measure.Run) []string {
	values := map[string]map[string]bool{}
	for _, r := range runs {
		for k := range r.Group {
			if values[k] == nil {
				values[k] = map[string]bool{}
			}
		}
	}
	for k, seen := range values {
		for _, r := range runs {
			seen[r.Group[k]] = true
		}
	}
	var list []string
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if len(values[k]) > 1 && k != "trial" {
			list = append(list, k)
		}
	}
	rank := func(k string) int {
		if i := slices.Index(first, k); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}
