package report

import (
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
)

// TextOptions say how text is laid out. The zero value is 80 columns without colour.
type TextOptions struct {
	Width  int  // columns; 0 is 80; below 60 and above 140 the nearer of these
	Colour bool // ANSI colours on top of the letters
	ASCII  bool // draw with ASCII alone; names from traces stay as they are
}

// A page collects lines no wider than its width.
type page struct {
	strings.Builder
	width  int
	colour bool
	ascii  bool
}

func newPage(opt TextOptions) *page {
	width := opt.Width
	if width == 0 {
		width = 80
	}
	return &page{width: min(max(width, 60), 140), colour: opt.Colour, ascii: opt.ASCII}
}

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.String())
	return err
}

// plain are the ASCII forms of what is drawn.
var plain = strings.NewReplacer("·", ".", "…", "~", "─", "-", "≤", "<", "≥", ">", "≈", "~", "–", "-", "µ", "u", "●", "*", "×", "x", "÷", "/", "−", "-", "→", "->")

// ASCII returns text of our own in characters that every terminal has. It may have other widths.
func ASCII(s string) string { return plain.Replace(s) }

// draw returns text of our own in the page's characters. Names from traces do not go through it.
func (p *page) draw(s string) string {
	if p.ascii {
		return ASCII(s)
	}
	return s
}

// line writes one line, cut to the page.
func (p *page) line(parts ...string) {
	p.WriteString(fit(strings.TrimRight(strings.Join(parts, ""), " "), p.width, p.draw("…")))
	p.WriteByte('\n')
}

// numbers keeps a number and its unit on one line.
var numbers = regexp.MustCompile(`(\d) (ns|µs|us|ms|s|%)`)

// wrapped writes plain text over as many lines as it needs, all indented by two cells, later ones by two more.
func (p *page) wrapped(text string, style func(string) string) {
	const noBreak = "\u00a0"
	text = ansi.Wrap(numbers.ReplaceAllString(text, "$1"+noBreak+"$2"), p.width-4, "")
	for i, s := range strings.Split(strings.ReplaceAll(text, noBreak, " "), "\n") {
		indent := "  "
		if i > 0 {
			indent = "    "
		}
		p.line(indent, style(strings.Trim(s, " ")))
	}
}

// aside explains what stands above it.
func (p *page) aside(text string) { p.wrapped(p.draw(text), p.dim) }

func asIs(s string) string { return s }

// section writes the title of a part after an empty line.
func (p *page) section(title string) {
	p.line()
	p.line(p.bold(p.draw(title)))
}

func (p *page) duration(d time.Duration) string { return p.draw(Duration(d)) }

func (p *page) column(d time.Duration) string { return p.draw(DurationColumn(d)) }

// maybe returns an unknown time as a mark that is not a number.
func (p *page) maybe(d *time.Duration) string {
	if d == nil {
		return unknown
	}
	return p.duration(*d)
}

const unknown = "?"

// SGR codes of the standard palette, so that the terminal's own theme decides.
func (p *page) sgr(code, s string) string {
	if !p.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p *page) bold(s string) string { return p.sgr("1", s) }
func (p *page) dim(s string) string  { return p.sgr("2", s) }

// outcome writes an outcome: the word says it, colour only underlines.
func (p *page) outcome(o traces.Outcome) string {
	switch {
	case o == traces.OK:
		return p.sgr("32", string(o))
	case o.Failed(), o == traces.FailedCheck:
		return p.sgr("31", strings.ReplaceAll(string(o), "_", " "))
	case o == "":
		return string(traces.OutcomeUnknown)
	}
	return string(o)
}
