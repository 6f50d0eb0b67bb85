package agentsim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/seed46266073/longpole/tools"
)

func TestToolCallsArePutTogetherWhateverTheProvider(t *testing.T) {
	for _, c := range []struct {
		name   string
		deltas []string // of the first choice
		want   []string // id, name and arguments of each call
	}{
		{
			name: "pieces follow the index",
			deltas: []string{
				`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":""}}]}`,
				`{"tool_calls":[{"index":0,"function":{"arguments":"{\"p\":"}}]}`,
				`{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}`,
				`{"tool_calls":[{"index":1,"id":"b","function":{"name":"cat","arguments":"{}"}}]}`,
			},
			want: []string{`a ls {"p":1}`, `b cat {}`},
		}, {
			name: "pieces of two calls may alternate",
			deltas: []string{
				`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}},{"index":1,"id":"b","function":{"name":"cat","arguments":"{"}}]}`,
				`{"tool_calls":[{"index":1,"function":{"arguments":"}"}},{"index":0,"function":{"arguments":"}"}}]}`,
			},
			want: []string{`a ls {}`, `b cat {}`},
		}, {
			name: "an index may begin above 0",
			deltas: []string{
				`{"tool_calls":[{"index":3,"id":"a","function":{"name":"ls","arguments":"{}"}}]}`,
			},
			want: []string{`a ls {}`},
		}, {
			name: "an empty id or name is the same as none",
			deltas: []string{
				`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":"{"}}]}`,
				`{"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"","arguments":"}"}}]}`,
			},
			want: []string{`a ls {}`},
		}, {
			name: "without an index a new id begins a call",
			deltas: []string{
				`{"tool_calls":[{"id":"a","function":{"name":"ls","arguments":"{}"}}]}`,
				`{"tool_calls":[{"id":"b","function":{"name":"ls","arguments":"{"}}]}`,
				`{"tool_calls":[{"function":{"arguments":"}"}}]}`,
				`{"tool_calls":[{"id":"b","function":{"arguments":" "}}]}`,
			},
			want: []string{`a ls {}`, `b ls {} `},
		}, {
			name: "without an index and an id a new name does",
			deltas: []string{
				`{"tool_calls":[{"function":{"name":"ls","arguments":"{}"}}]}`,
				`{"tool_calls":[{"function":{"name":"cat","arguments":"{}"}}]}`,
			},
			want: []string{` ls {}`, ` cat {}`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &reply{}
			for _, delta := range c.deltas {
				var chunk openai.ChatCompletionChunk
				if err := json.Unmarshal([]byte(`{"choices":[{"index":0,"delta":`+delta+`},{"index":1,"delta":{"content":"no"}}]}`), &chunk); err != nil {
					t.Fatal(err)
				}
				r.add(chunk)
			}
			var got []string
			for _, c := range r.calls {
				got = append(got, fmt.Sprintf("%s %s %s", c.id, c.name, c.args.String()))
			}
			if diff := cmp.Diff(c.want, got); diff != "" || r.text.Len() != 0 {
				t.Errorf("calls (-want +got):\n%s; text %q", diff, r.text.String())
			}
		})
	}
}

func TestAReplyGoesBackAsItCame(t *testing.T) {
	r := &reply{}
	r.text.WriteString("I look.")
	c := &call{id: "a", name: "ls"}
	c.args.WriteString(`{"p":1}`)
	r.calls = []*call{c}
	got, err := json.Marshal(r.message())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"content":"I look.","tool_calls":[{"id":"a","function":{"arguments":"{\"p\":1}","name":"ls"},"type":"function"}],"role":"assistant"}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTheRequestIsTheOneThatTheSDKWouldSend(t *testing.T) {
	var sent []string
	client := openai.NewClient(option.WithAPIKey("key"), option.WithBaseURL("http://model.test/v1"), option.WithMiddleware(
		func(req *http.Request, _ option.MiddlewareNext) (*http.Response, error) {
			body, err := io.ReadAll(req.Body)
			if err != nil {
				t.Error(err)
			}
			var fields map[string]any
			if err := json.Unmarshal(body, &fields); err != nil {
				t.Error(err)
			}
			sent = append(sent, fmt.Sprintln(req.Method, req.URL, req.Header, req.ContentLength == int64(len(body)), fields))
			return nil, errors.New("that is all")
		}))
	seven := 0.7
	a := &Agent{Client: client, Model: "m", Effort: "low", Seed: 7, Temperature: &seven, Tools: []tools.Tool{
		{Name: "ls", Description: "a <list>", Schema: json.RawMessage(`{"type":"object"}`)}}}
	l := a.start(Task{Prompt: "Look."}, 1)
	body, err := l.request()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.attempt(t.Context(), body, 1); err == nil {
		t.Error("no error")
	}
	l.params.SetExtraFields(nil)
	client.Chat.Completions.NewStreaming(t.Context(), l.params, option.WithMaxRetries(0), option.WithHeader("X-Stainless-Retry-Count", "0"))
	if len(sent) != 2 || sent[0] != sent[1] || !strings.Contains(sent[0], "stream:true") {
		t.Errorf("ours and the SDK's:\n%s", strings.Join(sent, ""))
	}
}
