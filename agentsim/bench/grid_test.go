package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAGridIsEveryCombination(t *testing.T) {
	g := Grid{
		Endpoints:    []Endpoint{{Name: "a.test"}, {Name: "b.test"}},
		Models:       []string{"m"},
		Efforts:      []string{"low", "high"},
		Systems:      []System{{Name: "default"}, {Name: "terse", Text: "Be brief."}},
		Temperatures: []float64{0, 0.7},
		Parallel:     []int{0, 1},
		Fields:       []Field{{"top_p", []any{0.5, 1.0}}, {"tier", []any{"flex", map[string]any{"kind": 1}}}},
		Loads:        []Load{{Users: 1}, {Rate: 2}, {Rate: 0.5, Users: 4, Even: true}},
	}
	p := Plan{Grid: g}
	o := p.order("x")
	settings := o.settings
	if want := 2 * 1 * 2 * 2 * 2 * 2 * 2 * 2 * 3; len(settings) != want {
		t.Fatalf("%d settings, want %d", len(settings), want)
	}
	seen := map[string]bool{}
	for _, s := range settings {
		seen[o.label(s)] = true
	}
	if len(seen) != len(settings) {
		t.Errorf("%d labels of %d settings", len(seen), len(settings))
	}
	last := settings[len(settings)-1]
	want := map[string]string{"endpoint": "b.test", "model": "m", "effort": "high", "system": "terse", "temperature": "0.7", "tool_parallelism": "1",
		"top_p": "1", "tier": `{"kind":1}`, "rate": "0.5/s", "concurrency": "4"}
	if diff := cmp.Diff(want, last.tags); diff != "" {
		t.Errorf("tags of the last (-want +got):\n%s", diff)
	}
	if first := settings[0]; first.tags["tool_parallelism"] != "all" || *first.temperature != 0 || first.fields["top_p"] != 0.5 || first.system != "" {
		t.Errorf("the first is %+v", first)
	}
	varied := "endpoint effort system temperature tool_parallelism top_p tier concurrency rate"
	if got := strings.Join(g.Varied(), " "); got != varied {
		t.Errorf("varied are %s, want %s", got, varied)
	}
}

func TestWhatTellsSettingsApart(t *testing.T) {
	for _, c := range []struct {
		name string
		grid Grid
		want []string
	}{
		{"what varies", Grid{Models: []string{"a", "b"}, Efforts: []string{"low"}}, []string{"model"}},
		{"the effort where nothing does", Grid{Models: []string{"a"}, Efforts: []string{"low"}}, []string{"effort"}},
		{"the model where there is no effort", Grid{Models: []string{"a"}}, []string{"model"}},
		{"how runs come", Grid{Models: []string{"a"}, Loads: []Load{{Users: 1}, {Users: 8}}}, []string{"concurrency"}},
	} {
		if got := c.grid.Varied(); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestABlockHasEachCombinationOnceInAnOrderOfItsOwn(t *testing.T) {
	p := Plan{Tasks: runnable(), Seed: 7, Trials: 40, Grid: Grid{Models: []string{"a"}, Efforts: []string{"low", "high"}, Loads: []Load{{Users: 1}, {Users: 4}}}}
	o := p.order("x")
	orders, loads := map[string]bool{}, map[int]int{}
	for trial := 1; trial <= 40; trial++ {
		batches := o.block(trial)
		seen, order := map[string]bool{}, ""
		for _, b := range batches {
			for _, c := range b.cells {
				what := c.task.Name + " " + o.label(c.setting)
				seen[what] = true
				order += what + "\n"
				if c.setting.load != b.load || c.trial != trial {
					t.Fatalf("%s: trial %d, load %+v in a batch of %+v", c.id, c.trial, c.setting.load, b.load)
				}
			}
		}
		if len(batches) != 2 || len(seen) != o.size() || orders[order] {
			t.Errorf("trial %d: %d batches, %d combinations of %d, or an order that was there before", trial, len(batches), len(seen), o.size())
		}
		orders[order] = true
		loads[batches[0].load.Users]++
	}
	if loads[1] < 10 || loads[4] < 10 {
		t.Errorf("one load is mostly first: %v", loads)
	}
}
