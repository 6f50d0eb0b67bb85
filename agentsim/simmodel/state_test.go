package simmodel_test

import (
	"fmt"
	"testing"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

// A response can be gone on with by its id: the server keeps what was said.
func TestResponsesAreContinued(t *testing.T) {
	b := &bench{}
	serve(t, everything, func(t *testing.T, inner *bench) {
		b = inner
		for _, streamed := range []bool{true, false} {
			first := b.send(t.Context(), t, "/v1/responses", fmt.Sprintf(`{"model":"exact","stream":%t,"instructions":"Be brief.",`+
				`"input":[{"role":"user","content":[{"type":"input_text","text":"go"}]}],"tools":[{"type":"function","name":"read"}]}`, streamed))
			body := fmt.Sprintf(`{"model":"exact","stream":%t,"instructions":"Be brief.","previous_response_id":%q,`+
				`"input":[{"type":"function_call_output","call_id":%q,"output":"its result"},`+
				`{"type":"function_call_output","call_id":%q,"output":[{"type":"input_text","text":"another"}]}]}`,
				streamed, first.ID, first.ToolCalls[0].ID, first.ToolCalls[1].ID)
			if second := b.send(t.Context(), t, "/v1/responses", body); second.Text != "Done." || second.PreviousID != first.ID {
				t.Errorf("streamed %t: %s", streamed, second.Body)
			}
			lone := fmt.Sprintf(`{"model":"exact","stream":%t,"store":false,"input":"go"}`, streamed)
			forgotten := b.send(t.Context(), t, "/v1/responses", lone)
			x := b.send(t.Context(), t, "/v1/responses", fmt.Sprintf(`{"model":"exact","previous_response_id":%q,"input":"more"}`, forgotten.ID))
			if x.Status != 400 || x.ErrorType != "previous_response_not_found" {
				t.Errorf("what is not to be stored: status %d: %s", x.Status, x.Body)
			}
		}
	})
	for i, want := range []struct{ turn, prompt, cached int }{{0, 22, 0}, {1, 50, 32}} {
		if tr := b.truths[i]; tr.Turn != want.turn || tr.Prompt != want.prompt || tr.Cached != want.cached {
			t.Errorf("request %d: turn %d, %d of %d tokens cached", i, tr.Turn, tr.Cached, tr.Prompt)
		}
	}
}

// So can a message in a thread, for which the server keeps the tools and the system prompt too.
func TestThreadsAreContinued(t *testing.T) {
	cfg := simmodel.Config{Profiles: everything.Profiles, Fallback: simmodel.Errand()}
	b := &bench{}
	serve(t, cfg, func(t *testing.T, inner *bench) {
		b = inner
		for _, streamed := range []bool{true, false} {
			first := b.send(t.Context(), t, "/v1/messages", fmt.Sprintf(`{"model":"exact","stream":%t,"max_tokens":99,"system":"Be brief.","thread":{"type":"create"},`+
				`"tools":[{"name":"bash","input_schema":{"properties":{"command":{"type":"string"}}}}],"messages":[{"role":"user","content":"list"}]}`, streamed))
			second := b.send(t.Context(), t, "/v1/messages", fmt.Sprintf(`{"model":"exact","stream":%t,"max_tokens":99,"thread":{"type":"continue","previous_message_id":%q},`+
				`"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"hi"}]}]}`, streamed, first.ID, first.ToolCalls[0].ID))
			if len(second.ToolCalls) != 2 {
				t.Errorf("streamed %t: %s", streamed, second.Body)
			}
		}
		x := b.send(t.Context(), t, "/v1/messages", `{"model":"exact","max_tokens":99,"thread":{"type":"continue","previous_message_id":"msg_x"},"messages":[]}`)
		if x.Status != 404 || x.ErrorType != "not_found_error" {
			t.Errorf("an unknown thread: status %d: %s", x.Status, x.Body)
		}
	})
	for i, want := range []int{0, 1, 0, 1} {
		if tr := b.truths[i]; tr.Turn != want {
			t.Errorf("request %d: turn %d", i, tr.Turn)
		}
	}
}
