package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/seed46266073/longpole/agentsim/bench"
	"github.com/seed46266073/longpole/traces/report"
)

// A progressBar shows how far a plan is: one line that is drawn over on a terminal, a line every ten percent elsewhere.
type progressBar struct {
	w      io.Writer
	width  func() int // of the terminal as it is now, 0 if that is not known; nil: there is none
	tenths int        // shown last, where there is no terminal
	open   bool
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
	text := fmt.Sprintf("%d of %s", p.Done, plural(p.Total, "run"))
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d without a correct answer", p.Failed)
	}
	if p.Remaining > 0 {
		text += ", about " + strings.Replace(report.Duration(p.Remaining.Round(time.Second)), ".00", "", 1) + " left"
	}
	if b.width != nil {
		fmt.Fprintf(b.w, "\r%s\x1b[K", barLine(text, p.Done, p.Total, cmp.Or(b.width(), 80)-1))
		b.open = true
		return
	}
	if tenths := 10 * p.Done / p.Total; tenths > b.tenths {
		b.tenths = tenths
		fmt.Fprintln(b.w, text)
	}
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
	length := min(30, width-len(text)-1)
	if length < 5 {
		return text[:max(0, min(len(text), width))]
	}
	full := length * done / total
	return strings.Repeat(fill, full) + strings.Repeat(rest, length-full) + " " + text
}
