// Package keys says what each key means, once for all screens.
//
// A key press goes in, an Action comes out; screens know actions only. So the same key means the same everywhere, and
// the bar at the bottom and the help page are written from the same list that the program obeys.
package keys

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// An Action is what a user asks for.
type Action int

// The actions.
const (
	None Action = iota
	Up
	Down
	Top
	Bottom
	PageUp
	PageDown
	Enter
	Back
	Fold
	Unfold
	FoldAll
	UnfoldAll
	ZoomIn
	ZoomOut
	ZoomReset
	ZoomSpan
	ZoomUndo
	ResetAll
	PanLeft
	PanRight
	Gaps
	Critical
	Breakdown
	Flame
	WhatIf
	Stream
	Compare
	Regroup
	Problems
	Live
	Pane
	Mark
	Sort
	Reverse
	Find
	Next
	Previous
	Command
	Copy
	CopyView
	Export
	Help
	Quit
)

// A Msg tells a screen what the user asked for. Count is the number typed before the key, 0 if none was.
type Msg struct {
	Action Action
	Count  int
}

// A Map is which keys mean what, in the order in which they are shown.
type Map []Binding

// A Binding is one action's keys and words.
type Binding struct {
	key.Binding
	Action Action
	Group  Group
	Joined bool // explained together with the binding before it
}

// A Group is a heading of the help page.
type Group string

// The groups, in the order of the help page.
const (
	Move  Group = "Move"
	Open  Group = "Open"
	Time  Group = "Time"
	Views Group = "Views"
	Rows  Group = "Rows"
	Else  Group = "Else"
)

// Groups lists every group in the order of the help page.
var Groups = []Group{Move, Open, Time, Views, Rows, Else}

// Default is the only map.
var Default = Map{
	bind(Enter, Open, "enter", "open", "enter"),
	join(bind(Back, Open, "esc", "back", "esc", "backspace")),
	bind(Fold, Open, "h", "fold", "h", "left"),
	join(bind(Unfold, Open, "l", "unfold", "l", "right")),
	bind(FoldAll, Open, "[", "fold all", "["),
	join(bind(UnfoldAll, Open, "]", "unfold all", "]")),

	bind(Critical, Views, "c", "critical only", "c"),
	bind(Breakdown, Views, "b", "breakdown", "b"),
	bind(Flame, Views, "f", "flame", "f"),
	bind(WhatIf, Views, "W", "what-if", "W"),
	bind(Stream, Views, "S", "stream of the call", "S"),
	bind(Compare, Views, "C", "compare", "C"),
	bind(Problems, Views, "p", "problems", "p"),
	bind(Live, Views, "L", "live", "L"),
	bind(Pane, Views, "tab", "next pane", "tab"),

	bind(Mark, Rows, "m", "mark", "m", "space"),
	bind(Sort, Rows, "o", "order", "o"),
	join(bind(Reverse, Rows, "O", "reverse", "O")),
	bind(Regroup, Rows, "t", "group by next tag", "t"),
	bind(Find, Rows, "/", "find", "/"),
	bind(Next, Rows, "n", "next match", "n"),
	join(bind(Previous, Rows, "N", "previous match", "N")),

	bind(ZoomIn, Time, "+", "zoom in", "+", "="),
	join(bind(ZoomOut, Time, "-", "zoom out", "-", "_")),
	bind(ZoomIn, Time, "w", "closer", "w"),
	join(bind(ZoomOut, Time, "s", "farther", "s")),
	bind(PanLeft, Time, "a", "earlier", "a"),
	join(bind(PanRight, Time, "d", "later", "d")),
	bind(ZoomReset, Time, "0", "whole run", "0"),
	join(bind(ZoomUndo, Time, "u", "undo zoom", "u")),
	bind(ResetAll, Time, "R", "reset all", "R"),
	bind(ZoomSpan, Time, "z", "zoom to row", "z"),
	bind(Gaps, Time, "i", "cut idle gaps", "i"),

	bind(Down, Move, "j", "down", "j", "down", "ctrl+n"),
	join(bind(Up, Move, "k", "up", "k", "up", "ctrl+p")),
	bind(Top, Move, "g", "first row", "g", "home"),
	join(bind(Bottom, Move, "G", "last row", "G", "end")),
	bind(PageDown, Move, "pgdn", "page down", "pgdown", "ctrl+f", "ctrl+d"),
	join(bind(PageUp, Move, "pgup", "page up", "pgup", "ctrl+b", "ctrl+u")),

	bind(Command, Else, ":", "command", ":"),
	bind(Copy, Else, "y", "copy id", "y"),
	join(bind(CopyView, Else, "Y", "copy view", "Y")),
	bind(Export, Else, "e", "export view", "e"),
	bind(Help, Else, "?", "help", "?", "f1"),
	bind(Quit, Else, "q", "quit", "q", "ctrl+c"),
}

func bind(a Action, g Group, shown, words string, keys ...string) Binding {
	return Binding{key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, words)), a, g, false}
}

func join(b Binding) Binding {
	b.Joined = true
	return b
}

// Action returns what a key press asks for; None if nothing.
func (m Map) Action(press tea.KeyPressMsg) Action {
	for _, b := range m {
		if key.Matches(press, b.Binding) {
			return b.Action
		}
	}
	return None
}

// Of returns the first binding of an action.
func (m Map) Of(a Action) (Binding, bool) {
	for _, b := range m {
		if b.Action == a {
			return b, true
		}
	}
	return Binding{}, false
}
