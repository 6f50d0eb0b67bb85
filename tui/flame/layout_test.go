package flame

import (
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/theme"
)

func random(seed uint64) []*measure.Run {
	var runs []*measure.Run
	for i := range seed%3 + 1 {
		built, _ := traces.Build(tracetest.Random(seed + i))
		for _, r := range built {
			runs = append(runs, measure.Of(r))
		}
	}
	return runs
}

// However wide the screen and whatever is zoomed into: blocks of a level lie side by side within what they are a part of, a block of several
// stands for all that are not drawn beside it, and what is zoomed into is drawn in more detail.
func TestBlocksLieWithinWhatTheyAreAPartOf(t *testing.T) {
	for seed := range uint64(60) {
		m := New(theme.New(true, colorprofile.TrueColor, false), random(seed), false)
		for _, width := range []int{1, 2, 3, 7, 60, 200} {
			top := pick{m.root, itself}
			for range 4 {
				rows := layout(top, width)
				checkRows(t, seed, rows, top, width)
				last := rows[len(rows)-1]
				next := last[len(last)-1].pick
				if next == top || len(next.kids()) == 0 {
					break
				}
				top = next
			}
		}
	}
}

func checkRows(t *testing.T, seed uint64, rows [][]slot, top pick, width int) {
	t.Helper()
	if s := rows[0][0]; len(rows[0]) != 1 || s.pick != top || s.x != 0 || s.width != width {
		t.Fatalf("seed %d: the first level is %+v, want what is zoomed into in %d cells", seed, rows[0], width)
	}
	for level := 1; level < len(rows); level++ {
		end := 0
		for i, s := range rows[level] {
			if s.x < end || s.width < 1 || s.x+s.width > width {
				t.Fatalf("seed %d, width %d: block %d of level %d covers cells %d to %d, the one before ends at %d", seed, width, i, level, s.x, s.x+s.width, end)
			}
			end = s.x + s.width
			up := s.up()
			inside := false
			for _, above := range rows[level-1] {
				if above.of == up.of && (above.from == itself || level == 1) {
					inside = s.x >= above.x && s.x+s.width <= above.x+above.width
				}
			}
			if !inside {
				t.Fatalf("seed %d, width %d: block %d of level %d is not below what it is a part of", seed, width, i, level)
			}
			if s.from != itself && len(s.kids()) < 2 {
				t.Fatalf("seed %d, width %d: a block of %d", seed, width, len(s.kids()))
			}
		}
	}
}

func TestEveryMatchCanBeReached(t *testing.T) {
	for seed := range uint64(60) {
		m := New(theme.New(true, colorprofile.TrueColor, false), random(seed), false)
		m.SetSize(60, 14)
		m.Search("a")
		seen := map[*box]bool{}
		for range m.found {
			if m.chosen.from != itself || !m.chosen.of.match {
				t.Fatalf("seed %d: %q is selected, which is no match", seed, m.blockName(m.chosen))
			}
			seen[m.chosen.of] = true
			m.Update(keys.Msg{Action: keys.Next})
		}
		if len(seen) != m.found {
			t.Errorf("seed %d: n reaches %d of %d matches", seed, len(seen), m.found)
		}
	}
}
