package problems

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/theme"
)

// rows returns the lines between heads and message, without the spaces at their ends.
func rows(m *Model) []string {
	var list []string
	for _, line := range strings.Split(ansi.Strip(m.View()), "\n")[headLines : m.height-messageLines] {
		if line = strings.TrimRight(line, " "); line != "" {
			list = append(list, line)
		}
	}
	return list
}

func TestProblemsOfOneKindAreOneLineUntilUnfolded(t *testing.T) {
	list := []traces.Problem{{Code: traces.ClockSkew, Message: "moved by 3 ms"}}
	for i := range 5 {
		list = append(list, traces.Problem{Code: traces.OrphanAdopted, SpanID: fmt.Sprint("s", i), Message: fmt.Sprintf("span %d has no parent", i)})
	}
	list = append(list, traces.MoreProblems(traces.OrphanAdopted, 22))
	m := New(theme.New(true, colorprofile.ASCII, true), "all runs", list, nil)
	m.SetSize(80, 20)
	press := func(a keys.Action) { m.Update(keys.Msg{Action: a}) }
	expect := func(when string, want ...string) {
		t.Helper()
		if got := rows(m); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	skew, folded := "  clock skew                  moved by 3 ms", "> > 27 x orphan adopted       span 0 has no parent"
	press(keys.Down)
	expect("at first", skew, folded)
	if id := m.ID(); id != "" {
		t.Errorf("a kind has the span id %q", id)
	}
	press(keys.Enter)
	press(keys.Down)
	expect("unfolded", skew, "  v 27 x orphan adopted", ">                             span 0 has no parent", "                              span 1 has no parent",
		"                              span 2 has no parent", "                              span 3 has no parent", "                              span 4 has no parent",
		"                              22 more like this")
	if id := m.ID(); id != "s0" {
		t.Errorf("the first orphan has the span id %q", id)
	}
	press(keys.Fold)
	expect("folded again", skew, folded)
	m.Search("span 3")
	expect("found", "> orphan adopted              span 3 has no parent")
}
