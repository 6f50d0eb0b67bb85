package activity

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// patience is how long, in real time, an open attempt may go without a checkpoint: they come every second.
const patience = 5 * time.Second

// An Activity is what a run was doing when it was last seen. It is read-only.
type Activity struct {
	start time.Time
	scale float64
	state State
	from  time.Duration // since when; like all times here, since the start of the run
	sign  time.Duration // the last sign of life
	fed   bool          // an attempt is open, so that there are checkpoints

	seen               time.Duration // the open attempt's checkpoint
	byte, event, token *time.Duration
}

// Of returns what a run was doing when it was last seen. A silence longer than stall is a stall; 0: than the threshold recorded with the
// attempt, else the default one. Its cost is linear in spans and, but for a logarithm, in the chunks of an open attempt.
func Of(run *traces.Run, stall time.Duration) *Activity {
	a := &Activity{start: run.Start, scale: cmp.Or(run.TimeScale, 1)}
	a.readSigns(run)
	if n := len(run.Steps); n > 0 {
		a.state.Step = run.Steps[n-1].Index
	}
	if end, ended := endOf(run); ended {
		a.state.Kind, a.state.Outcome, a.from = Ended, run.Outcome, end
		return a
	}
	open := waitedFor(run)
	a.place(run, open.span)
	a.state.Others = open.tools
	switch {
	case open.attempt != nil:
		a.readAttempt(open.call, open.attempt, stall)
	case open.call != nil:
		a.readCall(run, open.call)
	case open.span.Role == traces.RoleTool:
		a.readTool(open.span)
	case open.span.Role == traces.RoleWait:
		a.readWait(open.span)
	default:
		a.between(run)
	}
	return a
}

// At returns the state at an instant of this machine's clock; writing says whether somebody can still be writing the recording.
func (a *Activity) At(now time.Time, writing bool) State {
	s := a.state
	at := a.Scaled(now.Sub(a.start))
	if s.Kind == Ended {
		s.For = a.real(at - a.from)
		return s
	}
	since := func(t *time.Duration) *time.Duration {
		if t == nil {
			return nil
		}
		age := max(0, a.seen-*t)
		if s.Kind == Silent || s.Kind == Stalled {
			age = max(age, at-*t)
		}
		return &age
	}
	s.For = max(0, at-a.from)
	s.Byte, s.Event, s.Token = since(a.byte), since(a.event), since(a.token)
	if quiet := a.real(at - a.sign); !writing || a.fed && quiet > patience {
		s.Was, s.Kind, s.For, s.Rate = s.Kind, Lost, quiet, nil
		s.Byte, s.Event, s.Token = nil, nil, nil
	}
	return s
}

// LastSign returns the last instant at which the run is known to have gone on, on the recording's clock.
func (a *Activity) LastSign() time.Time { return a.start.Add(a.sign) }

// Present returns an instant of this machine's clock on the recording's.
func (a *Activity) Present(now time.Time) time.Time {
	return a.start.Add(a.Scaled(now.Sub(a.start)))
}

// Scaled returns how long a time of this machine's clock is on the recording's.
func (a *Activity) Scaled(d time.Duration) time.Duration { return time.Duration(float64(d) * a.scale) }

func (a *Activity) real(d time.Duration) time.Duration {
	return max(0, time.Duration(float64(d)/a.scale))
}

// offset returns an instant of the records as time since the start of the run.
func (a *Activity) offset(unix int64) time.Duration { return time.Unix(0, unix).Sub(a.start) }

// readSigns finds the last sign of life.
func (a *Activity) readSigns(run *traces.Run) {
	for _, s := range run.Spans {
		switch at, ok := s.Attrs().Int(traces.KeyCheckpoint); {
		case s.Record == nil:
		case !s.Has(traces.FlagOpen):
			a.sign = max(a.sign, s.End)
		case ok:
			a.sign = max(a.sign, s.Start, a.offset(at))
		default:
			a.sign = max(a.sign, s.Start)
		}
		if s.Has(traces.FlagOpen) && s.Role == traces.RoleAttempt {
			a.fed = true
		}
	}
}

