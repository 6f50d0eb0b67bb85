package simmodel_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/tracer/stream"
)

// What real agents send, long texts left out, is played as an errand: one command, two at once, an answer.
func TestRealAgentsAreSentOnAnErrand(t *testing.T) {
	requests, err := os.ReadFile("testdata/agents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	profiles := exact(*everything.Profiles[0].Exact)
	cfg := simmodel.Config{Profiles: profiles, Default: "exact", Fallback: simmodel.Errand()}
	for line := range bytes.Lines(requests) {
		var r struct {
			Agent, Path string
			Turn        int
			Side        bool // a title
			Body        json.RawMessage
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		want := [][]string{{"echo hi; ls"}, {"sleep 1; echo part-1", "sleep 1; echo part-2"}, nil}[r.Turn]
		if r.Side {
			want = nil
		}
		t.Run(r.Agent, func(t *testing.T) {
			b := &bench{}
			serve(t, cfg, func(t *testing.T, inner *bench) {
				b = inner
				x := b.send(t.Context(), t, r.Path, string(r.Body))
				if x.Status != 200 || x.Text == "" {
					t.Fatalf("status %d: %s", x.Status, x.Body)
				}
				if diff := cmp.Diff(want, commands(t, x.ToolCalls)); diff != "" {
					t.Errorf("turn %d (-want +got):\n%s", r.Turn, diff)
				}
				if n := simmodel.Tokens(x.Text); want == nil && r.Turn == 2 && n != 24 {
					t.Errorf("an answer of %d tokens", n)
				}
			})
			if tr := b.truths[0]; tr.Turn != r.Turn || tr.Script != "errand" || tr.Model != "exact" || tr.AskedModel == "" {
				t.Errorf("turn %d of script %q by %s", tr.Turn, tr.Script, tr.Model)
			}
		})
	}
}

// commands returns what calls of a shell would run. Each must have all that its tool requires.
func commands(t *testing.T, calls []stream.ToolCall) (list []string) {
	for _, c := range calls {
		var args struct{ Command, Description *string }
		if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil || args.Command == nil {
			t.Errorf("%s: %v: %s", c.Name, err, c.Arguments)
			continue
		}
		list = append(list, *args.Command)
	}
	return list
}

func TestErrandFindsTheShell(t *testing.T) {
	tool := func(name, schema string) simmodel.Tool {
		return simmodel.Tool{Name: name, Schema: json.RawMessage(schema)}
	}
	command := tool("run", `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)
	for _, test := range []struct {
		name  string
		tools []simmodel.Tool
		want  string // the call's name and arguments; "" for none
	}{
		{"a tool that takes a command", []simmodel.Tool{tool("read", `{"properties":{"path":{}}}`), command}, `run{"command":"echo hi; ls"}`},
		{"the one that is called a shell, of several", []simmodel.Tool{command, tool("bash", string(command.Schema))}, `bash{"command":"echo hi; ls"}`},
		{"what it requires besides is made up", []simmodel.Tool{tool("run_shell_command",
			`{"type":"OBJECT","properties":{"command":{"type":"STRING"},"why":{"type":["string","null"]},"background":{"type":"boolean"},`+
				`"timeout":{"type":"number"},"mode":{"enum":["once","twice"]},"files":{"type":"array"},"where":{"type":"object","properties":{"d":{"type":"integer","maximum":7}},"required":["d"]}},`+
				`"required":["command","why","background","timeout","mode","files","where"]}`)},
			`run_shell_command{"background":false,"command":"echo hi; ls","files":[],"mode":"once","timeout":10000,"where":{"d":7},"why":"as asked"}`},
		{"a command in words", []simmodel.Tool{tool("shell", `{"properties":{"command":{"type":"array","items":{"type":"string"}}}}`)},
			`shell{"command":["bash","-c","echo hi; ls"]}`},
		{"a short name for the command", []simmodel.Tool{tool("exec_command", `{"properties":{"cmd":{"type":"string"}}}`)}, `exec_command{"cmd":"echo hi; ls"}`},
		{"none takes a command", []simmodel.Tool{tool("bash", `{"properties":{"path":{}}}`), tool("broken", `7`), tool("bare", ``)}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			reply := simmodel.Errand().Play(simmodel.Turn{Tools: test.tools})
			got := ""
			for _, c := range reply.Calls {
				got += c.Name + string(c.Args.(json.RawMessage))
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestRequestsBesideTheTask(t *testing.T) {
	tools := `,"tools":[{"type":"function","function":{"name":"read","parameters":{}}}]`
	for _, test := range []struct {
		name, body string
		calls      int
		text       string
	}{
		{"the bare prompt is the task, tools or not", `"messages":[{"role":"user","content":"go"}]`, 2, "Two files, please."},
		{"so is one that is wrapped and comes with tools", `"messages":[{"role":"system","content":"x"},{"role":"user","content":"<env/>\ngo\n"}]` + tools, 2, "Two files, please."},
		{"and one of several messages of the user", `"messages":[{"role":"user","content":"environment"},{"role":"user","content":"go"}]` + tools, 2, "Two files, please."},
		{"a prompt with instructions and no tools is not", `"messages":[{"role":"system","content":"Find a title."},{"role":"user","content":"go"}]`, 0, "Simulated work in a folder"},
		{"nor is one that is quoted", `"messages":[{"role":"user","content":"Find a title for: go"}]`, 0, "Simulated work in a folder"},
		{"a schema is fitted", `"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object","properties":{"title":{"type":"string"}},` +
			`"required":["title"]}}},"messages":[{"role":"user","content":"Title: go"}]`, 0, `{"title":"as asked"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			serve(t, everything, func(t *testing.T, b *bench) {
				x := b.send(t.Context(), t, "/v1/chat/completions", `{"model":"exact",`+test.body+`}`)
				if x.Text != test.text || len(x.ToolCalls) != test.calls {
					t.Errorf("%q and %d calls, want %q and %d", x.Text, len(x.ToolCalls), test.text, test.calls)
				}
			})
		})
	}
}

