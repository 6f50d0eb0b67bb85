package agentsim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed46266073/longpole/tools"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
)

// callTools runs the tool calls of a step, at most Parallel at once and begun in their order, and returns the text for
// the model of each.
func (l *loop) callTools(ctx context.Context, calls []*call) []string {
	results := make([]string, len(calls))
	width := l.Parallel
	if width <= 0 {
		width = len(calls)
	}
	slots := make(chan struct{}, width)
	var running sync.WaitGroup
	for i, c := range calls {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		running.Go(func() {
			results[i] = l.callTool(ctx, c)
			<-slots
		})
	}
	running.Wait()
	return results
}

// callTool runs one tool under its own time limit. An error becomes text: the model is who can do something about it.
func (l *loop) callTool(ctx context.Context, c *call) string {
	ctx, span := tracer.StartTool(ctx, c.name, c.id)
	text, outcome, err := l.execute(ctx, c)
	span.End(outcome, err)
	if err != nil {
		return "error: " + err.Error()
	}
	return text
}

var errToolTime = errors.New("the tool's time limit is over")

func (l *loop) execute(ctx context.Context, c *call) (string, traces.Outcome, error) {
	i := slices.IndexFunc(l.Tools, func(t tools.Tool) bool { return t.Name == c.name })
	if i < 0 {
		var names []string
		for _, t := range l.Tools {
			names = append(names, t.Name)
		}
		return "", traces.Error, fmt.Errorf("there is no tool %q; the tools are: %s", c.name, strings.Join(names, ", "))
	}
	tool := l.Tools[i]
	if tool.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, l.real(tool.Timeout), errToolTime)
		defer stop()
	}
	text, err := tool.Call(ctx, json.RawMessage(c.args.String()))
	if err != nil && errors.Is(context.Cause(ctx), errToolTime) {
		return "", traces.Timeout, fmt.Errorf("%s took longer than %v: %w", tool.Name, tool.Timeout, err)
	}
	return text, outcomeOf(ctx, err), err
}
