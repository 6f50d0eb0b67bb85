package simmodel_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

// OpenAI's own client reads everything the server says, and retries what it should.
func TestOpenAIClient(t *testing.T) {
	cfg := everything
	cfg.Faults.List = []simmodel.Fault{{Request: 1, Kind: simmodel.RateLimit, For: 1500 * ms}}
	b := &bench{}
	serve(t, cfg, func(t *testing.T, inner *bench) {
		b = inner
		client := openai.NewClient(option.WithBaseURL("http://model.test/v1"), option.WithAPIKey("any"), option.WithHTTPClient(b.client))
		params := openai.ChatCompletionNewParams{
			Model:           "exact",
			Messages:        []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Be brief."), openai.UserMessage("go")},
			ReasoningEffort: shared.ReasoningEffortHigh,
			StreamOptions:   openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
			Seed:            openai.Int(5),
			Tools: []openai.ChatCompletionToolUnionParam{
				openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "read"}),
			},
		}
		start := time.Now()
		stream := client.Chat.Completions.NewStreaming(t.Context(), params)
		defer stream.Close()
		var acc openai.ChatCompletionAccumulator
		var reasoning string
		for stream.Next() {
			chunk := stream.Current()
			if !acc.AddChunk(chunk) {
				t.Fatalf("the chunk does not belong to the others: %s", chunk.RawJSON())
			}
			for _, choice := range chunk.Choices {
				if f, ok := choice.Delta.JSON.ExtraFields["reasoning_content"]; ok {
					var s string
					if err := json.Unmarshal([]byte(f.Raw()), &s); err != nil {
						t.Error(err)
					}
					reasoning += s
				}
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 1500*ms+915*ms {
			t.Errorf("took %v", took)
		}
		got := acc.Choices[0]
		if got.Message.Content != "Two files, please." || got.FinishReason != "tool_calls" {
			t.Errorf("content %q, finish %q", got.Message.Content, got.FinishReason)
		}
		if n := simmodel.Tokens(reasoning); n != 5 || int64(n) != acc.Usage.CompletionTokensDetails.ReasoningTokens {
			t.Errorf("reasoning %q", reasoning)
		}
		if u := acc.Usage; u.CompletionTokens != 5+22 || u.PromptTokens != 27 || u.TotalTokens != 54 {
			t.Errorf("usage %+v", u)
		}
		var calls [][2]string
		for _, c := range got.Message.ToolCalls {
			if c.ID == "" || c.Type != "function" {
				t.Errorf("call %s", c.RawJSON())
			}
			calls = append(calls, [2]string{c.Function.Name, c.Function.Arguments})
		}
		if d := cmp.Diff([][2]string{{"read", `{"path":"a<b>.txt"}`}, {"list_dir", `{"path":"."}`}}, calls); d != "" {
			t.Errorf("calls (-want +got):\n%s", d)
		}

		// The second turn, whole.
		params.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
		params.Messages = append(params.Messages, got.Message.ToParam())
		for _, c := range got.Message.ToolCalls {
			params.Messages = append(params.Messages, openai.ToolMessage("its result", c.ID))
		}
		answer, err := client.Chat.Completions.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		if c := answer.Choices[0]; c.Message.Content != "Done." || c.FinishReason != "stop" || answer.Usage.CompletionTokens != 2 {
			t.Errorf("answer %s", answer.RawJSON())
		}

		models, err := client.Models.List(t.Context())
		if err != nil || len(models.Data) != 1 || models.Data[0].ID != "exact" {
			t.Errorf("models %+v, %v", models, err)
		}
	})
	for i, want := range []struct{ attempt, turn int }{{1, 0}, {2, 0}, {1, 1}} {
		if tr := b.truths[i]; tr.Attempt != want.attempt || tr.Turn != want.turn {
			t.Errorf("request %d: attempt %d of turn %d", i+1, tr.Attempt, tr.Turn)
		}
	}
}
