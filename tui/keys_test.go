package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/tuitest"
)

// Each case is what the screen must show after the keys, and what not.
func TestEveryKeyDoesWhatItSays(t *testing.T) {
	one, many := []*measure.Run{tuitest.FixConfig()}, tuitest.Bench(8)
	calls, night := []*measure.Run{tuitest.Streamed()}, []*measure.Run{tuitest.Overnight()}
	const cursor = "▌"
	cases := []struct {
		name, keys string
		runs       []*measure.Run
		has, not   string
	}{
		{"j moves down", "j j", one, cursor + "    ▸ chat glm-sim", ""},
		{"the down arrow too", "down down", one, cursor + "    ▸ chat glm-sim", ""},
		{"a number repeats", "4 j", one, cursor + "      read_file", ""},
		{"a number of two digits repeats", "1 0 j k k", one, cursor + "    ▸ run_command", ""},
		{"k moves up", "j j k", one, cursor + "  ▾ step 1", ""},
		{"G goes to the last row", "G", one, cursor + "    ▸ chat glm-sim", ""},
		{"end too", "end", one, cursor + "    ▸ chat glm-sim", ""},
		{"g goes to the first row", "G g", one, cursor + "▾ fix-config", ""},
		{"a number and g go to that row", "6 g", one, cursor + "  ▾ step 2", ""},
		{"a number and G too", "6 G", one, cursor + "  ▾ step 2", ""},
		{"page down goes on", "pgdown", one, cursor + "    ▸ chat", ""},
		{"page up goes back", "pgdown pgup", one, cursor + "▾ fix-config", ""},
		{"enter folds a row", "j enter", one, "▸ step 1", "read_file"},
		{"enter again unfolds it", "j enter enter", one, "read_file", "▸ step 1"},
		{"h folds", "j h", one, "▸ step 1", "read_file"},
		{"h on a folded row goes to its parent", "j j h", one, cursor + "  ▾ step 1", ""},
		{"l unfolds", "j j l", one, "attempt 1", ""},
		{"l on an unfolded row goes to its first child", "j l", one, cursor + "    ▸ chat glm-sim", ""},
		{"[ folds all", "[", one, "▸ step 3", "chat glm-sim "},
		{"] unfolds all", "]", one, "tool args", "▸"},
		{"c hides what is off the path", "c", one, "critical path only", "read_file"},
		{"c again shows it", "c c", one, "read_file", "critical path only"},
		{"+ zooms", "+", one, "zoomed", ""},
		{"- zooms out again", "+ -", one, "10 s", "zoomed"},
		{"w zooms in too", "w", one, "zoomed", ""},
		{"s zooms out too", "w s", one, "10 s", "zoomed"},
		{"u takes a zoom back", "z j j z u", one, "10 s", "zoomed"},
		{"the map shows the whole while zoomed", "j z", one, "whole run = 14.21 s", "shares"},
		{"cutting idle gaps is offered where there are some", "", night, "i: cut 9h 00m idle", "╱"},
		{"and only there", "i", one, "0────", "╱"},
		{"i cuts them", "i", night, "╱ 9h 00m idle cut", ""},
		{"a cut axis is marked in each row", "i", night, "╱╱", ""},
		{"i again puts them back", "i i", night, "i: cut", "╱"},
		{"tab opens a pane about the row", "j j tab", one, "time per output token", ""},
		{"tab again moves the keys into it", "j j tab tab j j", one, cursor + "    ▸ chat glm-sim", ""},
		{"tab once more closes it", "j j tab tab tab", one, "▸ run_command", "tab:"},
		{"S shows the stream of a call", "j S", calls, "call 1 of 3", ""},
		{"enter on a call too", "j enter", calls, "call 1 of 3", ""},
		{"S does nothing on what is no call", "S", calls, "follow-chain", "call 1 of 3"},
		{"the stream marks stalls and names its rates", "j S", calls, "1 stall", " 0 stalls"},
		{"it names the output rate", "j S", calls, "output rate", ""},
		{"j goes to the next call", "j S j", calls, "it came whole", ""},
		{"g with a number to that one", "j S 3 g", calls, "It came at once", ""},
		{"+ zooms into the stream", "j S +", calls, "zoomed", ""},
		{"u takes that back", "j S + u", calls, "since start", "zoomed"},
		{"y copies the call's id", "j S y", calls, "copied call1", ""},
		{"esc leads from the stream to the run", "j S esc", calls, "▸ chat glm-sim", "call 1 of 3"},
		{": and @ and a time go there", "+ + + : @ 1 3 s enter", one, "↓ 13.00 s", ""},
		{"@ selects what was waited for then", ": @ 9 . 5 enter", one, cursor + "    ▸ run_command", ""},
		{"a time that is none is said to be", ": @ x enter", one, "no time", ""},
		{"0 shows the whole run", "+ + + d 0", one, "10 s", "zoomed"},
		{"z zooms to the row", "j j z", one, "3.0 s──", "10 s"},
		{"d pans later", "+ + d d d d d d d d d d d d", one, "13.0 s──", " 5.0 s──"},
		{"a pans back", "+ + d d d d d d d d a a a a", one, "8.0 s──", "13"},
		{"b shows the breakdown", "b", one, "components", ""},
		{"esc leads back", "b esc", one, "▾ step 1", "components"},
		{"opening a step shows it in the waterfall", "b G enter", one, cursor + "  ▾ step 3", ""},
		{"opening a component shows where it was spent", "b enter", one, "step 1: chat glm-sim", ""},
		{"opening that shows it in the waterfall", "b enter j enter", one, "▾ step 3", "components"},
		{"opening a tool shows its calls", "b 1 3 j enter", one, "at 3.14 s", ""},
		{"opening a call shows it in the waterfall", "b 1 3 j enter j enter", one, cursor + "      search", "components"},
		{"l unfolds a step", "b G l", one, "at 13.26 s", ""},
		{"h folds it again", "b G l j h h", one, cursor + " ▸   step 3", "at 13.26 s"},
		{"] unfolds all tables", "b ]", one, "step 1: chat glm-sim", "▸ r"},
		{"[ folds them", "b ] [", one, cursor + " ▸ r reasoning", "step 1: chat"},
		{"o orders the table by the next column", "b o", one, "components↑", "on path↓   share"},
		{"O turns its order round", "b O", one, "on path↑   share", "on path↓   share"},
		{"o orders the table that the cursor is in", "b G o", one, "time↓", "steps↑"},
		{"tab leads to the causes of a difference", "C tab j", many, cursor + " reasoning time", ""},
		{"esc leads back to the groups", "C tab j esc", many, "why low − high", cursor + " reasoning"},
		{"m compares with another group", "C m", many, "why medium − low", "marked"},
		{"a cause leads to where it shows", "C tab j j enter", many, "shares", "compare by"},
		{"y says what was copied", "j j y", one, "copied chat1", ""},
		{"Y copies the view", "Y", one, "copied the view as text", ""},
		{": lists the commands that work here", ": z o o m", one, "zoom to row", "reverse"},
		{": finds a command by some of its letters", ": b r d", one, cursor + " breakdown", "zoom in"},
		{": carries it out", ": b r d enter", one, "components", ""},
		{"tab completes a command", ": b r d tab", one, ":breakdown", ""},
		{"down selects the next command", ": down enter", one, "▸", ""},
		{"esc gives a command up", ": b r d esc", one, "▾ step 1", ":brd"},
		{"backspace on nothing too", ": b backspace backspace", one, "▾ step 1", "no such"},
		{": and a number goes to that row", ": 6 enter", one, cursor + "  ▾ step 2", ""},
		{"an unknown command is said to be one", ": q x q x enter", one, "no command qxqx", ""},
		{":tour shows the tour", ": t o u r enter", one, "a tour in one minute", "step 1"},
		{"p lists problems", "p", one, "nothing was odd", ""},
		{"a key that means something ends the tour and does it", ": t o u r enter W", one, "could bring", "a tour in one minute"},
		{"a key that means nothing ends it", ": t o u r enter x", one, "step 1", "a tour in one minute"},
		{"esc ends it", ": t o u r enter esc", one, "step 1", "a tour in one minute"},
		{"a key that does nothing here says where it does", "c", many, "c: only on a run", ""},
		{"one that does nothing anywhere says so", "x", many, "x: no such key; ? lists them", ""},
		{"the next key takes that away", "c j", many, "72 runs", "c: only"},
		{"the bar says how to clear a search", "/ h i g h enter", many, "esc clears /", ""},
		{"? shows help", "?", one, "The same on every screen", "step 1"},
		{"? closes help", "? ?", one, "step 1", "The same on every screen"},
		{"esc closes help", "? esc", one, "step 1", "The same on every screen"},
		{"/ finds while typing", "/ f e t c h", one, cursor + "      fetch_url", ""},
		{"/ counts", "/ c h a t", one, "3 matches", ""},
		{"n goes to the next match", "/ c h a t enter n", one, "/chat", ""},
		{"esc forgets the search first", "/ c h a t enter esc", one, "step 1", "/chat"},
		{"esc gives up typing", "/ c h a t esc", one, "step 1", "/chat"},
		{"backspace corrects", "/ f e t x backspace c h", one, "1 match", ""},
		{"esc leads from the run to the list", "esc", one, "where the time went", "step 1"},
		{"enter opens a run", "enter", many, "▾ step 1", "where the time went"},
		{"m marks and moves on", "m m", many, "2 marked", ""},
		{"m again takes the mark away", "m k m", many, "72 runs", "marked"},
		{"space marks too", "space", many, "1 marked", ""},
		{"C compares all", "C", many, "compare by effort", ""},
		{"C compares the marked ones", "m m C", many, "compare by run", ""},
		{"t groups by the next tag", "C t", many, "compare by task", ""},
		{"opening a group lists its runs", "C enter", many, "24 of 72 runs", ""},
		{"o orders by the next column", "o", many, "run↑", ""},
		{"O reverses the order", "O", many, "start↓", ""},
		{"t groups the list by what tells most", "t", many, "▾ effort low   24 runs", ""},
		{"t again by the next tag", "t t", many, "▾ task csv-total", "effort low   24"},
		{"h folds a group", "t j h", many, "▸ effort low", ""},
		{"l unfolds it", "t j h l", many, "▾ effort low", "▸"},
		{"[ folds all groups", "t [", many, "▸ effort high", "fix-config"},
		{"] unfolds all", "t [ ]", many, "▾ effort low", "▸"},
		{"enter on a group folds it", "t g enter", many, "▸ effort low", ""},
		{"m on a group marks all its runs", "t g m", many, "24 marked", ""},
		{"/ filters the list", "/ c s v", many, "24 of 72 runs", "fix-config"},
		{"a filter finds tags", "/ e f f o r t = h", many, "24 of 72 runs", " low "},
		{"m marks the run in the waterfall", "enter m", many, "marked", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := start(c.runs, Options{Environ: dark}, 120, 30, c.keys)
			fits(t, m)
			screen := text(m)
			if !strings.Contains(screen, c.has) {
				t.Errorf("after %s there is no %q:\n%s", c.keys, c.has, screen)
			}
			if c.not != "" && strings.Contains(screen, c.not) {
				t.Errorf("after %s there is still %q:\n%s", c.keys, c.not, screen)
			}
		})
	}
}

