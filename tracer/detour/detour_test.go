package detour_test

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/tracer/detour"
	"github.com/seed46266073/longpole/tracer/proxy"
)

// TestEnvironment follows each variable from what is set, past the address, to where a request to it then arrives.
func TestEnvironment(t *testing.T) {
	for _, tc := range []struct {
		name      string
		env       []string
		upstreams []string
		variables []detour.Variable
		want      map[string]string // variable → "path at the proxy → URL behind it"
	}{
		{
			name: "without anything set, each provider's own server",
			want: map[string]string{
				"OPENAI_BASE_URL":           "/openai/v1 → https://api.openai.com/v1",
				"OPENAI_API_BASE":           "/openai/v1 → https://api.openai.com/v1",
				"ANTHROPIC_BASE_URL":        "/anthropic → https://api.anthropic.com",
				"GOOGLE_GEMINI_BASE_URL":    "/google → https://generativelanguage.googleapis.com",
				"OLLAMA_HOST":               "/ollama → http://127.0.0.1:11434",
				"AZURE_OPENAI_ENDPOINT":     "",
				"GROQ_BASE_URL":             "",
				"OPENAI_WEBSOCKET_BASE_URL": "",
			},
		},
		{
			name: "what is set is where it goes, its path kept",
			env:  []string{"OPENAI_BASE_URL=https://gateway.example.com/team%2F7/openai/v1?tier=x", "ANTHROPIC_BASE_URL=http://localhost:4000/anthropic/"},
			want: map[string]string{
				"OPENAI_BASE_URL":    "/openai/team%2F7/openai/v1?tier=x → https://gateway.example.com/team%2F7/openai/v1?tier=x",
				"ANTHROPIC_BASE_URL": "/anthropic/anthropic/ → http://localhost:4000/anthropic/",
			},
		},
		{
			name: "a variable that is not set follows its sister, or clients that prefer it would go elsewhere",
			env:  []string{"OPENAI_BASE_URL=http://10.0.0.1:8000/v1"},
			want: map[string]string{"OPENAI_API_BASE": "/openai/v1 → http://10.0.0.1:8000/v1"},
		},
		{
			name: "two servers of one provider are kept apart",
			env:  []string{"OPENAI_BASE_URL=http://10.0.0.1:8000/v1", "OPENAI_API_BASE=http://10.0.0.2:8000/v1"},
			want: map[string]string{
				"OPENAI_BASE_URL": "/openai/v1 → http://10.0.0.1:8000/v1",
				"OPENAI_API_BASE": "/openai-2/v1 → http://10.0.0.2:8000/v1",
			},
		},
		{
			name: "a password in a URL stays with the proxy",
			env:  []string{"OPENAI_BASE_URL=https://me:secret@gateway.example.com/v1"},
			want: map[string]string{"OPENAI_BASE_URL": "/openai/v1 → https://me:secret@gateway.example.com/v1"},
		},
		{
			name: "sockets stay sockets",
			env:  []string{"OPENAI_WEBSOCKET_BASE_URL=wss://api.openai.com/v1"},
			want: map[string]string{"OPENAI_WEBSOCKET_BASE_URL": "/openai/v1 → https://api.openai.com/v1"},
		},
		{
			name: "Ollama's host is a URL, a host, a port, or the address its server listens on",
			env:  []string{"OLLAMA_HOST=0.0.0.0:9999"},
			want: map[string]string{"OLLAMA_HOST": "/ollama → http://127.0.0.1:9999"},
		},
		{
			name: "Ollama's host without a port",
			env:  []string{"OLLAMA_HOST=gpu.example.com"},
			want: map[string]string{"OLLAMA_HOST": "/ollama → http://gpu.example.com:11434"},
		},
		{
			name: "Ollama's host with a scheme has its port",
			env:  []string{"OLLAMA_HOST=https://gpu.example.com/ollama/"},
			want: map[string]string{"OLLAMA_HOST": "/ollama/ollama → https://gpu.example.com:443/ollama"},
		},
		{
			name: "other providers are led where they are set",
			env:  []string{"AZURE_OPENAI_ENDPOINT=https://me.openai.azure.com/", "GROQ_API_BASE=https://api.groq.com/openai/v1", "DEEPSEEK_BASE_URL=not a URL"},
			want: map[string]string{
				"AZURE_OPENAI_ENDPOINT": "/azure-openai/ → https://me.openai.azure.com/",
				"GROQ_API_BASE":         "/groq/openai/v1 → https://api.groq.com/openai/v1",
				"DEEPSEEK_BASE_URL":     "not a URL",
			},
		},
		{
			name:      "one upstream for all: OpenAI's clients expect its /v1, others write it themselves",
			env:       []string{"OPENAI_BASE_URL=http://10.0.0.1:8000/v1", "XAI_API_BASE=https://api.x.ai/v1", "OPENAI_HOST=https://api.openai.com"},
			upstreams: []string{"http://127.0.0.1:8089/v1"},
			want: map[string]string{
				"OPENAI_BASE_URL":        "/openai/v1 → http://127.0.0.1:8089/v1",
				"OPENAI_HOST":            "/openai → http://127.0.0.1:8089",
				"ANTHROPIC_BASE_URL":     "/openai → http://127.0.0.1:8089",
				"GOOGLE_GEMINI_BASE_URL": "/openai → http://127.0.0.1:8089",
				"XAI_API_BASE":           "/openai/v1 → http://127.0.0.1:8089/v1",
			},
		},
		{
			name:      "one upstream for all, without a path",
			upstreams: []string{"http://127.0.0.1:8089"},
			want: map[string]string{
				"OPENAI_BASE_URL": "/openai/v1 → http://127.0.0.1:8089/v1",
				"OLLAMA_HOST":     "/openai → http://127.0.0.1:8089",
			},
		},
		{
			name:      "an upstream for one API leaves the others",
			upstreams: []string{"anthropic=http://127.0.0.1:8089"},
			want: map[string]string{
				"OPENAI_BASE_URL":    "/openai/v1 → https://api.openai.com/v1",
				"ANTHROPIC_BASE_URL": "/anthropic → http://127.0.0.1:8089",
			},
		},
		{
			name:      "a variable of the agent's own goes where it went",
			env:       []string{"MY_LLM=https://llm.example.com/api"},
			variables: []detour.Variable{{Name: "MY_LLM"}, {Name: "MY_OTHER_LLM", Path: "/v1"}},
			want: map[string]string{
				"MY_LLM":       "/my-llm/api → https://llm.example.com/api",
				"MY_OTHER_LLM": "/v1 → https://api.openai.com/v1",
			},
		},
		{
			name:      "a variable of the agent's own goes to the chosen upstream",
			env:       []string{"MY_LLM=https://llm.example.com/api"},
			upstreams: []string{"http://127.0.0.1:8089/v1"},
			variables: []detour.Variable{{Name: "MY_LLM", Path: "/v2"}, {Name: "MY_OTHER_LLM"}},
			want: map[string]string{
				"MY_LLM":       "/openai/v2 → http://127.0.0.1:8089/v2",
				"MY_OTHER_LLM": "/openai/v1 → http://127.0.0.1:8089/v1",
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := detour.Plan(detour.Config{Address: address, Args: []string{"agent"}, Env: tc.env, Upstreams: parse(t, tc.upstreams), Variables: tc.variables})
			for name, want := range tc.want {
				if got := follow(d, value(d.Env, name)); got != want {
					t.Errorf("%s: got %s, want %s", name, got, want)
				}
			}
		})
	}
}

