package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/tuitest"
)

// FuzzScreens presses random keys on screens of random sizes that show random, mostly broken runs: whatever happens, no line is
// wider than the screen, there are no more lines than it has, and nothing panics.
func FuzzScreens(f *testing.F) {
	f.Add(uint64(1), uint8(80), uint8(24), []byte("jjlj]cz++ddb?"))
	f.Add(uint64(2), uint8(60), uint8(15), []byte("mmCtttg/"))
	f.Add(uint64(3), uint8(255), uint8(100), []byte{0, 1, 2, 3, 4, 200, 201, 202, 250})
	f.Fuzz(func(t *testing.T, seed uint64, width, height uint8, moves []byte) {
		play(t, seed, int(width), int(height)%101, moves[:min(len(moves), 20)])
	})
}

func TestRandomKeysOnRandomRuns(t *testing.T) {
	for seed := range uint64(150) {
		moves := make([]byte, 30)
		for i := range moves {
			moves[i] = byte((seed*31 + uint64(i)*(seed%17+3)*7) % 256)
		}
		play(t, seed, 60+int(seed*7%200), 15+int(seed%60), moves)
	}
}

func play(t *testing.T, seed uint64, width, height int, moves []byte) {
	var runs []*measure.Run
	for i := range seed % 4 {
		built, _ := traces.Build(tracetest.Random(seed + i))
		for _, r := range built {
			runs = append(runs, measure.Of(r))
		}
	}
	if seed%3 == 0 {
		runs = append(runs, tuitest.Streamed(), tuitest.Overnight())
	}
	if seed%5 == 0 {
		runs = append(runs, tuitest.WithHostileNames())
	}
	environ := [][]string{dark, noColour, ascii, {"TERM=xterm"}}[seed%4]
	m := New(runs, Options{Environ: environ, Start: Screen(seed % uint64(len(kinds)))})
	send(m, tea.WindowSizeMsg{Width: width, Height: height})
	fits(t, m)
	for _, b := range moves {
		switch {
		case b == 250:
			send(m, tea.WindowSizeMsg{Width: width/2 + 30, Height: height/2 + 10})
		case b > 240:
			send(m, tea.MouseClickMsg{X: int(b) % max(1, width), Y: int(b*7) % max(1, height), Button: tea.MouseLeft})
		case b > 230:
			send(m, tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		case b > 220:
			send(m, tea.MouseMotionMsg{X: int(b*13) % max(1, width), Y: int(b) % max(1, height), Button: tea.MouseLeft})
		case b > 210:
			send(m, tea.MouseReleaseMsg{X: int(b*13) % max(1, width), Y: int(b) % max(1, height), Button: tea.MouseLeft})
		case b > 200:
			for _, k := range []string{":", "@", string(rune('0' + b%10)), "enter"} {
				send(m, press(k))
			}
		case b >= ' ' && b <= '~':
			send(m, press(string(rune(b))))
		default:
			binding := keys.Default[int(b)%len(keys.Default)]
			if binding.Action != keys.Quit {
				send(m, press(binding.Keys()[0]))
			}
		}
		fits(t, m)
	}
}
