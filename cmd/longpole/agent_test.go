package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// agent is a small agent for the scripts, in no way prepared for being recorded: it asks Chat Completions at OPENAI_BASE_URL, runs the
// commands that the model asks for, and ends with the model's answer.
//
//	agent [--spans] [--hang FILE] [--status N] PROMPT
//
// --spans sends a span of each tool to where OTEL_EXPORTER_OTLP_ENDPOINT says. --hang waits after the answer for a signal, and then says which
// came; FILE gets its process id when that begins.
func agent() {
	spans := flag.Bool("spans", false, "")
	hang := flag.String("hang", "", "")
	status := flag.Int("status", 0, "")
	flag.Parse()
	c := &chat{messages: []any{map[string]any{"role": "user", "content": flag.Arg(0)}}}
	for {
		calls, err := c.ask()
		if err != nil {
			fmt.Fprintln(os.Stderr, "agent:", err)
			os.Exit(1)
		}
		if len(calls) == 0 {
			break
		}
		for _, call := range calls {
			start := time.Now()
			out, _ := exec.Command("sh", "-c", gjson.Get(call.Function.Arguments, "command").String()).CombinedOutput()
			c.messages = append(c.messages, map[string]any{"role": "tool", "tool_call_id": call.ID, "content": string(out)})
			if *spans {
				sendSpan(call, string(out), start, time.Now())
			}
		}
	}
	fmt.Println("agent: done")
	if *hang != "" {
		signals := make(chan os.Signal, 8)
		signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
		os.WriteFile(*hang, fmt.Append(nil, os.Getpid()), 0o600)
		fmt.Println("agent:", <-signals)
		select {
		case <-signals:
			fmt.Println("agent: a second time")
		case <-time.After(200 * time.Millisecond):
		}
	}
	os.Exit(*status)
}

// A chat is a conversation with the model.
type chat struct{ messages []any }

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// ask makes one streamed request, and returns the tools that the model calls.
func (c *chat) ask() ([]toolCall, error) {
	body, _ := json.Marshal(map[string]any{"model": "sim-moe-13b", "stream": true, "stream_options": map[string]any{"include_usage": true},
		"messages": c.messages, "tools": []any{map[string]any{"type": "function", "function": map[string]any{"name": "bash",
			"parameters": json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)}}}})
	req, err := http.NewRequest("POST", os.Getenv("OPENAI_BASE_URL")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return nil, fmt.Errorf("the model says %s", resp.Status)
	}
	var calls []toolCall
	var text strings.Builder
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, _ := strings.CutPrefix(lines.Text(), "data: ")
		delta := gjson.Get(data, "choices.0.delta")
		text.WriteString(delta.Get("content").String())
		for _, piece := range delta.Get("tool_calls").Array() {
			if id := piece.Get("id").String(); id != "" {
				call := toolCall{ID: id, Type: "function"}
				call.Function.Name = piece.Get("function.name").String()
				calls = append(calls, call)
			}
			calls[len(calls)-1].Function.Arguments += piece.Get("function.arguments").String()
		}
	}
	c.messages = append(c.messages, map[string]any{"role": "assistant", "content": text.String(), "tool_calls": calls})
	return calls, lines.Err()
}

// sendSpan sends a span of a tool as an instrumented agent does, with everything in it that ought not to be kept.
func sendSpan(call toolCall, result string, start, end time.Time) {
	parent := strings.Split(os.Getenv("TRACEPARENT"), "-")
	id := make([]byte, 8)
	rand.Read(id)
	body := otlp.AppendJSON(nil, traces.Record{TraceID: parent[1], ParentID: parent[2], SpanID: hex.EncodeToString(id), Name: "execute_tool " + call.Function.Name,
		Kind: traces.KindInternal, Start: start.UnixNano(), End: end.UnixNano(), Attrs: traces.Attrs{
			{Key: traces.KeyOperation, Value: "execute_tool"}, {Key: traces.KeyToolName, Value: call.Function.Name}, {Key: traces.KeyToolCallID, Value: call.ID},
			{Key: "gen_ai.tool.call.arguments", Value: call.Function.Arguments}, {Key: "gen_ai.tool.call.result", Value: result}}})
	resp, err := http.Post(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")+"/v1/traces", "application/json", bytes.NewReader(body))
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
	resp.Body.Close()
}
