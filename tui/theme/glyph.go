package theme

import "github.com/seed46266073/longpole/traces"

// Glyphs are the characters a terminal can show.
type Glyphs struct {
	ASCII                  bool
	Critical               string // the span was on the critical path
	Open, Closed           string // a row whose children are shown, hidden
	Marked, Cursor         string
	First                  string // the first token of a call
	Slack, Extent          string // time that would have been free; the extent of a row that is unfolded
	Rule, Grid             string
	Break                  string // time that is cut out of an axis
	Good, Bad, Unsure, Cut string // outcomes: ok, failed, unknown, cancelled
	Dot, Ellipsis          string
	Median                 string // of a distribution
	Up, Down, Left, Right  string
	Times, Dash, Minus     string
	Knob, Home, Knee, Pull string // of a slider: where it stands, where it changes nothing, where it begins to help less, how far it was moved
	Inferred, Bound        string
	Blocks                 [9]string // a cell filled from the left by n eighths
	RightHalf              string
	Shade                  string // off-path time where colours cannot be mixed
	Sparks                 []string
}

var unicodeGlyphs = Glyphs{
	Critical: "●", Open: "▾", Closed: "▸", Marked: "◆", Cursor: "▌",
	First: "»", Slack: "┄", Extent: "─", Rule: "─", Grid: "┊", Break: "╱",
	Good: "✓", Bad: "✗", Unsure: "·", Cut: "⊘", Dot: "·", Ellipsis: "…",
	Up: "↑", Down: "↓", Left: "←", Right: "→", Times: "×", Dash: "–", Minus: "−",
	Knob: "●", Home: "┼", Knee: "◇", Pull: "━",
	Inferred: "≈", Bound: "≤", Median: "┃",
	Blocks:    [9]string{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
	RightHalf: "▐", Shade: "▒",
	Sparks: []string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
}

var asciiGlyphs = Glyphs{
	ASCII:    true,
	Critical: "*", Open: "v", Closed: ">", Marked: "#", Cursor: ">",
	First: "^", Slack: "~", Extent: "-", Rule: "-", Grid: ":", Break: "/",
	Good: "+", Bad: "!", Unsure: ".", Cut: "/", Dot: "-", Ellipsis: "~",
	Up: "^", Down: "v", Left: "<", Right: ">", Times: "x", Dash: "-", Minus: "-",
	Knob: "O", Home: "|", Knee: "^", Pull: "=",
	Inferred: "~", Bound: "<", Median: "I",
	Blocks:    [9]string{" ", "|", "|", "|", "=", "=", "=", "#", "#"},
	RightHalf: "=", Shade: "=",
	Sparks: []string{" ", ".", ".", ":", ":", "|", "|", "#", "#"},
}

var letters = map[traces.Component]string{
	traces.Connect: "c", traces.Wait: "·", traces.Queue: "q", traces.Prefill: "p",
	traces.Reasoning: "r", traces.Output: "o", traces.ToolArgs: "a", traces.Stall: "s",
	traces.Tail: "e", traces.Response: "m", traces.Tool: "T", traces.Approval: "h",
	traces.Retry: "x", traces.Backoff: "z", traces.Startup: "u", traces.Agent: "-", traces.Untraced: "_",
}

// Letter returns the one-cell letter that stands for component c wherever colour does not.
func (g Glyphs) Letter(c traces.Component) string {
	l, ok := letters[c]
	switch {
	case !ok:
		return "-"
	case g.ASCII && l == "·":
		return "."
	}
	return l
}

// Outcome returns the sign of an outcome.
func (g Glyphs) Outcome(o traces.Outcome) string {
	switch o {
	case traces.OK:
		return g.Good
	case traces.OutcomeUnknown, "":
		return g.Unsure
	case traces.Cancelled:
		return g.Cut
	}
	return g.Bad
}

// Quality returns the sign of how a time is known: none if it was measured.
func (g Glyphs) Quality(q traces.Quality) string {
	switch q {
	case traces.Inferred:
		return g.Inferred
	case traces.Bound:
		return g.Bound
	}
	return ""
}
