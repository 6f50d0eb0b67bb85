package waterfall

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/report"
)

// label returns what row i is called, and what is said beside the name.
func (t *tree) label(i int32) (name, detail string) {
	s := t.nodes[i].span
	switch {
	case i == 0 && t.run.Name != "":
		return t.run.Name, ""
	case t.calls[s] != nil:
		return callLabel(t.calls[s].ModelCall)
	case t.tries[s] != nil:
		return "attempt " + strconv.Itoa(t.tries[s].Number), ""
	case t.tools[s] != nil && t.tools[s].Name != "":
		return t.tools[s].Name, ""
	case s.Role == traces.RolePhase:
		return strings.ReplaceAll(string(phaseOf(s)), "_", " "), ""
	}
	return s.Name, ""
}

func callLabel(c *traces.ModelCall) (name, detail string) {
	name = c.Span.Name
	if c.Model != "" && !strings.Contains(name, c.Model) {
		detail = c.Model
	}
	if c.Side {
		detail = strings.TrimSpace("side call " + detail)
	}
	return name, detail
}

// note returns what is worth saying at the end of row i: why it failed, how long the first token took.
func (t *tree) note(i int32) (note string, bad bool) {
	s := t.nodes[i].span
	var parts []string
	say := func(o traces.Outcome) {
		if o != traces.OK && o != traces.OutcomeUnknown && o != "" {
			parts = append(parts, strings.ReplaceAll(string(o), "_", " "))
			bad = bad || o != traces.Cancelled
		}
	}
	switch {
	case t.calls[s] != nil:
		c := t.calls[s]
		parts, bad = retries(c.ModelCall)
		say(c.Outcome)
		if len(parts) == 0 && c.TTFT != nil {
			parts = append(parts, "TTFT "+report.Duration(*c.TTFT))
		}
	case t.tries[s] != nil:
		k := t.tries[s]
		if k.Status >= 400 {
			parts, bad = append(parts, strconv.Itoa(k.Status)), true
		}
		say(k.Outcome)
	case t.tools[s] != nil:
		say(t.tools[s].Outcome)
		if t.tools[s].Run == nil && s.Has(traces.FlagBound) {
			parts = append(parts, "at most")
		}
		if wait, _ := s.Attrs().Bool(traces.KeyMayWait); wait {
			parts = append(parts, "may hold a person's time")
		}
	}
	if s.Has(traces.FlagOpen) {
		parts = append(parts, "still open")
	}
	if s.Has(traces.FlagBackground) {
		parts = append(parts, "background")
	}
	return strings.Join(parts, ", "), bad
}

// retries tells what made a call need more than one attempt.
func retries(c *traces.ModelCall) (parts []string, bad bool) {
	var waited string
	for k, a := range c.Attempts {
		if k == len(c.Attempts)-1 {
			break
		}
		why := strings.ReplaceAll(string(a.Outcome), "_", " ")
		if a.Status >= 400 {
			why = strconv.Itoa(a.Status)
		}
		parts = append(parts, why)
		if pause := c.Attempts[k+1].Span.Start - a.Span.End; pause > 0 {
			waited = fmt.Sprintf("waited %s", report.Duration(pause))
		}
	}
	if waited != "" {
		parts = append(parts, waited)
	}
	return parts, false
}
