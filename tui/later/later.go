// Package later is how a screen has something worked out while the interface goes on.
//
// A screen returns what Do makes of its work when it is asked for it. The work is done beside the interface, must not touch the
// screen, and ends in a Done that takes the result into it.
package later

import tea "charm.land/bubbletea/v2"

// Done takes a result into the screen that wanted it. It is called by the interface, between messages.
type Done func()

// Do returns the command that works.
func Do(work func() Done) tea.Cmd { return func() tea.Msg { return work() } }
