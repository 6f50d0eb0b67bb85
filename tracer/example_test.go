package tracer_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
)

// A client stands for openai.Client. Its middleware has the type that option.WithMiddleware takes.
type client struct {
	middleware func(*http.Request, func(*http.Request) (*http.Response, error)) (*http.Response, error)
}

// complete stands for client.Chat.Completions.New; the model answers at once.
func (c client) complete(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://model/v1/chat/completions", strings.NewReader(`{"model":"m"}`))
	if err != nil {
		return err
	}
	resp, err := c.middleware(req, func(*http.Request) (*http.Response, error) {
		const answer = `{"choices":[{"index":0,"message":{"content":"Three."},"finish_reason":"stop"}]}`
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(answer))}, nil
	})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

// A printer is a sink that prints spans as they end.
type printer struct{}

func (printer) Write(recs ...traces.Record) error {
	for _, r := range recs {
		if r.End != 0 && r.Attrs.Has(traces.KeyOutcome) {
			fmt.Println(r.Name, r.Attrs.String(traces.KeyOutcome))
		}
	}
	return nil
}

// Ten lines record a run. With openai-go the client is openai.NewClient(option.WithMiddleware(t.Middleware)).
func Example() {
	t := tracer.New(tracer.Options{Sink: printer{}})
	defer t.Shutdown(context.Background()) // ends what is open, sends what is left
	client := client{middleware: t.Middleware}

	ctx, run := t.StartRun(context.Background(), "count the files", tracer.RunConfig{})
	defer run.Recover()                                                          // a panic ends the run too
	step, turn := tracer.StartStep(ctx, 1)                                       // one turn of the loop
	asking, call := tracer.StartModelCall(step, tracer.ModelRequest{Model: "m"}) // retries included
	call.End(client.complete(asking))                                            // any request made with its context
	_, tool := tracer.StartTool(step, "list_files", "call_1")                    // what the model asked for
	tool.End(traces.OK, nil)
	turn.End()
	run.End(traces.OK) // and whether it went well
	// Output:
	// attempt 1 ok
	// chat m ok
	// execute_tool list_files ok
	// invoke_agent count the files ok
}