func TestTheLongestPromptWins(t *testing.T) {
	cfg := everything
	for _, prompt := range []string{"list", "list the files", "the files"} {
		cfg.Scripts = append(cfg.Scripts, simmodel.Script{Name: prompt, Prompt: prompt, Play: simmodel.Linear(simmodel.Reply{Text: "x"})})
	}
	b := &bench{}
	serve(t, cfg, func(t *testing.T, inner *bench) {
		b = inner
		for _, prompt := range []string{"please list the files.", "list", "the files, please; list them"} {
			b.post(t.Context(), t, ask(prompt))
		}
	})
	for i, want := range []string{"list the files", "list", "the files"} {
		if got := b.truths[i].Script; got != want {
			t.Errorf("request %d plays %q, want %q", i, got, want)
		}
	}
}

// The ids of calls tell the turn where a client rewrites what was said.
func TestTurns(t *testing.T) {
	id := func(turn string) string { return "call_0123456789ab_" + turn }
	call := func(ids ...string) string {
		list := []string{}
		for _, id := range ids {
			list = append(list, `{"id":"`+id+`","type":"function","function":{"name":"x","arguments":"{}"}}`)
		}
		return `,{"role":"assistant","content":null,"tool_calls":[` + strings.Join(list, ",") + `]}`
	}
	result := func(id string) string { return `,{"role":"tool","tool_call_id":"` + id + `","content":"y"}` }
	text := `,{"role":"assistant","content":"hm"}`
	for _, test := range []struct {
		name, more string
		want       int
	}{
		{"the first", "", 0},
		{"after foreign calls, by their number", call("call_x") + result("call_x") + call("call_y_9") + result("call_y_9"), 2},
		{"after two calls of ours", call(id("0")) + result(id("0")) + call(id("1")) + result(id("1")), 2},
		{"after calls that were merged into one message", call(id("0"), id("1"), id("2")) + result(id("0")) + result(id("1")) + result(id("2")), 3},
		{"after a history that was cut", call(id("6")) + result(id("6")), 7},
		{"after a text of its own", call(id("0")) + result(id("0")) + text + `,{"role":"user","content":"and?"}`, 2},
		{"after a message in two pieces", text + text, 1},
		{"results alone tell", result(id("3")), 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &bench{}
			serve(t, everything, func(t *testing.T, inner *bench) {
				b = inner
				b.post(t.Context(), t, `{"model":"exact","messages":[{"role":"user","content":"go"}`+test.more+`]}`)
			})
			if got := b.truths[0].Turn; got != test.want {
				t.Errorf("turn %d, want %d", got, test.want)
			}
		})
	}
}

