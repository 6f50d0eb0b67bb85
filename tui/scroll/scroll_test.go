package scroll

import (
	"flag"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed46266073/longpole/tui/keys"
)

// Randomness comes from a seed; -rapid.seed gives another.
func init() { _ = flag.Set("rapid.seed", "1") }

func TestTheCursorStaysOnARowThatIsSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l List
		for range rapid.IntRange(1, 30).Draw(t, "moves") {
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				l.Resize(rapid.IntRange(0, 50).Draw(t, "len"), rapid.IntRange(0, 20).Draw(t, "height"))
			case 1:
				l.Select(rapid.IntRange(-5, 60).Draw(t, "row"))
			case 2:
				l.Wheel(rapid.IntRange(-9, 9).Draw(t, "wheel"))
			case 3:
				l.Move(keys.Action(rapid.IntRange(0, int(keys.PageDown)).Draw(t, "action")), rapid.IntRange(0, 1_000_000).Draw(t, "count"))
			}
			from, to := l.Seen()
			switch {
			case l.Len == 0:
				if l.Cursor != 0 || from != 0 || to != 0 {
					t.Fatalf("%+v of no rows", l)
				}
			case l.Height > 0 && (l.Cursor < from || l.Cursor >= to):
				t.Fatalf("the cursor is out of sight: %+v", l)
			case l.Height > 0 && to-from != min(l.Len, l.Height):
				t.Fatalf("%d rows are seen: %+v", to-from, l)
			}
		}
	})
}

func TestMove(t *testing.T) {
	cases := []struct {
		name   string
		action keys.Action
		count  int
		want   int
	}{
		{"down by one", keys.Down, 0, 51},
		{"down by a number", keys.Down, 7, 57},
		{"up past the first row", keys.Up, 99, 0},
		{"to the last row", keys.Bottom, 0, 99},
		{"to a row by number", keys.Bottom, 12, 11},
		{"to the first row", keys.Top, 0, 0},
		{"a page leaves a row in common", keys.PageDown, 0, 59},
		{"two pages up", keys.PageUp, 2, 32},
	}
	for _, c := range cases {
		l := List{Cursor: 50, Top: 45, Len: 100, Height: 10}
		if !l.Move(c.action, c.count) || l.Cursor != c.want {
			t.Errorf("%s: row %d, want %d", c.name, l.Cursor, c.want)
		}
	}
}
