package report

import (
	"encoding/json"
	"io"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/measure"
)

// The document of WriteJSON, field by field. Integers are nanoseconds; offsets count from the run's start unless noted;
// a nil pointer is unknown. Fields may be added, never renamed.
type (
	document struct {
		Schema   string        `json:"schema"`
		Runs     []runJSON     `json:"runs"`
		Blame    *blameJSON    `json:"blame"` // null without runs
		Problems []problemJSON `json:"problems"`
	}
	runJSON struct {
		ID           string            `json:"id"`
		Name         string            `json:"name"`
		TraceIDs     []string          `json:"trace_ids"`
		Start        *string           `json:"start"`
		Wall         time.Duration     `json:"wall_ns"`
		Late         *time.Duration    `json:"late_ns"` // from the intended start to start; null without one
		Outcome      traces.Outcome    `json:"outcome"`
		Check        *string           `json:"check"`
		Open         bool              `json:"open"`
		TimeScale    float64           `json:"time_scale"`
		Group        map[string]string `json:"group"`
		Counts       countsJSON        `json:"counts"`
		Usage        usageJSON         `json:"usage"`
		Cost         *costJSON         `json:"cost"` // null without prices
		Components   []componentJSON   `json:"components"`
		Tools        []toolJSON        `json:"tools"`
		CriticalPath []segmentJSON     `json:"critical_path"`
		Steps        []stepJSON        `json:"steps"`
		ModelCalls   []callJSON        `json:"model_calls"`
		ToolCalls    []toolCallJSON    `json:"tool_calls"`
		Problems     []problemJSON     `json:"problems"`
	}
	countsJSON struct {
		Steps      int  `json:"steps"`
		ModelCalls *int `json:"model_calls"` // null: there were some, as tokens were used, but nothing says how many
		Attempts   *int `json:"attempts"`
		ToolCalls  int  `json:"tool_calls"`
	}
	usageJSON struct {
		Input     *int64             `json:"input_tokens"`
		Cached    *int64             `json:"cached_input_tokens"`
		Output    *int64             `json:"output_tokens"`
		Reasoning *int64             `json:"reasoning_tokens"`
		Source    traces.UsageSource `json:"source"`
		Uncounted *int               `json:"uncounted_calls,omitempty"` // of a run: calls without usage
	}
	componentJSON struct {
		Component traces.Component `json:"component"`
		Time      time.Duration    `json:"ns"`
		Share     float64          `json:"share"`
		Quality   traces.Quality   `json:"quality"`
	}
	toolJSON struct {
		Name     string         `json:"name"`
		Calls    int            `json:"calls"`
		Run      *time.Duration `json:"run_ns"`
		Measured int            `json:"measured_calls"`
		Critical time.Duration  `json:"critical_ns"`
	}
	segmentJSON struct {
		SpanID    string           `json:"span_id"`
		Name      string           `json:"name"`
		Component traces.Component `json:"component"`
		Start     time.Duration    `json:"start_ns"`
		End       time.Duration    `json:"end_ns"`
	}
	stepJSON struct {
		Index      int             `json:"index"`
		Start      time.Duration   `json:"start_ns"`
		End        time.Duration   `json:"end_ns"`
		Components []componentJSON `json:"components"`
	}
	toolCallJSON struct {
		SpanID   string         `json:"span_id"`
		Name     string         `json:"name"`
		CallID   *string        `json:"call_id"`
		Start    time.Duration  `json:"start_ns"`
		End      time.Duration  `json:"end_ns"`
		Run      *time.Duration `json:"run_ns"`
		Approval time.Duration  `json:"approval_ns"`
		Critical time.Duration  `json:"critical_ns"`
		Slack    *time.Duration `json:"slack_ns"`
		Outcome  traces.Outcome `json:"outcome"`
	}
	problemJSON struct {
		Code    traces.ProblemCode `json:"code"`
		SpanID  *string            `json:"span_id"`
		Message string             `json:"message"`
	}
)

// WriteJSON writes the document longpole.report/v1. Problems are those that belong to no run.
func WriteJSON(w io.Writer, runs []*measure.Run, problems []traces.Problem) error {
	return Yardsticks{}.WriteJSON(w, runs, problems)
}

func encode(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(document)
}

func countsOf(r *measure.Run) countsJSON {
	counts := countsJSON{Steps: r.Counts.Steps, ToolCalls: r.Counts.ToolCalls}
	if unseen := r.Counts.ModelCalls == 0 && (r.Usage.Input != nil || r.Usage.Output != nil); !unseen {
		counts.ModelCalls, counts.Attempts = &r.Counts.ModelCalls, &r.Counts.Attempts
	}
	return counts
}

func runOf(r *measure.Run) runJSON {
	usage := usageOf(r.Usage.Usage)
	usage.Uncounted = &r.Usage.Uncounted
	return runJSON{
		ID:           r.ID,
		Name:         r.Name,
		TraceIDs:     list(r.TraceIDs, func(id string) string { return id }),
		Start:        instant(r.Start),
		Wall:         r.Wall,
		Late:         r.Late,
		Outcome:      outcome(r.Outcome),
		Check:        text(r.Check),
		Open:         r.Open,
		TimeScale:    r.TimeScale,
		Group:        r.Group,
		Counts:       countsOf(r),
		Usage:        usage,
		Components:   list(r.Components, componentOf),
		Tools:        list(r.Tools, toolOf),
		CriticalPath: list(r.Path.Segments, segmentOf),
		Steps:        list(r.Steps, stepOf),
		ModelCalls:   list(r.Calls, callOf),
		ToolCalls:    list(r.ToolCalls, toolCallOf),
		Problems:     list(r.Problems, problemOf),
	}
}

func usageOf(u traces.Usage) usageJSON {
	source := u.Source
	if source == "" {
		source = traces.UsageUnknown
	}
	return usageJSON{Input: u.Input, Cached: u.Cached, Output: u.Output, Reasoning: u.Reasoning, Source: source}
}

func componentOf(c measure.ComponentTime) componentJSON {
	return componentJSON{c.Component, c.Time, c.Share, c.Quality}
}

func toolOf(t measure.ToolTime) toolJSON {
	return toolJSON{t.Name, t.Calls, t.Run, t.Measured, t.Critical}
}

func segmentOf(s critpath.Segment) segmentJSON {
	return segmentJSON{s.Span.ID, s.Span.Name, s.Component, s.From, s.To}
}

func stepOf(s measure.StepTime) stepJSON {
	return stepJSON{s.Index, s.Start, s.End, list(s.Components, componentOf)}
}

func toolCallOf(c measure.ToolCall) toolCallJSON {
	return toolCallJSON{
		SpanID: c.Span.ID, Name: c.Name, CallID: text(c.CallID), Start: c.Span.Start, End: c.Span.End, Run: c.Run,
		Approval: c.Approval, Critical: c.Critical, Slack: c.Slack(), Outcome: outcome(c.Outcome),
	}
}

func problemOf(p traces.Problem) problemJSON {
	return problemJSON{p.Code, text(p.SpanID), p.Message}
}

// list maps xs to what is encoded as an array, never as null.
func list[A, B any](xs []A, f func(A) B) []B {
	out := make([]B, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}

// text returns nil for the empty string, which stands for unknown in the model.
func text[S ~string](s S) *S {
	if s == "" {
		return nil
	}
	return &s
}

func outcome(o traces.Outcome) traces.Outcome {
	if o == "" {
		return traces.OutcomeUnknown
	}
	return o
}

// instant writes all nine digits of a second, so that texts compare like times.
func instant(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format("2006-01-02T15:04:05.000000000Z07:00")
	return &s
}
