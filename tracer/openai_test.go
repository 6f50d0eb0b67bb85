package tracer_test

import (
	"context"
	"log"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/tracer/export"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/store"
)

// An agent on openai-go: one option for the client, and a line where a run, a step and a tool begin and end. The runs are
// kept where `longpole view` finds them, and go to any backend that OTEL_EXPORTER_OTLP_ENDPOINT names.
func Example_openai() {
	ctx := context.Background()
	runs, err := store.Open("") // the user's own store
	if err != nil {
		log.Fatal(err)
	}
	kept := runs.Sink()
	defer kept.Close()
	exporters, err := export.FromEnv(ctx)
	if err != nil {
		log.Fatal(err)
	}
	t := tracer.New(tracer.Options{Sink: kept, Exporters: exporters})
	defer t.Shutdown(ctx)

	client := openai.NewClient(option.WithMiddleware(t.Middleware))

	ctx, run := t.StartRun(ctx, "count the files", tracer.RunConfig{})
	defer run.Recover() // a panic ends the run too, as an error
	step, turn := tracer.StartStep(ctx, 1)

	stream := client.Chat.Completions.NewStreaming(step, openai.ChatCompletionNewParams{
		Model:    "some-model",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("How many files are here?")},
	})
	for stream.Next() {
		// act on stream.Current()
	}

	_, tool := tracer.StartTool(step, "list_files", "the call's id")
	tool.End(traces.OK, nil) // or traces.Error, traces.Timeout, with the error
	turn.End()
	run.End(traces.OK) // or traces.FailedCheck if the answer is wrong, traces.Error if there is none
}
