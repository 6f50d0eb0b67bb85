package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/seed46266073/longpole/agentsim/bench"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/report"
)

// A progressBar shows how far a plan is: one line that is drawn over on a terminal, a line every ten percent elsewhere.
type progressBar struct {
	w     io.Writer
	width func() int // of the terminal as it is now, 0 if that is not known; nil: there is none
	said  int        // runs that were done when the last line was written, where there is no terminal
	open  bool
}

func newProgressBar(w io.Writer) *progressBar {
	bar := &progressBar{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(f.Fd()) && os.Getenv("TERM") != "dumb" {
		bar.width = func() int { width, _, _ := term.GetSize(f.Fd()); return width }
	}
	return bar
}

func (b *progressBar) show(p bench.Progress) {
	if p.Total == 0 {
		return
	}
	text := progressText(p)
	if b.width != nil {
		fmt.Fprintf(b.w, "\r%s\x1b[K", barLine(text, p.Done, p.Total, cmp.Or(b.width(), 80)-1))
		b.open = true
		return
	}
	due := p.Done > b.said && (p.Done-b.said >= max(1, p.Total/10) || p.Done == p.Total)
	if due || !p.Next.IsZero() {
		b.said = p.Done
		fmt.Fprintln(b.w, text)
	}
}

// progressText says how far a plan is. Where the precision decides when it ends, the whole is an estimate.
func progressText(p bench.Progress) string {
	about := ""
	if p.Estimate {
		about = "about "
	}
	text := fmt.Sprintf("%d of %s%s", p.Done, about, traces.FormatCount(p.Total, "run"))
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d without a correct answer", p.Failed)
	}
	if p.Precision != nil && !math.IsInf(p.Precision.Width, 1) {
		text += ", known to " + within(p.Precision.Width)
	}
	if !p.Next.IsZero() {
		text += ", the next at " + p.Next.Format("15:04:05")
	}
	if p.Remaining > 0 {
		text += ", about " + strings.Replace(report.Duration(p.Remaining.Round(time.Second)), ".00", "", 1) + " left"
	}
	return text
}

// end clears the line.
func (b *progressBar) end() {
	if b.open {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}

// barLine is a bar and what it means on one line of width cells: a longer one would wrap and could not be drawn over. Where
// there is too little room the bar is shorter, then left out.
func barLine(text string, done, total, width int) string {
	fill, rest := "━", "─"
	if asciiOnly() {
		fill, rest = "#", "."
	}
	length := min(30, width-ansi.StringWidth(text)-1)
	if length < 5 {
		return ansi.Truncate(text, max(0, width), "")
	}
	full := length * done / total
	return strings.Repeat(fill, full) + strings.Repeat(rest, length-full) + " " + text
}
