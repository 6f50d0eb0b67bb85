// Package theme gives colours and characters their meanings.
//
// What a screen wants to say (this time is reasoning, this span held the run up, this failed) goes in; the style and
// the character that say it on this terminal come out. There is one palette by meaning, in a light and a dark cut,
// for true colour and 256 colours, one for the 16 colours of old terminals, and none; and one set of characters in
// Unicode and in ASCII. Whatever a colour says, a letter or a shape says too.
package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/seed46266073/longpole/traces"
)

// A Theme is the look of one terminal. It remembers escape sequences, so it is for one goroutine.
type Theme struct {
	Dark    bool
	Profile colorprofile.Profile // what the terminal can show
	Glyphs  Glyphs

	Text     Style // what is read first
	Strong   Style // names and totals
	Muted    Style // labels, units, what is there to be found
	Faint    Style // rulers and grids
	Accent   Style // the program's own voice: keys, headings
	Critical Style // on the critical path
	Slack    Style // time that would have been free
	Good     Style // correct, finished
	Bad      Style // failed
	Warn     Style // odd, or known only roughly
	Match    Style // found by a search

	selection color.Color // background of the selected row; nil without colour
	inks      map[traces.Component]ink
	sequences map[Style]string
}

// An ink is the look of one component's time.
type ink struct {
	on, off color.Color // on and off the critical path; nil without colour
	label   color.Color // of text drawn over on
}

// New returns the look for a terminal with a dark or light background, the colours of profile and, if ascii is set,
// no characters beyond ASCII.
func New(dark bool, profile colorprofile.Profile, ascii bool) *Theme {
	t := &Theme{Dark: dark, Profile: profile, Glyphs: unicodeGlyphs, inks: map[traces.Component]ink{}, sequences: map[Style]string{}}
	if ascii {
		t.Glyphs = asciiGlyphs
	}
	switch {
	case profile >= colorprofile.ANSI256:
		t.full()
	case profile == colorprofile.ANSI:
		t.sixteen()
	default:
		t.plain()
	}
	return t
}

// Coloured reports whether the terminal shows colours at all.
func (t *Theme) Coloured() bool { return t.Profile >= colorprofile.ANSI }

// Shaded reports whether colours can be mixed, so that off-path time is a paler tone of its colour.
func (t *Theme) Shaded() bool { return t.Profile >= colorprofile.ANSI256 }

// Ink returns the style in which time of component c is filled.
func (t *Theme) Ink(c traces.Component, onPath bool) Style {
	i := t.inks[c]
	if !t.Coloured() {
		return Style{Bold: onPath, Faint: !onPath}
	}
	if onPath {
		return Style{FG: i.on}
	}
	return Style{FG: i.off}
}

// Label returns the style of text drawn over time of component c.
func (t *Theme) Label(c traces.Component, onPath bool) Style {
	s := t.Ink(c, onPath)
	if !t.Coloured() {
		return s
	}
	label := t.inks[c].label
	if !onPath && t.Shaded() {
		label = t.pale(label, s.FG)
	}
	return Style{FG: label, BG: s.FG}
}

// pale picks a label colour that can be read on a paler tone.
func (t *Theme) pale(label, on color.Color) color.Color {
	if t.Dark {
		return mix(lipgloss.Color("#ffffff"), on, 0.45)
	}
	return mix(label, on, 0.3)
}

// Family returns the component whose look stands for a whole family.
func Family(f traces.Family) traces.Component {
	switch f {
	case traces.FamilyTTFT:
		return traces.Wait
	case traces.FamilyReasoning:
		return traces.Reasoning
	case traces.FamilyDecode:
		return traces.Output
	case traces.FamilyStalls:
		return traces.Stall
	case traces.FamilyTools:
		return traces.Tool
	case traces.FamilyRetries:
		return traces.Retry
	}
	return traces.Agent
}

// Select returns s on the background of the selected row. Without colour the row's marker alone tells it.
func (t *Theme) Select(s Style) Style {
	if t.selection != nil && s.BG == nil {
		s.BG = t.selection
	}
	return s
}

// Outcome returns the style in which an outcome is written.
func (t *Theme) Outcome(o traces.Outcome) Style {
	switch o {
	case traces.OK:
		return t.Good
	case traces.OutcomeUnknown, "":
		return t.Muted
	case traces.Cancelled:
		return t.Warn
	}
	return t.Bad
}

// mix returns a with the share f of b in it, in linear steps of sRGB: near enough for two flat colours.
func mix(a, b color.Color, f float64) color.Color {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	part := func(x, y uint32) uint8 { return uint8((float64(x)*(1-f) + float64(y)*f) / 257) }
	return color.RGBA{part(ar, br), part(ag, bg), part(ab, bb), 255}
}
