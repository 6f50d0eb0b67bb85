// Package picture makes pictures of screens.
//
// A screen's text with its styles goes in, as it is written to a terminal; out comes an SVG that looks the same in every browser: bars and
// rules are drawn as shapes, and each run of text is given its exact length, so that no font can move what stands beside it. Nothing but
// the text and its colours decides what the picture is, byte for byte.
package picture

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Screen returns what model shows on a terminal of that size after keys were pressed: names as of tea.Key ("enter", "esc", "tab", "down"), or
// single characters. What the model wants to have done meanwhile is done at once, so it must not wait for anything.
func Screen(model tea.Model, width, height int, keys ...string) string {
	send(model, tea.WindowSizeMsg{Width: width, Height: height})
	for _, k := range keys {
		send(model, press(k))
	}
	return model.View().Content
}

func send(model tea.Model, msg tea.Msg) {
	_, cmd := model.Update(msg)
	do(model, cmd)
}

func do(model tea.Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, tea.QuitMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			do(model, c)
		}
	default:
		send(model, msg)
	}
}

var named = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd}

func press(key string) tea.KeyPressMsg {
	if code, ok := named[key]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
}

// Look is the ground that a picture is drawn on.
type Look struct {
	Ground, Text string // colours, as "#16181d"
}

// The looks of a dark and of a light terminal.
var (
	Dark  = Look{"#16181d", "#d3d7de"}
	Light = Look{"#ffffff", "#2b3038"}
)

// The size of a cell, of the text in it, and of the margin, in pixels.
const (
	cellWidth  = 8
	cellHeight = 17
	fontSize   = 13.3 // of which a character of a usual monospaced font is as wide as a cell
	baseline   = 13
	margin     = 12
)

const fonts = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace"

// SVG returns the picture of a screen; title says what it shows to who does not see it.
func SVG(title, screen string, look Look) string {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	width := 0
	for _, line := range lines {
		width = max(width, ansi.StringWidth(line))
	}
	var b strings.Builder
	w, h := width*cellWidth+2*margin, len(lines)*cellHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-size="%g" font-family="%s">`+"\n",
		w, h, w, h, fontSize, fonts)
	fmt.Fprintf(&b, "<title>%s</title>\n", escape(title))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="%s"/>`+"\n", w, h, look.Ground)
	for y, line := range lines {
		for _, p := range pieces(line, look) {
			p.draw(&b, y)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escape returns s as XML: what XML cannot hold is left out.
func escape(s string) string {
	return escaper.Replace(strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, s))
}

// A piece is a run of cells of one style, all text or all the same shape.
type piece struct {
	at, cells int
	text      string
	shape     shape // of each of its cells; zero: it is text
	style     style
}

// A shape is a filled part of a cell, in eighths of it.
type shape struct {
	left, top, width, height float64
	faint                    bool // half of the ground shines through
	joined                   bool // it reaches from one cell into the next
}

var shapes = func() map[string]shape {
	m := map[string]shape{
		"█": {0, 0, 8, 8, false, true}, "▐": {4, 0, 4, 8, false, false}, "▒": {0, 0, 8, 8, true, true}, "─": {0, 3.8, 8, 0.5, false, true}, "━": {0, 3.6, 8, 0.9, false, true},
		"┃": {3.4, 0, 1.2, 8, false, false}, "│": {3.7, 0, 0.6, 8, false, false},
	}
	for i, s := range []string{"▏", "▎", "▍", "▌", "▋", "▊", "▉"} {
		m[s] = shape{0, 0, float64(i + 1), 8, false, false}
	}
	for i, s := range []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇"} {
		m[s] = shape{0, float64(7 - i), 8, float64(i + 1), false, true}
	}
	return m
}()

// pieces cuts a line into them; blanks without a background are left out.
func pieces(line string, look Look) []piece {
	var list []piece
	at, s, state := 0, style{}, byte(0)
	for len(line) > 0 {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		line, state = line[n:], next
		if width == 0 {
			if params, ok := strings.CutPrefix(seq, "\x1b["); ok && strings.HasSuffix(params, "m") {
				s.set(strings.TrimSuffix(params, "m"))
			}
			continue
		}
		p := piece{at: at, cells: width, text: seq, shape: shapes[seq], style: s.shown(look)}
		at += width
		if last := len(list) - 1; last >= 0 && list[last].takes(p) {
			list[last].cells += width
			list[last].text += seq
			continue
		}
		if p.text != " " || p.style.back != "" {
			list = append(list, p)
		}
	}
	return list
}

// takes reports whether the next cells belong to the same piece.
func (p *piece) takes(next piece) bool {
	return p.at+p.cells == next.at && p.style == next.style && p.shape == next.shape && (p.shape == shape{} || p.shape.joined)
}

func (p *piece) draw(b *strings.Builder, line int) {
	x, y := margin+p.at*cellWidth, margin+line*cellHeight
	if p.style.back != "" {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x, y, p.cells*cellWidth, cellHeight, p.style.back)
	}
	if s := p.shape; s != (shape{}) {
		width := s.width / 8 * cellWidth
		if s.joined {
			width = float64(p.cells * cellWidth)
		}
		opacity := ""
		if s.faint {
			opacity = ` opacity=".5"`
		}
		fmt.Fprintf(b, `<rect x="%g" y="%.4g" width="%g" height="%.4g" fill="%s"%s/>`+"\n",
			float64(x)+s.left/8*cellWidth, float64(y)+s.top/8*cellHeight, width, s.height/8*cellHeight, p.style.front, opacity)
		return
	}
	weight := ""
	if p.style.bold {
		weight = ` font-weight="bold"`
	}
	for text, at := p.text, 0; text != ""; { // word by word where they are apart: viewers do not agree on blanks
		words, _, _ := strings.Cut(text, "  ")
		if words = strings.TrimRight(words, " "); words != "" {
			lead := len(words) - len(strings.TrimLeft(words, " "))
			words = words[lead:]
			fmt.Fprintf(b, `<text x="%d" y="%d" textLength="%d" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
				x+(at+lead)*cellWidth, y+baseline, ansi.StringWidth(words)*cellWidth, p.style.front, weight, escape(words))
			words = text[:lead+len(words)]
		}
		rest := strings.TrimLeft(text[len(words):], " ")
		at += ansi.StringWidth(text[:len(text)-len(rest)])
		text = rest
	}
}
