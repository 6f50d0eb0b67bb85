// Package agentsim is an agent: a loop that asks a model, runs the tools it calls for, and hands back the results
// until the model answers.
//
// What goes in is a Task and an Agent's settings; what comes out is an answer with an outcome, and, through the tracer,
// a recorded run: its steps, model calls with every attempt and backoff, and tool calls. The model is any server that
// speaks OpenAI's Chat Completions with streaming. It always holds that one Do records one finished run, whatever
// happens in it: an answer, wrong or right, a time limit, a cancelled context, a server that gives up, a panic.
//
// Under a time scale (tracer.RunConfig.TimeScale) every duration here, limits and backoff included, is recorded time.
package agentsim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/seed46266073/longpole/tools"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
)

// An Agent is a model, its settings and its tools. It may do several tasks at once; its fields must not change
// meanwhile.
type Agent struct {
	Client      openai.Client  // its own retries are turned off: Retry rules
	Model       string         //
	Provider    string         // recorded with each call; "": openai
	Effort      string         // reasoning_effort as the provider spells it; "": not sent
	Temperature *float64       // nil: not sent
	Fields      map[string]any // further fields of each request, as its API names them; where we have the same, these are sent
	Seed        int64          // sent with each request, and the source of the backoff's jitter; 0: not sent
	System      string         // system message; "": DefaultSystem
	Tools       []tools.Tool   //
	Parallel    int            // tool calls of a step that run at the same time; 0: all, 1: one after the other
	MaxSteps    int            // turns of the loop; 0: 25
	Limit       time.Duration  // of the whole run, in recorded time; 0: none
	Retry       RetryPolicy    //
	Tracer      *tracer.Tracer // nil: nothing is recorded
}

// DefaultSystem is the system message of an agent that has none of its own.
const DefaultSystem = "You solve one task with the tools you have. Call several tools at once where they do not depend on " +
	"each other. When you know the answer, give it and stop calling tools."

const defaultMaxSteps = 25

// A Task is what the agent is asked to do.
type Task struct {
	Name   string // names the run
	Prompt string // the user message
	// Verify decides whether an answer is correct and says why in one line; nil: every answer is. Its time is not the run's, and
	// its context not bound by the run's limit.
	Verify func(ctx context.Context, answer string) (correct bool, says string)
}

// A Result is how a run ended.
type Result struct {
	RunID     string
	Answer    string         // "" if there was none
	Outcome   traces.Outcome // OK, FailedCheck, Timeout, Cancelled or Error
	Check     string         // what Verify said
	Replied   bool           // at least one response of the model began
	Steps     int            // turns of the loop that began
	ToolCalls int            // tool calls that began
	Wall      time.Duration  // how long it took, as recorded; 0 without a Tracer
}

var (
	errLimit = errors.New("the run's time limit is over")
	errSteps = errors.New("the run's step limit is over")
)

// Do runs a task to its end. The error is nil if there was an answer, right or wrong; otherwise it says what ended the
// run, and Outcome agrees. A run whose context ends while its answer is being checked is cancelled.
func (a *Agent) Do(ctx context.Context, task Task, cfg tracer.RunConfig) (Result, error) {
	result := Result{RunID: cfg.ID, Outcome: traces.Error} // what a panic leaves behind
	var run *tracer.Run
	if a.Tracer != nil {
		ctx, run = a.Tracer.StartRun(ctx, task.Name, cfg)
		result.RunID = run.ID()
		defer func() {
			run.SetCheck(result.Check)
			run.End(result.Outcome)
		}()
		defer run.Recover()
	}
	l := a.start(task, cfg.TimeScale)
	limited := ctx
	if a.Limit > 0 {
		var stop context.CancelFunc
		limited, stop = context.WithTimeoutCause(ctx, l.real(a.Limit), errLimit)
		defer stop()
	}
	err := l.run(limited, &result)
	run.Answered()
	result.Replied, result.Wall = l.replied, run.Wall()
	if err != nil {
		result.Outcome = outcomeOf(limited, err)
		return result, fmt.Errorf("task %s, step %d: %w", task.Name, result.Steps, err)
	}
	correct, says := true, ""
	if task.Verify != nil {
		correct, says = task.Verify(ctx, result.Answer)
	}
	switch {
	case ctx.Err() != nil:
		result.Outcome = traces.Cancelled
		return result, fmt.Errorf("task %s, checking the answer: %w", task.Name, context.Cause(ctx))
	case correct:
		result.Outcome = traces.OK
	default:
		result.Outcome = traces.FailedCheck
	}
	result.Check = says
	return result, nil
}