const address = "127.0.0.1:41231"

func parse(t *testing.T, list []string) []proxy.Upstream {
	t.Helper()
	var ups []proxy.Upstream
	for _, s := range list {
		up, err := proxy.ParseUpstream(s)
		if err != nil {
			t.Fatal(err)
		}
		ups = append(ups, up)
	}
	return ups
}

func value(env []string, name string) string {
	for _, pair := range env {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			return v
		}
	}
	return ""
}

// follow says where a base URL leads: its path at the proxy, and the URL behind that.
func follow(d *detour.Detour, base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Host != address {
		return base
	}
	path, query := u.EscapedPath(), ""
	if u.RawQuery != "" {
		query = "?" + u.RawQuery
	}
	for _, up := range d.Upstreams { // those without a prefix come last
		rest, ok := strings.CutPrefix(path, up.Prefix)
		if ok && up.Prefix != "" && (rest == "" || rest[0] == '/') || up.API == proxy.OpenAI {
			return path + query + " → " + up.URL.String() + rest + query
		}
	}
	return path + " → nowhere"
}

func TestLoopbackIsExceptedFromProxies(t *testing.T) {
	for _, tc := range []struct {
		name         string
		env          []string
		upper, lower string
	}{
		{"without a proxy nothing is set", nil, "", ""},
		{"with one, in both spellings", []string{"http_proxy=http://proxy:3128"}, "127.0.0.1,localhost", "127.0.0.1,localhost"},
		{"beside what is excepted already", []string{"HTTPS_PROXY=http://proxy:3128", "NO_PROXY=.corp,localhost"},
			".corp,localhost,127.0.0.1", ".corp,localhost,127.0.0.1"},
		{"unless everything is", []string{"ALL_PROXY=socks5://proxy", "no_proxy=*"}, "*", "*"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := detour.Plan(detour.Config{Address: address, Args: []string{"agent"}, Env: tc.env})
			if got := value(d.Env, "NO_PROXY"); got != tc.upper {
				t.Errorf("NO_PROXY: got %q, want %q", got, tc.upper)
			}
			if got := value(d.Env, "no_proxy"); got != tc.lower {
				t.Errorf("no_proxy: got %q, want %q", got, tc.lower)
			}
		})
	}
}