func TestQuitQuits(t *testing.T) {
	for _, key := range []string{"q", "ctrl+c"} {
		m := start(tuitest.Bench(1), Options{Environ: dark}, 80, 24, "enter b ?")
		_, cmd := m.Update(press(key))
		if cmd == nil {
			t.Fatalf("%s does nothing", key)
		}
		if _, ok := cmd().(tea.QuitMsg); !ok {
			t.Errorf("%s does not quit", key)
		}
	}
}

func TestTheMouseSelectsOpensAndScrolls(t *testing.T) {
	click := func(m *Model, x, y int) {
		send(m, tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		send(m, tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
	}
	m := start(tuitest.Bench(8), Options{Environ: dark}, 120, 30, "")
	click(m, 20, 6)
	if m.list.Run() != m.runs[4] {
		t.Error("a click on the fifth row does not select the fifth run")
	}
	click(m, 20, 6)
	if m.screen() != Waterfall {
		t.Error("a second click on a row does not open it")
	}
	click(m, 3, 5)
	if !strings.Contains(text(m), "▸ step 1") {
		t.Errorf("a click on the marker does not fold:\n%s", text(m))
	}
	send(m, press("esc"))
	send(m, tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if m.list.Run() != m.runs[7] {
		t.Error("the wheel does not scroll by three rows")
	}
	send(m, tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	if m.list.Run() != m.runs[4] {
		t.Error("the wheel does not scroll back")
	}
	click(m, 6, 1)
	if !strings.Contains(text(m), "start↓") {
		t.Errorf("a click on the head of the sorted column does not reverse it:\n%s", text(m))
	}
}

func TestDraggingZoomsAndCanBeTakenBack(t *testing.T) {
	m := start([]*measure.Run{tuitest.FixConfig()}, Options{Environ: dark}, 120, 30, "")
	send(m, tea.MouseClickMsg{X: 50, Y: 8, Button: tea.MouseLeft})
	send(m, tea.MouseMotionMsg{X: 70, Y: 9, Button: tea.MouseLeft})
	if s := text(m); !strings.Contains(s, "4.74 s █████") {
		t.Errorf("while dragging it is not said how long the time is:\n%s", s)
	}
	send(m, tea.MouseReleaseMsg{X: 70, Y: 9, Button: tea.MouseLeft})
	if s := text(m); !strings.Contains(s, "zoomed") {
		t.Errorf("letting go does not zoom:\n%s", s)
	}
	send(m, tea.MouseClickMsg{X: 96, Y: 2, Button: tea.MouseLeft})
	send(m, tea.MouseReleaseMsg{X: 96, Y: 2, Button: tea.MouseLeft})
	if s := text(m); !strings.Contains(s, "13 s") {
		t.Errorf("a click on the map does not pan there:\n%s", s)
	}
	send(m, press("u"))
	if s := text(m); strings.Contains(s, "zoomed") {
		t.Errorf("u does not take the zoom back:\n%s", s)
	}
}

func TestTwoClicksThatAreFarApartAreNotADoubleOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := start(tuitest.Bench(1), Options{Environ: dark}, 120, 30, "")
		for range 2 {
			send(m, tea.MouseClickMsg{X: 20, Y: 3, Button: tea.MouseLeft})
			time.Sleep(twice)
		}
		if m.screen() != Runs {
			t.Error("two slow clicks open a run")
		}
	})
}

func TestTheWheelScrollsHelp(t *testing.T) {
	m := start(tuitest.Bench(1), Options{Environ: dark}, 80, 20, "?")
	send(m, tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if s := text(m); !strings.Contains(s, "4–21 of") {
		t.Errorf("help does not scroll:\n%s", s)
	}
}

func TestNoKeyMeansTwoThings(t *testing.T) {
	seen := map[string]keys.Action{}
	for _, b := range keys.Default {
		for _, k := range b.Keys() {
			if a, ok := seen[k]; ok {
				t.Errorf("%s means %v and %v", k, a, b.Action)
			}
			seen[k] = b.Action
		}
	}
}

func TestTheKeyBarOnlyShowsKeysThatWork(t *testing.T) {
	for _, keys := range []string{"", "enter", "enter b", "C", "p"} {
		m := start(tuitest.Bench(2), Options{Environ: dark}, 200, 30, keys)
		bar := m.bottom()
		for _, a := range m.shownKeys(1000) {
			b, ok := keysOf(a)
			if !ok || !strings.Contains(bar, b) && len(bar) < 200 {
				t.Errorf("after %q the bar lacks %q: %q", keys, b, bar)
			}
		}
		if !strings.Contains(bar, "help") || !strings.Contains(bar, "quit") {
			t.Errorf("after %q the bar hides the way out: %q", keys, bar)
		}
	}
}

func keysOf(a keys.Action) (string, bool) {
	b, ok := keys.Default.Of(a)
	return b.Help().Desc, ok
}
