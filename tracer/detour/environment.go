package detour

import (
	"cmp"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/tracer/proxy"
)

// A family is the variables that lead to one provider.
type family struct {
	api     proxy.API
	base    string   // that clients use when nothing is set
	bare    string   // path that belongs to the base URL of every server of this API
	always  []string // variables that are set in any case: those that the provider's SDKs, or wide-spread libraries, read
	ifThere []string // variables that are led only where they are set
}

// families are the providers whose clients can be led although nothing is set. The sources are the providers' SDKs (OPENAI_BASE_URL,
// ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, OLLAMA_HOST), and LiteLLM and LangChain (OPENAI_API_BASE, ANTHROPIC_API_BASE).
// OPENAI_WEBSOCKET_BASE_URL is left alone where it is not set: clients then make it from the other one.
var families = []family{
	{proxy.OpenAI, "https://api.openai.com/v1", "/v1", []string{"OPENAI_BASE_URL", "OPENAI_API_BASE"},
		[]string{"OPENAI_API_BASE_URL", "OPENAI_WEBSOCKET_BASE_URL", "OPENAI_HOST"}},
	{proxy.Anthropic, "https://api.anthropic.com", "", []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"}, []string{"ANTHROPIC_HOST"}},
	{proxy.Google, "https://generativelanguage.googleapis.com", "", []string{"GOOGLE_GEMINI_BASE_URL"},
		[]string{"GEMINI_BASE_URL", "GEMINI_API_BASE"}},
	{proxy.Ollama, "http://127.0.0.1:11434", "", []string{"OLLAMA_HOST"}, []string{"OLLAMA_BASE_URL", "OLLAMA_API_BASE"}},
}

// Other providers, most of whose servers speak OpenAI's API: a variable of one of these names with one of these endings is led where it is
// set. What clients do where it is not is not the same everywhere.
var (
	otherProviders = []string{"AZURE_OPENAI", "AZURE", "CEREBRAS", "CODEX_OSS", "DASHSCOPE", "DEEPINFRA", "DEEPSEEK", "FIREWORKS", "GOOGLE_VERTEX",
		"GROQ", "HOSTED_VLLM", "LITELLM", "LITELLM_PROXY", "LLAMACPP", "LLM", "LMSTUDIO", "LM_STUDIO", "MINIMAX", "MISTRAL", "MOONSHOT", "NVIDIA",
		"NVIDIA_NIM", "OPENROUTER", "PERPLEXITY", "QWEN", "SAMBANOVA", "TOGETHER", "TOGETHERAI", "TOGETHER_AI", "VERTEX", "VLLM", "XAI", "ZAI", "ZHIPU"}
	endings = []string{"_BASE_URL", "_API_BASE", "_API_BASE_URL", "_ENDPOINT", "_HOST"}
)

// Environment lists the variables that are set for every command.
func Environment() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.always...)
	}
	return names
}

// variables leads the environment's base URLs, and returns where requests go whose client has dropped the path of its base URL.
func (d *Detour) variables(extra []Variable) (byAPI []proxy.Upstream) {
	for _, f := range families {
		base := d.family(f)
		byAPI = append(byAPI, proxy.Upstream{API: f.api, URL: &url.URL{Scheme: base.Scheme, User: base.User, Host: base.Host}})
	}
	for _, provider := range otherProviders {
		for _, ending := range endings {
			name := provider + ending
			if base := parseBase(d.before.get(name)); base != nil {
				bare := "/v1"
				if strings.Trim(base.Path, "/") == "" {
					bare = ""
				}
				d.env.set(name, d.lead(provider, cmp.Or(d.chosen(proxy.OpenAI, bare), base)))
			}
		}
	}
	for _, v := range extra {
		base := cmp.Or(d.chosen("", "/v1"), parseBase(d.before.get(v.Name)))
		switch {
		case base == nil:
			d.env.set(v.Name, "http://"+d.address+v.Path) // the API tells where it goes
			continue
		case v.Path != "":
			base.Path, base.RawPath = v.Path, ""
		}
		d.env.set(v.Name, d.lead(v.Name, base))
	}
	return byAPI
}

// family leads the variables of a provider, and returns the base URL of its server. A variable that is not set follows one that is:
// a client that reads both must not be led elsewhere.
func (d *Detour) family(f family) *url.URL {
	set := map[string]*url.URL{}
	var first *url.URL
	for _, name := range slices.Concat(f.always, f.ifThere) {
		if u := f.parse(name, d.before.get(name)); u != nil {
			set[name] = u
			if first == nil && !strings.HasPrefix(u.Scheme, "ws") {
				first = u
			}
		}
	}
	if first == nil {
		first = parseBase(f.base)
	}
	for _, name := range slices.Concat(f.always, f.ifThere) {
		current := set[name]
		if current == nil {
			if !slices.Contains(f.always, name) {
				continue
			}
			current = first
		}
		bare := f.bare
		if strings.HasSuffix(name, "_HOST") {
			bare = ""
		}
		base := cmp.Or(d.chosen(f.api, bare), current)
		if strings.HasPrefix(current.Scheme, "ws") && strings.HasPrefix(base.Scheme, "http") {
			socket := *base
			socket.Scheme = "ws" + strings.TrimPrefix(base.Scheme, "http")
			base = &socket
		}
		d.env.set(name, d.lead(string(f.api), base))
	}
	return cmp.Or(d.chosen(f.api, f.bare), first)
}

// parse reads a variable of the family. OLLAMA_HOST may be a URL, a host or a port, and the address to listen on that a server has.
func (f family) parse(name, value string) *url.URL {
	if name != "OLLAMA_HOST" || value == "" {
		return parseBase(value)
	}
	text, port := strings.TrimSpace(value), "11434"
	switch {
	case strings.HasPrefix(text, "http://"):
		port = "80"
	case strings.HasPrefix(text, "https://"):
		port = "443"
	default:
		text = "http://" + text
	}
	u := parseBase(text)
	if u == nil {
		return nil
	}
	host := u.Hostname()
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	if u.Port() != "" {
		port = u.Port()
	}
	u.Host = net.JoinHostPort(host, port)
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u
}

// exceptFromProxies keeps requests to the address from going through the HTTP proxy that the environment names, if it names one.
func (d *Detour) exceptFromProxies() {
	if !slices.ContainsFunc([]string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}, func(name string) bool {
		return d.env.get(name) != "" || d.env.get(strings.ToLower(name)) != ""
	}) {
		return
	}
	upper, lower := d.env.get("NO_PROXY"), d.env.get("no_proxy")
	for name, value := range map[string]string{"NO_PROXY": cmp.Or(upper, lower), "no_proxy": cmp.Or(lower, upper)} {
		list := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
		for _, host := range []string{"127.0.0.1", "localhost"} {
			if !slices.Contains(list, host) && !slices.Contains(list, "*") {
				list = append(list, host)
			}
		}
		d.env.set(name, strings.Join(list, ","))
	}
}

// An environ is an environment, KEY=VALUE. Of a key that is there twice the last counts, as os/exec has it.
type environ struct{ list []string }

func newEnviron(list []string) environ { return environ{append([]string(nil), list...)} }

func (e *environ) get(name string) string {
	for _, pair := range slices.Backward(e.list) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// set replaces every value that name has.
func (e *environ) set(name, value string) {
	e.list = append(slices.DeleteFunc(e.list, func(pair string) bool { return strings.HasPrefix(pair, name+"=") }), name+"="+value)
}
