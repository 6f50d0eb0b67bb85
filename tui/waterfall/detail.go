package waterfall

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
)

// detail says in words what the selected row shows: when it was, whether the run waited for it, and what it was made of.
func (m *Model) detail() []string {
	if len(m.tree.rows) == 0 {
		return []string{m.factLine([]fact{{m.theme.Muted, "no spans"}})}
	}
	if m.pane.state != closed {
		return m.paneView()
	}
	i := m.selected()
	first := m.factLine(m.facts(i))
	if m.below() < 3 {
		return []string{first}
	}
	return []string{m.rule(), first, m.makeup(i)}
}

func (m *Model) rule() string {
	l := cell.NewLine(m.theme, m.width, false)
	for l.Left() > 0 {
		l.Rune(m.theme.Faint, m.theme.Glyphs.Rule)
	}
	return l.String()
}

func (m *Model) facts(i int32) []fact {
	t, n := m.theme, &m.tree.nodes[i]
	s := n.span
	name, _ := m.tree.label(i)
	facts := []fact{{t.Strong, name}}
	switch {
	case n.subpath > 0 && n.subpath >= s.Duration():
		facts = append(facts, fact{t.Critical, t.Glyphs.Critical + " critical"})
	case n.subpath > 0:
		facts = append(facts, fact{t.Critical, t.Glyphs.Critical + " critical for " + report.Duration(n.subpath)})
	default:
		facts = append(facts, fact{t.Muted, "off the critical path"})
	}
	if m.slack.known && !isCrowd(s) {
		if d, ok := m.run.Path.Slack(s); ok && d > 0 {
			facts = append(facts, fact{t.Slack, strings.Repeat(t.Glyphs.Slack, 2) + " " + report.Duration(d) + " longer for free"})
		}
	}
	facts = append(facts, fact{t.Text, report.Duration(s.Start) + " " + t.Glyphs.Right + " " + report.Duration(s.End)})
	if note, bad := m.tree.note(i); note != "" {
		style := t.Muted
		if bad {
			style = t.Bad
		}
		facts = append(facts, fact{style, note})
	}
	if c := m.tree.calls[s]; c != nil {
		for _, f := range callFacts(c) {
			facts = append(facts, fact{t.Muted, f})
		}
	}
	if e := s.Attrs().String(traces.KeyErrorType); e != "" {
		facts = append(facts, fact{t.Bad, "error " + e})
	}
	if i == 0 && m.run.Check != "" {
		style := t.Muted
		if m.run.Outcome == traces.FailedCheck {
			style = t.Bad
		}
		facts = append(facts, fact{style, "check: " + m.run.Check})
	}
	if s.Skew != 0 {
		facts = append(facts, fact{t.Warn, "clock corrected by " + report.Duration(s.Skew)})
	}
	return facts
}

// callFacts says of a model call what its bar cannot.
func callFacts(c *measure.Call) []string {
	var facts []string
	if c.Effort != "" {
		facts = append(facts, "effort "+c.Effort)
	}
	if c.Usage.Output != nil {
		tokens := fmt.Sprintf("%d output tokens", *c.Usage.Output)
		if c.Usage.Reasoning != nil && *c.Usage.Reasoning > 0 {
			tokens += fmt.Sprintf(" (%d reasoning)", *c.Usage.Reasoning)
		}
		facts = append(facts, tokens)
	}
	if c.OutputRate != nil {
		facts = append(facts, fmt.Sprintf("output rate %.3g tok/s", *c.OutputRate))
	}
	if c.FinishReason != "" {
		facts = append(facts, "finished by "+c.FinishReason)
	}
	return facts
}

// backoffFacts says of a wait between attempts how long it was meant to be, and why there was one.
func backoffFacts(s *traces.Span) []string {
	if s.Role != traces.RoleWait {
		return nil
	}
	var facts []string
	if planned, ok := s.Attrs().Int(traces.KeyPlanned); ok && planned >= 0 {
		facts = append(facts, "planned "+report.Duration(time.Duration(planned)))
	}
	if reason := s.Attrs().String(traces.KeyReason); reason != "" {
		facts = append(facts, "because of "+strings.ReplaceAll(reason, "_", " "))
	}
	return facts
}

// makeup lists the components of the selected row with their times, the largest first, or says why a backoff was made.
func (m *Model) makeup(i int32) string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	l.Space(1)
	parts := m.parts(i)
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.time, a.time) })
	if facts := backoffFacts(m.tree.nodes[i].span); len(facts) > 0 {
		headline.Chip(l, t, waitOf(m.tree.nodes[i].span))
		l.Space(1).Text(t.Muted, strings.Join(facts, ", "))
	}
	for _, p := range parts {
		mark := t.Glyphs.Quality(p.quality)
		words := strings.ReplaceAll(string(p.component), "_", " ") + " " + mark + report.Duration(p.time)
		if l.Left() < cell.Width(words)+3 {
			l.Text(t.Muted, t.Glyphs.Ellipsis)
			break
		}
		headline.Chip(l, t, p.component)
		l.Space(1).Text(t.Muted, words).Space(2)
	}
	return l.String()
}

// A part is some time of a row.
type part struct {
	component traces.Component
	time      time.Duration
	quality   traces.Quality
}

// parts returns what a row is made of: the phases of a call or attempt, else its part of the critical path.
func (m *Model) parts(i int32) []part {
	s := m.tree.nodes[i].span
	var parts []part
	add := func(c traces.Component, d time.Duration, q traces.Quality) {
		for k := range parts {
			if parts[k].component == c && parts[k].quality == q {
				parts[k].time += d
				return
			}
		}
		if d > 0 {
			parts = append(parts, part{c, d, q})
		}
	}
	attempt := func(a *traces.Attempt) {
		if a.Outcome.Failed() || a.Span.Has(traces.FlagFailed) {
			add(traces.Retry, a.Span.Duration(), traces.Measured)
			return
		}
		for _, p := range a.Phases {
			add(p.Component, p.End-p.Start, p.Quality)
		}
	}
	switch {
	case m.tree.calls[s] != nil:
		for k, a := range m.tree.calls[s].Attempts {
			if k > 0 {
				add(traces.Backoff, max(0, a.Span.Start-m.tree.calls[s].Attempts[k-1].Span.End), traces.Measured)
			}
			attempt(a)
		}
	case m.tree.tries[s] != nil:
		attempt(m.tree.tries[s])
	case i == 0:
		for _, c := range m.run.Components {
			add(c.Component, c.Time, c.Quality)
		}
	default:
		for _, step := range m.run.Steps {
			if step.Span == s {
				for _, c := range step.Components {
					add(c.Component, c.Time, c.Quality)
				}
			}
		}
	}
	if tool := m.tree.tools[s]; tool != nil {
		if tool.Run != nil {
			add(traces.Tool, *tool.Run, traces.Measured)
		} else {
			add(traces.Tool, s.Duration()-tool.Approval, s.Quality())
		}
		add(traces.Approval, tool.Approval, traces.Measured)
	}
	return parts
}