// outcomeOf says how something ended that ended in err under ctx.
func outcomeOf(ctx context.Context, err error) traces.Outcome {
	switch {
	case err == nil:
		return traces.OK
	case ctx.Err() == nil:
		return traces.Error
	case errors.Is(context.Cause(ctx), errLimit), errors.Is(ctx.Err(), context.DeadlineExceeded):
		return traces.Timeout
	}
	return traces.Cancelled
}

// A loop is one run of an agent.
type loop struct {
	*Agent
	scale   float64 // recorded time ÷ real time
	params  openai.ChatCompletionNewParams
	replied bool
}

func (a *Agent) start(task Task, scale float64) *loop {
	if scale <= 0 {
		scale = 1
	}
	system := a.System
	if system == "" {
		system = DefaultSystem
	}
	l := &loop{Agent: a, scale: scale, params: openai.ChatCompletionNewParams{
		Model:           a.Model,
		Messages:        []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(system), openai.UserMessage(task.Prompt)},
		ReasoningEffort: shared.ReasoningEffort(a.Effort),
		StreamOptions:   openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}}
	fields := map[string]any{"stream": true}
	maps.Copy(fields, a.Fields)
	l.params.SetExtraFields(fields)
	if a.Seed != 0 {
		l.params.Seed = openai.Int(a.Seed)
	}
	if a.Temperature != nil {
		l.params.Temperature = openai.Float(*a.Temperature)
	}
	for _, t := range a.Tools {
		var parameters shared.FunctionParameters
		_ = json.Unmarshal(t.Schema, &parameters) // a schema that is no object is reported by the tool's first call
		l.params.Tools = append(l.params.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Name, Description: openai.String(t.Description), Parameters: parameters,
		}))
	}
	return l
}

// real returns how long a recorded duration is on the real clock.
func (l *loop) real(d time.Duration) time.Duration { return time.Duration(float64(d) / l.scale) }

func (l *loop) run(ctx context.Context, result *Result) error {
	most := l.MaxSteps
	if most == 0 {
		most = defaultMaxSteps
	}
	for result.Steps < most {
		result.Steps++
		done, err := l.step(ctx, result)
		if done || err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: %d steps without an answer", errSteps, most)
}

// step is one turn: a model call and the tools it asks for. It is done when the model asked for none.
func (l *loop) step(ctx context.Context, result *Result) (done bool, err error) {
	ctx, step := tracer.StartStep(ctx, result.Steps)
	defer step.End()
	reply, err := l.ask(ctx, result.Steps)
	if err != nil {
		return false, err
	}
	if len(reply.calls) == 0 {
		result.Answer = reply.text.String()
		return true, nil
	}
	result.ToolCalls += len(reply.calls)
	results := l.callTools(ctx, reply.calls)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	l.params.Messages = append(l.params.Messages, reply.message())
	for i, c := range reply.calls {
		l.params.Messages = append(l.params.Messages, openai.ToolMessage(results[i], c.id))
	}
	return false, nil
}

// ask makes one model call, with as many attempts as the policy grants.
func (l *loop) ask(ctx context.Context, step int) (_ *reply, err error) {
	provider := l.Provider
	if provider == "" {
		provider = "openai"
	}
	body, err := l.request()
	if err != nil {
		return nil, err
	}
	ctx, call := tracer.StartModelCall(ctx, tracer.ModelRequest{Model: l.Model, Provider: provider, Effort: l.Effort, Stream: true})
	defer func() { call.End(err) }()
	var failed error // how the last attempt went
	for n := 1; ; n++ {
		reply, err := l.attempt(ctx, body, n)
		switch {
		case err == nil:
			return reply, nil
		case ctx.Err() != nil:
			return nil, over(ctx, failed)
		}
		failed = err
		wait, again := l.Retry.next(n, err, jitter(l.Seed, step, n), tracer.Now(ctx))
		if !again {
			return nil, err
		}
		if err := tracer.Sleep(ctx, wait); err != nil {
			return nil, over(ctx, failed)
		}
	}
}

// over says why a model call was given up before it had an answer: ctx is over, and failed, if not nil, is what had kept it
// so long.
func over(ctx context.Context, failed error) error {
	if failed == nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w; the last attempt had failed: %w", context.Cause(ctx), failed)
}
