package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"

	"github.com/seed46266073/longpole/traces"
)

// The tones of a component for dark and light backgrounds. Neighbours in a bar differ in lightness as well as in hue, so that
// they stay apart for readers who confuse red and green. Shades of one family share a hue.
var tones = map[traces.Component]struct{ dark, light string }{
	traces.Connect:   {"#475a8c", "#8fa3cf"},
	traces.Wait:      {"#5b75b5", "#6f87c4"},
	traces.Queue:     {"#4f6499", "#7f95ca"},
	traces.Prefill:   {"#7089c9", "#5b74b5"},
	traces.Reasoning: {"#ad80dc", "#9a5fcc"},
	traces.Output:    {"#41afc6", "#1493aa"},
	traces.ToolArgs:  {"#2c879d", "#45afc2"},
	traces.Tail:      {"#27707f", "#7cc3cf"},
	traces.Response:  {"#379fb5", "#2a9fb5"},
	traces.Stall:     {"#e0793a", "#d9641a"},
	traces.Tool:      {"#d6ab45", "#c99a1c"},
	traces.Approval:  {"#ead9a2", "#8a6a1a"},
	traces.Retry:     {"#d9545f", "#cb3d4a"},
	traces.Backoff:   {"#9c4049", "#e08a92"},
	traces.Startup:   {"#8b929c", "#7a828d"},
	traces.Agent:     {"#747b86", "#8b939e"},
	traces.Untraced:  {"#555b64", "#a9b0b9"},
}

func (t *Theme) full() {
	pick := lipgloss.LightDark(t.Dark)
	c := func(light, dark string) color.Color { return pick(lipgloss.Color(light), lipgloss.Color(dark)) }
	ground := c("#ffffff", "#16181d")

	t.Text = Style{FG: c("#2b3038", "#d3d7de")}
	t.Strong = Style{FG: c("#0d1117", "#f5f7fa"), Bold: true}
	t.Muted = Style{FG: c("#626b77", "#8b94a1")}
	t.Faint = Style{FG: c("#b4bbc4", "#4a515c")}
	t.Accent = Style{FG: c("#0a6fb8", "#7cc4f8")}
	t.Critical = Style{FG: c("#c2187a", "#ff7ac6"), Bold: true}
	t.Slack = Style{FG: c("#2f8f5b", "#6fcf97")}
	t.Good = Style{FG: c("#1d7f45", "#6fcf97")}
	t.Bad = Style{FG: c("#c9303e", "#ff7b85")}
	t.Warn = Style{FG: c("#a05a00", "#f0b35a")}
	t.Match = Style{FG: c("#0d1117", "#16181d"), BG: c("#ffd84d", "#f2cf5b")}
	t.selection = c("#e3ebf5", "#2a303b")

	for component, tone := range tones {
		on := c(tone.light, tone.dark)
		label := lipgloss.Color("#14161a")
		if !light(on) {
			label = lipgloss.Color("#ffffff")
		}
		t.inks[component] = ink{on: on, off: mix(on, ground, 0.62), label: label}
	}
}

// sixteen uses only the colours that every terminal has and its user may have redefined.
func (t *Theme) sixteen() {
	grey, white, ground := lipgloss.BrightBlack, lipgloss.BrightWhite, lipgloss.Black
	if !t.Dark {
		white, ground = ground, white
	}
	t.Strong = Style{Bold: true}
	t.Muted = Style{FG: grey}
	t.Faint = Style{FG: grey}
	t.Accent = Style{FG: lipgloss.Cyan}
	t.Critical = Style{FG: lipgloss.Magenta, Bold: true}
	t.Slack = Style{FG: lipgloss.Green}
	t.Good = Style{FG: lipgloss.Green}
	t.Bad = Style{FG: lipgloss.Red, Bold: true}
	t.Warn = Style{FG: lipgloss.Yellow}
	t.Match = Style{FG: lipgloss.Black, BG: lipgloss.Yellow}

	set := func(c, label color.Color, components ...traces.Component) {
		for _, component := range components {
			t.inks[component] = ink{on: c, off: c, label: label}
		}
	}
	set(lipgloss.Blue, lipgloss.BrightWhite, traces.Connect, traces.Wait, traces.Queue, traces.Prefill)
	set(lipgloss.Magenta, lipgloss.BrightWhite, traces.Reasoning)
	set(lipgloss.Cyan, lipgloss.Black, traces.Output, traces.ToolArgs, traces.Tail, traces.Response)
	set(lipgloss.BrightYellow, lipgloss.Black, traces.Stall)
	set(lipgloss.Yellow, lipgloss.Black, traces.Tool)
	set(white, ground, traces.Approval)
	set(lipgloss.Red, lipgloss.BrightWhite, traces.Retry, traces.Backoff)
	set(grey, lipgloss.BrightWhite, traces.Startup, traces.Agent, traces.Untraced)
}

// plain has no colours: bold and faint still say more and less.
func (t *Theme) plain() {
	t.Strong = Style{Bold: true}
	t.Muted = Style{}
	t.Faint = Style{Faint: true}
	t.Critical = Style{Bold: true}
	t.Bad = Style{Bold: true}
	t.Match = Style{Underline: true}
}

// light reports whether dark text reads better on c than white (ITU-R BT.601 luma above 0.47).
func light(c color.Color) bool {
	r, g, b, _ := c.RGBA()
	return 0.299*float64(r)+0.587*float64(g)+0.114*float64(b) > 0.47*0xffff
}