// endOf returns when a run ended: background work may go on after that.
func endOf(run *traces.Run) (end time.Duration, ended bool) {
	roots := []*traces.Span{run.Root}
	if run.Root.Record == nil {
		roots = run.Root.Kids
	}
	for _, s := range roots {
		if s.Has(traces.FlagOpen) {
			return 0, false
		}
		end = max(end, s.End)
	}
	return end, true
}

// place says where in the run a span is.
func (a *Activity) place(run *traces.Run, s *traces.Span) {
	var step *traces.Span
	for ; s != nil; s = s.Parent {
		switch s.Role {
		case traces.RoleStep:
			step = s
		case traces.RoleTool:
			a.state.Tool = toolName(s)
		}
	}
	for _, st := range run.Steps {
		if st.Span == step && step != nil {
			a.state.Step = st.Index
		}
	}
}

func toolName(s *traces.Span) string { return cmp.Or(s.Attrs().String(traces.KeyToolName), s.Name) }

// readCall says what goes on in a call none of whose attempts is open.
func (a *Activity) readCall(run *traces.Run, c *traces.ModelCall) {
	a.state.Model = c.Model
	last := c.Final()
	if last.Span == c.Span {
		a.state.Kind, a.from = Connecting, c.Span.Start
		return
	}
	a.state.Attempt = last.Number
	switch {
	case last.Outcome == traces.OK || last.Outcome == traces.OutcomeUnknown:
		a.between(run)
		return
	case last.Status >= 400:
		a.state.Why = strconv.Itoa(last.Status)
	default:
		a.state.Why = cmp.Or(last.Span.Attrs().String(traces.KeyErrorType), string(last.Outcome))
	}
	if !isRepeated(last) {
		a.between(run)
		return
	}
	a.state.Kind, a.from = Retrying, last.Span.End
	if wait, ok := last.Span.Attrs().Int(traces.KeyRetryAfter); ok {
		planned := time.Duration(wait)
		a.state.Planned = &planned
	}
}

// isRepeated reports whether clients make such an attempt again.
func isRepeated(a *traces.Attempt) bool {
	switch {
	case !a.Outcome.Failed():
		return false
	case a.Status >= 400 && a.Status < 500:
		return a.Status == 408 || a.Status == 409 || a.Status == 429
	}
	return true
}

func (a *Activity) readTool(s *traces.Span) {
	a.state.Kind, a.state.Tool, a.from = Tool, toolName(s), s.Start
	a.state.AtMost = s.Has(traces.FlagBound)
}

func (a *Activity) readWait(s *traces.Span) {
	a.from = s.Start
	switch why := s.Attrs().String(traces.KeyWait); why {
	case "approval":
		a.state.Kind = Approval
	case "backoff", "rate_limit":
		a.state.Kind, a.state.Why = Retrying, cmp.Or(s.Attrs().String(traces.KeyReason), "rate limit")
		if wait, ok := s.Attrs().Int(traces.KeyPlanned); ok {
			planned := time.Duration(wait)
			a.state.Planned = &planned
		}
	default:
		a.state.Kind, a.state.Why = Between, why
	}
}

// between is the agent's own time, since whatever ended last.
func (a *Activity) between(run *traces.Run) {
	a.state.Kind = Between
	if len(run.ModelCalls) == 0 {
		a.state.Kind = Starting
	}
	for _, c := range run.ModelCalls {
		if last := c.Final().Span; !last.Has(traces.FlagOpen) && !c.Side && last.End >= a.from {
			a.from = last.End
			a.state.Kind = Between
			if isFinal(c) {
				a.state.Kind = Answered
			}
		}
	}
	for _, t := range run.ToolCalls {
		if !t.Span.Has(traces.FlagOpen) && !t.Span.Has(traces.FlagBackground) {
			if t.Span.End > a.from {
				a.from, a.state.Kind = t.Span.End, Between
			}
		}
	}
}

// isFinal reports whether a call ended a turn of the conversation: the model had no more to say and asked for no tool.
func isFinal(c *traces.ModelCall) bool {
	switch strings.ToLower(c.FinishReason) {
	case "stop", "end_turn", "completed", "stop_sequence":
		return c.Outcome == traces.OK && len(c.ToolCallIDs) == 0
	}
	return false
}
