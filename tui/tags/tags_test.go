package tags

import (
	"slices"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

func TestTagsThatDifferAreListedThoseThatTellMostFirst(t *testing.T) {
	run := func(group map[string]string) *measure.Run { return &measure.Run{Run: &traces.Run{Group: group}} }
	for _, c := range []struct {
		name string
		runs []*measure.Run
		want []string
	}{
		{"no runs have none", nil, nil},
		{"what is equal tells nothing", []*measure.Run{run(map[string]string{"model": "a"}), run(map[string]string{"model": "a"})}, nil},
		{"effort comes before model before others, trials not at all", []*measure.Run{
			run(map[string]string{"model": "a", "effort": "low", "aaa": "1", "trial": "1"}),
			run(map[string]string{"model": "b", "effort": "high", "aaa": "2", "trial": "2"})}, []string{"effort", "model", "aaa"}},
		{"a tag that only some have differs", []*measure.Run{run(map[string]string{"x": "1"}), run(nil)}, []string{"x"}},
	} {
		if got := Of(c.runs); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
