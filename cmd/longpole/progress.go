package main

import (
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
	w        io.Writer
	terminal bool
	tenths   int // shown last, where there is no terminal
	open     bool
}

func newProgressBar(w io.Writer) *progressBar {
	f, ok := w.(*os.File)
	return &progressBar{w: w, terminal: ok && term.IsTerminal(f.Fd()) && os.Getenv("TERM") != "dumb"}
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
		text += ", about " + report.Duration(p.Remaining.Round(time.Second)) + " left"
	}
	if b.terminal {
		const width = 30
		full := width * p.Done / p.Total
		fill, rest := "━", "─"
		if asciiOnly() {
			fill, rest = "#", "."
		}
		fmt.Fprintf(b.w, "\r%s%s %s\x1b[K", strings.Repeat(fill, full), strings.Repeat(rest, width-full), text)
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
