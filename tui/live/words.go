package live

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/activity"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/theme"
)

// title is what an agent is called: those of one name are numbered.
func (m *Model) title(r row) string { return r.name() + m.ordinal(r) }

func (m *Model) ordinal(r row) string {
	if n := m.numbers[r.Key]; n > 1 {
		return fmt.Sprintf(" #%d", n)
	}
	return ""
}

var labels = map[activity.Kind]string{
	activity.Starting: "starting", activity.Connecting: "connecting", activity.Waiting: "awaiting a token",
	activity.Thinking: "thinking", activity.Writing: "writing", activity.Calling: "writing arguments",
	activity.Silent: "silent", activity.Stalled: "STALLED", activity.Retrying: "waiting to retry",
	activity.Tool: "tool", activity.Approval: "approval", activity.Between: "between steps", activity.Answered: "answered",
	activity.Ended: "ended", activity.Lost: "no sign of life",
}

// label says what an agent does, and in which style.
func (m *Model) label(s *activity.State) (string, theme.Style) {
	t := m.theme
	text, style := labels[s.Kind], t.Text
	switch s.Kind {
	case activity.Waiting:
		if s.Whole {
			text = "awaiting the answer"
		}
	case activity.Thinking:
		if s.Hidden {
			text = "thinking, unseen"
		}
	case activity.Stalled, activity.Lost:
		style = t.Bad
	case activity.Silent, activity.Retrying:
		style = t.Warn
	case activity.Approval:
		style = t.Warn
		if s.Tool != "" {
			text += ": " + s.Tool
		}
	case activity.Tool:
		text += ": " + s.Tool
	case activity.Between, activity.Answered:
		style = t.Muted
	case activity.Ended:
		text, style = strings.ReplaceAll(string(cmp.Or(s.Outcome, traces.OutcomeUnknown)), "_", " "), t.Outcome(s.Outcome)
		if s.Outcome == traces.OutcomeUnknown || s.Outcome == "" {
			text = "ended"
		}
	}
	switch s.Kind {
	case activity.Tool, activity.Approval, activity.Lost:
	default:
		if s.Tool != "" {
			text = s.Tool + ": " + text
		}
	}
	if m.isLate(s) {
		style = t.Warn
	}
	return text, style
}

// A note is one thing to say of a state beside its name and time.
type note struct {
	style       theme.Style
	text, short string // short, if not empty, says it where there is little room
}

// notes says what else there is to say, most useful first.
func (m *Model) notes(r row) []note {
	t, s := m.theme, &r.state
	var notes []note
	say := func(style theme.Style, format string, args ...any) {
		notes = append(notes, note{style: style, text: fmt.Sprintf(format, args...)})
	}
	if s.Rate != nil {
		text, short := rate(s.Rate)
		notes = append(notes, note{t.Text, text, short})
	}
	switch {
	case s.Kind == activity.Lost:
		was := *s
		was.Kind = s.Was
		label, _ := m.label(&was)
		notes = append(notes, note{t.Muted, "was " + label, label})
	case s.Was != "":
		say(t.Muted, "after %s", labels[s.Was])
	}
	if s.Planned != nil {
		say(t.Text, "of %s", age(*s.Planned))
	}
	if s.Why != "" {
		say(t.Bad, "%s", s.Why)
	}
	if usual, ok := m.usually(s); ok {
		style := t.Muted
		if m.isLate(s) {
			style = t.Warn
		}
		text := age(usual)
		if usual < 100*time.Millisecond {
			text = report.Duration(usual)
		}
		notes = append(notes, note{style, "usually " + text, "usual " + text})
	}
	switch {
	case s.Others == 1:
		say(t.Muted, "1 more tool")
	case s.Others > 1:
		say(t.Muted, "%d more tools", s.Others)
	}
	if s.Kind == activity.Waiting && s.Status > 0 {
		say(t.Muted, "HTTP %d", s.Status)
	}
	if s.Attempt > 1 {
		say(t.Muted, "attempt %d", s.Attempt)
	}
	if s.Kind == activity.Ended {
		say(t.Muted, "took %s", report.Duration(r.Run.Wall))
	}
	return notes
}

// ages says when what came last did.
func ages(s *activity.State) []string {
	var list []string
	for _, a := range []struct {
		of string
		d  *time.Duration
	}{{"token", s.Token}, {"byte", s.Byte}, {"event", s.Event}} {
		if a.d != nil {
			list = append(list, a.of+" "+age(*a.d))
		}
	}
	return list
}

// rate names what it counts: characters and chunks are not tokens. The short text leaves out of what, which the state says.
func rate(r *activity.Rate) (text, short string) {
	of := map[traces.Component]string{traces.Reasoning: "reasoning", traces.Output: "output", traces.ToolArgs: "argument"}[r.Of]
	unit := "chars/s"
	if r.Chunks {
		unit = "chunks/s"
	}
	return fmt.Sprintf("%.0f %s %s", r.PerSecond, of, unit), fmt.Sprintf("%.0f %s", r.PerSecond, unit)
}

// age is a time that grows while it is read: digits that only flicker are left out.
func age(d time.Duration) string {
	switch tenth := 100 * time.Millisecond; {
	case d < 10*time.Second-tenth/2:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute-time.Second/2:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return report.Duration(d)
}
