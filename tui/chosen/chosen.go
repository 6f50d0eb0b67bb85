// Package chosen is how a screen says that its user wants to see a run, or something in it, without knowing which screens there are.
package chosen

import (
	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// A Msg says that a run was chosen, or one span of it.
type Msg struct {
	Run  *measure.Run
	Span *traces.Span // nil: the run as a whole
}

// Run returns the command that says so of a run; none for nil.
func Run(run *measure.Run) tea.Cmd { return Span(run, nil) }

// Span returns the command that says so of a span of run; none if there is no run.
func Span(run *measure.Run, span *traces.Span) tea.Cmd {
	if run == nil {
		return nil
	}
	return func() tea.Msg { return Msg{run, span} }
}

// A CallMsg says that a model call of a run was chosen.
type CallMsg struct {
	Run  *measure.Run
	Call *measure.Call
}

// Call returns the command that says so.
func Call(run *measure.Run, call *measure.Call) tea.Cmd {
	return func() tea.Msg { return CallMsg{run, call} }
}
