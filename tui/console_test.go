package tui

import (
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// A console is a terminal that is not there: it keeps what is on its screen, and all that was written to it.
type console struct {
	mu     sync.Mutex
	parser *ansi.Parser
	cells  [][]string // rows of cells; "": the second half of a wide one
	x, y   int
	top    int // of the region that scrolls
	bottom int // likewise, the last row
	raw    strings.Builder
}

func newConsole(width, height int) *console {
	c := &console{parser: ansi.NewParser(), cells: make([][]string, height), bottom: height - 1}
	for y := range c.cells {
		c.cells[y] = blankRow(width)
	}
	c.parser.SetHandler(ansi.Handler{Print: c.print, Execute: c.execute, HandleCsi: c.csi, HandleEsc: c.esc})
	return c
}

func blankRow(width int) []string {
	row := make([]string, width)
	for x := range row {
		row[x] = " "
	}
	return row
}

func (c *console) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(b)
	for _, one := range b {
		c.parser.Advance(one)
	}
	return len(b), nil
}

// text returns the screen, spaces at the ends of lines removed.
func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, row := range c.cells {
		b.WriteString(strings.TrimRight(strings.Join(row, ""), " ") + "\n")
	}
	return b.String()
}

func (c *console) print(r rune) {
	width := ansi.StringWidth(string(r))
	if width == 0 {
		if c.x > 0 {
			c.cells[c.y][c.x-1] += string(r)
		}
		return
	}
	row := c.cells[c.y]
	if c.x+width > len(row) { // nothing is written there
		return
	}
	row[c.x] = string(r)
	for i := 1; i < width; i++ {
		row[c.x+i] = ""
	}
	c.x += width
}

func (c *console) execute(b byte) {
	switch b {
	case '\r':
		c.x = 0
	case '\n': // as a terminal does that is not in raw mode: only one that keys are read from is
		if c.x = 0; c.y == c.bottom {
			c.scroll(c.top, 1)
		} else {
			c.y = min(c.y+1, len(c.cells)-1)
		}
	case '\b':
		c.x = max(c.x-1, 0)
	}
}

func (c *console) esc(cmd ansi.Cmd) {
	switch {
	case cmd.Final() == 'M' && c.y == c.top:
		c.scroll(c.top, -1)
	case cmd.Final() == 'M':
		c.y = max(c.y-1, 0)
	}
}

// scroll moves the rows from from to the end of the region up by n, or down by -n.
func (c *console) scroll(from, n int) {
	for ; n > 0; n-- {
		copy(c.cells[from:], c.cells[from+1:c.bottom+1])
		c.cells[c.bottom] = blankRow(len(c.cells[0]))
	}
	for ; n < 0; n++ {
		copy(c.cells[from+1:c.bottom+1], c.cells[from:])
		c.cells[from] = blankRow(len(c.cells[0]))
	}
}

// csi obeys what moves the cursor and clears cells (ECMA-48, 8.3); styles and modes are of no interest.
func (c *console) csi(cmd ansi.Cmd, params ansi.Params) {
	param := func(i, none int) int {
		n, _, ok := params.Param(i, none)
		if !ok {
			return none
		}
		return n
	}
	n, row := max(1, param(0, 1)), c.cells[c.y]
	if cmd.Prefix() != 0 || cmd.Intermediate() != 0 {
		return
	}
	switch cmd.Final() {
	case 'A':
		c.y -= n
	case 'B', 'e':
		c.y += n
	case 'C', 'a':
		c.x += n
	case 'D':
		c.x -= n
	case 'E':
		c.x, c.y = 0, c.y+n
	case 'F':
		c.x, c.y = 0, c.y-n
	case 'G', '`':
		c.x = n - 1
	case 'd':
		c.y = n - 1
	case 'H', 'f':
		c.y, c.x = n-1, max(1, param(1, 1))-1
	case 'J':
		c.clear(param(0, 0))
	case 'K':
		switch param(0, 0) {
		case 0:
			copy(row[min(c.x, len(row)):], blankRow(len(row)))
		case 1:
			copy(row[:min(c.x+1, len(row))], blankRow(len(row)))
		default:
			copy(row, blankRow(len(row)))
		}
	case 'X':
		copy(row[min(c.x, len(row)):min(c.x+n, len(row))], blankRow(len(row)))
	case 'P':
		copy(row[c.x:], append(append([]string{}, row[min(c.x+n, len(row)):]...), blankRow(n)...))
	case '@':
		copy(row[c.x:], append(blankRow(n), row[c.x:]...))
	case 'b':
		if last := row[max(0, c.x-1)]; last != "" {
			for range n {
				c.print([]rune(last)[0])
			}
		}
	case 'L':
		c.scroll(c.y, -n)
	case 'M':
		c.scroll(c.y, n)
	case 'S':
		c.scroll(c.top, n)
	case 'T':
		c.scroll(c.top, -n)
	case 'r':
		c.top, c.bottom = n-1, min(max(1, param(1, len(c.cells))), len(c.cells))-1
		c.x, c.y = 0, 0
	}
	c.x, c.y = max(0, min(c.x, len(row)-1)), max(0, min(c.y, len(c.cells)-1))
}

func (c *console) clear(which int) {
	if which == 2 {
		c.x, c.y = 0, 0
	}
	for y := range c.cells {
		for x := range c.cells[y] {
			if which >= 2 || y > c.y || y == c.y && x >= c.x {
				c.cells[y][x] = " "
			}
		}
	}
}

// A session is the whole program on a console, with keys that come as bytes. It lives in a bubble of synctest.
type session struct {
	t       *testing.T
	model   *Model
	console *console
	keys    *io.PipeWriter
	ended   chan error
}

func newSession(t *testing.T, m *Model, width, height int) *session {
	in, keys := io.Pipe()
	s := &session{t: t, model: m, console: newConsole(width, height), keys: keys, ended: make(chan error, 1)}
	profile := colorprofile.TrueColor
	if m.env.Fixed {
		profile = m.env.Profile
	}
	program := tea.NewProgram(m, tea.WithContext(t.Context()), tea.WithInput(in), tea.WithOutput(s.console), tea.WithEnvironment(m.options.Environ),
		tea.WithWindowSize(width, height), tea.WithColorProfile(profile), tea.WithoutSignalHandler())
	go func() {
		_, err := program.Run()
		s.ended <- err
	}()
	t.Cleanup(func() { keys.Close() }) // what reads keys ends
	s.draw()
	return s
}

// draw waits until the next frame is on the console.
func (s *session) draw() {
	time.Sleep(time.Second) // a lone escape may be the beginning of a sequence for a while
	synctest.Wait()
}

// press types keys, and holds that the console shows the screen that the model then has.
func (s *session) press(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		if _, err := io.WriteString(s.keys, k); err != nil {
			s.t.Fatal(err)
		}
		s.draw()
	}
	if got, want := s.console.text(), text(s.model); got != want {
		s.t.Fatalf("after %q the console shows\n%s\nwant\n%s", keys, got, want)
	}
}

// shows fails the test unless all words are on the console.
func (s *session) shows(when string, words ...string) {
	s.t.Helper()
	screen := s.console.text()
	for _, w := range words {
		if !strings.Contains(screen, w) {
			s.t.Errorf("%s there is no %q:\n%s", when, w, screen)
		}
	}
}

// quit leaves the program.
func (s *session) quit() {
	s.t.Helper()
	io.WriteString(s.keys, "q")
	if err := <-s.ended; err != nil {
		s.t.Error(err)
	}
}
