package tui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/tui/tuitest"
)

// sizes are the numbers of spans that the targets are for: how many turns of a loop they take.
var sizes = []struct {
	name  string
	turns int
}{{"1000", 91}, {"10000", 910}, {"100000", 9091}}

// large returns a run of so many turns, eleven spans each.
func large(b *testing.B, turns int) []*measure.Run {
	b.Helper()
	runs, _ := traces.Build(tracetest.Loop(turns))
	if n := len(runs[0].Spans); n < 11*turns {
		b.Fatalf("%d spans", n)
	}
	return []*measure.Run{measure.Of(runs[0])}
}

// The first frame, from runs that are measured to text. Target: 100 ms at 100,000 spans.
func BenchmarkFirstFrame(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			runs := large(b, size.turns)
			for b.Loop() {
				m := New(runs, Options{Environ: dark})
				m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
				m.View()
			}
		})
	}
}

// From a key to the frame it changes, with everything unfolded. Target: 16 ms at 100,000 spans.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, size := range sizes {
		for _, k := range []string{"j", "pgdown", "G", "+", "d", "u", "c", "i", "[", "]", "l", "tab"} {
			b.Run(size.name+"/"+k, func(b *testing.B) {
				m := New(large(b, size.turns), Options{Environ: dark})
				m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
				send(m, press("]"))
				m.View()
				for b.Loop() {
					send(m, press(k))
					m.View()
				}
			})
		}
	}
}

// From a letter of a search to the frame that shows its first match. Target: 16 ms at 100,000 spans.
func BenchmarkSearchToFrame(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			m := New(large(b, size.turns), Options{Environ: dark})
			send(m, tea.WindowSizeMsg{Width: 200, Height: 60})
			send(m, press("/"))
			for b.Loop() {
				send(m, press("g"))
				m.View()
				send(m, press("backspace"))
			}
		})
	}
}

// From a key to the frame it changes on the list, at so many runs.
func BenchmarkListKeyToFrame(b *testing.B) {
	for _, trials := range []int{111, 1111} {
		for _, k := range []string{"j", "o", "t"} {
			b.Run(fmt.Sprint(9*trials, " runs/", k), func(b *testing.B) {
				m := New(tuitest.Bench(trials), Options{Environ: dark})
				m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
				for b.Loop() {
					send(m, press(k))
					m.View()
				}
			})
		}
	}
}

// From a key to the frame it changes on the stream of a call that came in 155 pieces.
func BenchmarkStreamKeyToFrame(b *testing.B) {
	m := New([]*measure.Run{tuitest.Streamed()}, Options{Environ: dark, Start: Stream})
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	for b.Loop() {
		send(m, press("+"))
		m.View()
		send(m, press("u"))
	}
}

// What a frame costs if no row can be reused, at 300×100 cells.
func BenchmarkDraw(b *testing.B) {
	m := New(large(b, 9091), Options{Environ: dark})
	m.Update(tea.WindowSizeMsg{Width: 300, Height: 100})
	for b.Loop() {
		m.page().SetTheme(m.theme)
		m.View()
	}
}

// From unfolding rows of the breakdown to the frame that shows it. Target: 16 ms at 100,000 spans.
func BenchmarkBreakdownUnfold(b *testing.B) {
	for _, size := range sizes {
		for _, k := range []string{"l", "]"} {
			b.Run(size.name+"/"+k, func(b *testing.B) {
				runs := large(b, size.turns)
				for b.Loop() {
					b.StopTimer()
					m := New(runs, Options{Environ: dark, Start: Breakdown})
					m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
					b.StartTimer()
					_, work := m.Update(press(k))
					m.View()
					if work != nil {
						b.StopTimer()
						done := work()
						b.StartTimer()
						m.Update(done)
						m.View()
					}
				}
			})
		}
	}
}