func TestIDs(t *testing.T) {
	ids := func(fresh bool) []string {
		cfg := everything
		cfg.FreshIDs = fresh
		var list []string
		serve(t, cfg, func(t *testing.T, b *bench) {
			for range 2 {
				x := b.send(t.Context(), t, "/v1/responses", dialects[1].ask(true))
				list = append(list, x.ID, x.ToolCalls[0].ID, x.ToolCalls[1].ID)
			}
		})
		return list
	}
	if same := ids(false); !slices.Equal(same[:3], same[3:]) {
		t.Errorf("the same request gets other ids: %q", same)
	}
	fresh := ids(true)
	slices.Sort(fresh)
	if distinct := slices.Compact(slices.Clone(fresh)); len(distinct) != len(fresh) {
		t.Errorf("ids come twice: %q", fresh)
	}
}

func TestCompressedRequests(t *testing.T) {
	packers := map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z },
	}
	serve(t, everything, func(t *testing.T, b *bench) {
		for coding, pack := range packers {
			var packed bytes.Buffer
			z := pack(&packed)
			if _, err := io.WriteString(z, dialects[2].ask(true)); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			x := b.send(t.Context(), t, "/v1/messages", packed.String(), "Content-Encoding", coding)
			if x.Text != "Two files, please." {
				t.Errorf("%s: status %d: %s", coding, x.Status, x.Body)
			}
		}
		for coding, want := range map[string]int{"gzip": 400, "zstd": 400, "br": 415} {
			if x := b.send(t.Context(), t, "/v1/messages", "{}", "Content-Encoding", coding); x.Status != want {
				t.Errorf("%s: status %d: %s", coding, x.Status, x.Body)
			}
		}
	})
}

// Agents and SDKs also ask for what no model answers.
func TestWhatElseClientsAsk(t *testing.T) {
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		has                      string
	}{
		{"the models, without a version", "GET", "/models", "", 200, `"id":"exact"`},
		{"a model of another name", "GET", "/v1/models/acme/large", "", 200, `"id":"acme/large"`},
		{"a chat without a version", "POST", "/chat/completions", ask("go"), 200, `[DONE]`},
		{"telemetry", "POST", "/v1/analytics/turn-costs", "{}", 404, `"error"`},
		{"a stream to be resumed", "GET", "/v1/responses/resp_1", "", 404, `"error"`},
		{"a socket without an upgrade", "GET", "/v1/responses", "", 426, `"error"`},
		{"a count of tokens", "POST", "/v1/messages/count_tokens", `{"model":"m","system":"Be brief.","messages":[{"role":"user","content":"go now"}]}`, 200, `{"input_tokens":13}`},
		{"a count of Google's", "POST", "/v1beta/models/m:countTokens", `{"contents":[{"parts":[{"text":"go now"}]}]}`, 200, `{"totalTokens":6}`},
		{"a count of Google's, of a request", "POST", "/v1beta/models/m:countTokens", `{"generateContentRequest":{"contents":[{"parts":[{"text":"go"}]}]}}`, 200, `{"totalTokens":5}`},
		{"another method of Google's", "POST", "/v1beta/models/m:embedContent", `{}`, 404, `"NOT_FOUND"`},
		{"Ollama's models", "GET", "/api/tags", "", 200, `"model":"exact"`},
		{"Ollama's version", "GET", "/api/version", "", 200, `"version":`},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := everything
			cfg.Default = "exact"
			serve(t, cfg, func(t *testing.T, b *bench) {
				req, err := http.NewRequestWithContext(t.Context(), test.method, "http://model.test"+test.path, strings.NewReader(test.body))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := b.client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				body, err := io.ReadAll(resp.Body)
				if err != nil || resp.StatusCode != test.status || !strings.Contains(string(body), test.has) {
					t.Errorf("status %d, want %d and %s: %s, %v", resp.StatusCode, test.status, test.has, body, err)
				}
			})
		})
	}
}
