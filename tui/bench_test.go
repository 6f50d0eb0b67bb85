package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// large returns a run of some 100,000 spans.
func large(b *testing.B) []*measure.Run {
	b.Helper()
	runs, _ := traces.Build(tracetest.Loop(9091))
	if n := len(runs[0].Spans); n < 100_000 {
		b.Fatalf("%d spans", n)
	}
	return []*measure.Run{measure.Of(runs[0])}
}

// The first frame of 100,000 spans, from runs that are measured to text. Target: 100 ms.
func BenchmarkFirstFrame(b *testing.B) {
	runs := large(b)
	for b.Loop() {
		m := New(runs, Options{Environ: dark})
		m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
		m.View()
	}
}

// From a key to the frame it changes, at 100,000 spans with everything unfolded. Target: 16 ms.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, k := range []string{"j", "pgdown", "G", "+", "d", "c", "[", "]", "l"} {
		b.Run(k, func(b *testing.B) {
			m := New(large(b), Options{Environ: dark})
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

// From a letter of a search to the frame that shows its first match, at 100,000 spans. Target: 16 ms.
func BenchmarkSearchToFrame(b *testing.B) {
	m := New(large(b), Options{Environ: dark})
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	send(m, press("/"))
	for b.Loop() {
		send(m, press("g"))
		m.View()
		send(m, press("backspace"))
	}
}

// What a frame costs if no row can be reused, at 300×100 cells.
func BenchmarkDraw(b *testing.B) {
	m := New(large(b), Options{Environ: dark})
	m.Update(tea.WindowSizeMsg{Width: 300, Height: 100})
	for b.Loop() {
		m.page().SetTheme(m.theme)
		m.View()
	}
}