func TestAgentsAreRecognised(t *testing.T) {
	for line, want := range map[string]string{
		"codex exec hello":                    "codex",
		"/usr/local/bin/opencode run x":       "opencode",
		"npx -y @openai/codex@0.169.0 exec x": "codex",
		"npx @mariozechner/pi-coding-agent":   "pi",
		"npm exec opencode-ai":                "opencode",
		"node --no-warnings node_modules/@mariozechner/pi-coding-agent/dist/cli.js -p x": "pi",
		"node agent.mjs":      "agent",
		"env A=1 codex":       "codex",
		"python3 my_agent.py": "my_agent",
		"./run.sh":            "run.sh",
		"npx":                 "npx",
	} {
		d := detour.Plan(detour.Config{Address: address, Args: strings.Fields(line), Env: []string{"HOME=" + t.TempDir()}})
		if d.Agent != want {
			t.Errorf("%s: got %q, want %q", line, d.Agent, want)
		}
		d.Close()
	}
}

func TestCodex(t *testing.T) {
	for _, tc := range []struct {
		name, config, auth string
		env                []string
		args               []string
		upstreams          []string
		want               []string // arguments
		behind             string   // URL behind the override
		variable           string   // CODEX_OSS_BASE_URL
		note               string
	}{
		{
			name:   "without settings its built-in provider is led",
			args:   []string{"codex", "exec", "-c", "model=x", "hi"},
			want:   []string{"codex", "-c", `openai_base_url="http://127.0.0.1:41231/openai/v1"`, "exec", "-c", "model=x", "hi"},
			behind: "https://api.openai.com/v1",
		},
		{
			name:   "with a ChatGPT account it goes to another server",
			auth:   `{"auth_mode":"chatgpt","tokens":{"access_token":"secret"}}`,
			args:   []string{"codex"},
			want:   []string{"codex", "-c", `openai_base_url="http://127.0.0.1:41231/codex/backend-api/codex"`},
			behind: "https://chatgpt.com/backend-api/codex",
		},
		{
			name:   "the provider of its settings",
			config: "model = \"m\" # a comment\nmodel_provider = 'mock'\n[model_providers.mock]\nname = \"Mock\"\nbase_url = \"http://127.0.0.1:8089/v1\"\nenv_key = \"KEY\"\n",
			args:   []string{"npx", "@openai/codex", "exec", "hi"},
			want:   []string{"npx", "@openai/codex", "-c", `model_providers.mock.base_url="http://127.0.0.1:41231/codex/v1"`, "exec", "hi"},
			behind: "http://127.0.0.1:8089/v1",
		},
		{
			name:   "that of a profile",
			config: "model_provider = \"a\"\n[profiles.fast]\nmodel_provider = \"b\"\n[model_providers]\na = { base_url = \"http://a/v1\" }\nb = { name = \"B\", base_url = \"http://b/v1\" }\n",
			args:   []string{"codex", "-p", "fast"},
			want:   []string{"codex", "-c", `model_providers.b.base_url="http://127.0.0.1:41231/codex/v1"`, "-p", "fast"},
			behind: "http://b/v1",
		},
		{
			name:   "an override of the user's is led in its place, for the last one wins",
			config: "model_provider = \"a\"\n",
			args:   []string{"codex", "exec", "-c", `model_providers.a.base_url="http://mine/v1"`},
			want:   []string{"codex", "exec", "-c", `model_providers.a.base_url="http://127.0.0.1:41231/codex/v1"`},
			behind: "http://mine/v1",
		},
		{
			name:     "local models have a variable",
			args:     []string{"codex", "--oss"},
			want:     []string{"codex", "--oss"},
			variable: "/ollama-2/v1 → http://localhost:11434/v1",
		},
		{
			name:      "the chosen upstream",
			args:      []string{"codex"},
			upstreams: []string{"http://127.0.0.1:8089"},
			want:      []string{"codex", "-c", `openai_base_url="http://127.0.0.1:41231/openai/v1"`},
			behind:    "http://127.0.0.1:8089/v1",
		},
		{
			name:   "a provider without a base URL is left, and said so",
			config: "model_provider = \"amazon-bedrock\"",
			args:   []string{"codex"},
			want:   []string{"codex"},
			note:   `codex: no base URL is known for its model provider "amazon-bedrock"; say which with --upstream URL`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			home := t.TempDir()
			write(t, home+"/.codex/config.toml", tc.config)
			write(t, home+"/.codex/auth.json", tc.auth)
			d := detour.Plan(detour.Config{Address: address, Args: tc.args, Env: append(tc.env, "HOME="+home), Upstreams: parse(t, tc.upstreams)})
			if !slices.Equal(d.Args, tc.want) {
				t.Errorf("got %q\nwant %q", d.Args, tc.want)
			}
			if got := strings.Join(d.Notes, "\n"); got != tc.note {
				t.Errorf("got note %q, want %q", got, tc.note)
			}
			if got := follow(d, value(d.Env, "CODEX_OSS_BASE_URL")); got != tc.variable {
				t.Errorf("got variable %q, want %q", got, tc.variable)
			}
			for _, arg := range d.Args {
				if _, quoted, ok := strings.Cut(arg, `base_url="`); ok {
					if got := follow(d, strings.TrimSuffix(quoted, `"`)); !strings.HasSuffix(got, " → "+tc.behind) {
						t.Errorf("got %s, want %s behind it", got, tc.behind)
					}
				}
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if text == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOpencode(t *testing.T) {
	for _, tc := range []struct {
		name            string
		global, project string
		env             []string
		want            string // OPENCODE_CONFIG_CONTENT
		behind          []string
	}{
		{
			name:   "providers of its settings, comments and all",
			global: "{ // mine\n \"model\": \"mock/m\", \"provider\": {\"mock\": {\"options\": {\"baseURL\": \"http://127.0.0.1:8089/v1\", \"apiKey\": \"sk-x\",},},},}",
			want:   `{"provider":{"mock":{"options":{"baseURL":"http://127.0.0.1:41231/mock/v1"}}}}`,
			behind: []string{"http://127.0.0.1:8089/v1"},
		},
		{
			name:    "a project's settings win over the user's",
			global:  `{"provider":{"mock":{"options":{"baseURL":"http://a/v1"}}}}`,
			project: `{"provider":{"mock":{"options":{"baseURL":"{env:MOCK}/v2"}}}}`,
			env:     []string{"MOCK=http://b"},
			want:    `{"provider":{"mock":{"options":{"baseURL":"http://127.0.0.1:41231/mock/v2"}}}}`,
			behind:  []string{"http://b/v2"},
		},
		{
			name:   "settings in the variable stay, and are led",
			env:    []string{`OPENCODE_CONFIG_CONTENT={"share":"disabled","provider":{"x":{"npm":"y","api":"http://c/v1","options":{"timeout":1}}}}`},
			want:   `{"provider":{"x":{"api":"http://c/v1","npm":"y","options":{"baseURL":"http://127.0.0.1:41231/x/v1","timeout":1}}},"share":"disabled"}`,
			behind: []string{"http://c/v1"},
		},
		{
			name:   "without base URLs there is nothing to do",
			global: `{"model":"anthropic/claude"}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			home := t.TempDir()
			write(t, home+"/.config/opencode/opencode.json", tc.global)
			write(t, home+"/project/opencode.jsonc", tc.project)
			d := detour.Plan(detour.Config{Address: address, Args: []string{"opencode"}, Env: append(tc.env, "HOME="+home), Dir: home + "/project/below"})
			if got := value(d.Env, "OPENCODE_CONFIG_CONTENT"); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			for _, want := range tc.behind {
				if !slices.ContainsFunc(d.Upstreams, func(up proxy.Upstream) bool { return strings.HasPrefix(want, up.URL.String()+"/") }) {
					t.Errorf("%s is not among the upstreams", want)
				}
			}
			if len(d.Notes) > 0 {
				t.Errorf("got notes %q", d.Notes)
			}
		})
	}
}

func TestPi(t *testing.T) {
	home := t.TempDir()
	write(t, home+"/.pi/agent/models.json", `{"providers":{"mock":{"baseUrl":"http://127.0.0.1:8089/v1","api":"openai-completions"}}}`)
	d := detour.Plan(detour.Config{Address: address, Args: []string{"pi", "-p", "hi"}, Env: []string{"HOME=" + home}})
	if len(d.Args) != 5 || d.Args[1] != "--extension" || !slices.Equal(d.Args[3:], []string{"-p", "hi"}) {
		t.Fatalf("got %q, want an extension before its arguments", d.Args)
	}
	text, err := os.ReadFile(d.Args[2])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"mock":"http://127.0.0.1:41231/mock/v1"`, `"anthropic":"http://127.0.0.1:41231/anthropic"`, "registerProvider"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the extension lacks %s:\n%s", want, text)
		}
	}
	d.Close()
	if _, err := os.Stat(d.Args[2]); err == nil {
		t.Error("the extension is still there")
	}
}

func TestClaudeKeepsItsToolSearch(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  []string
		want string
	}{
		{"at its provider's server", nil, "true"},
		{"not elsewhere", []string{"ANTHROPIC_BASE_URL=http://gateway"}, ""},
		{"unless it is set", []string{"ENABLE_TOOL_SEARCH=false"}, "false"},
	} {
		d := detour.Plan(detour.Config{Address: address, Args: []string{"claude"}, Env: tc.env})
		if got := value(d.Env, "ENABLE_TOOL_SEARCH"); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}
