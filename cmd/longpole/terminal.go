package main

import (
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/seed46266073/longpole/traces/report"
)

// textOptions says how text should be drawn on w: colour and the terminal's width if it is a terminal that has them, plain
// otherwise.
func textOptions(w io.Writer) report.TextOptions {
	opt := report.TextOptions{Width: 100, ASCII: asciiOnly()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(f.Fd()) {
		if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
			opt.Width = min(max(width, 60), 140)
		}
		opt.Colour = colorprofile.Detect(f, os.Environ()) > colorprofile.Ascii
	}
	return opt
}

// isTerminal reports whether both ends are a terminal that can hold screens.
func isTerminal(in io.Reader, out io.Writer) bool {
	stdin, ok1 := in.(*os.File)
	stdout, ok2 := out.(*os.File)
	return ok1 && ok2 && term.IsTerminal(stdin.Fd()) && term.IsTerminal(stdout.Fd()) && os.Getenv("TERM") != "dumb"
}

// asciiOnly reports whether the locale has no characters beyond ASCII.
func asciiOnly() bool {
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(key); v != "" {
			return v == "C" || v == "POSIX" || strings.HasSuffix(strings.ToLower(v), ".ascii")
		}
	}
	return false
}
