package detour

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"

	"github.com/seed46266073/longpole/tracer/proxy"
)

// piServers are the servers of providers that pi knows by itself and whose models have one base URL (pi 0.73).
var piServers = map[string]string{
	"anthropic": "https://api.anthropic.com", "cerebras": "https://api.cerebras.ai/v1", "deepseek": "https://api.deepseek.com",
	"fireworks": "https://api.fireworks.ai/inference", "google": "https://generativelanguage.googleapis.com/v1beta",
	"groq": "https://api.groq.com/openai/v1", "huggingface": "https://router.huggingface.co/v1", "kimi-coding": "https://api.kimi.com/coding",
	"minimax": "https://api.minimax.io/anthropic", "mistral": "https://api.mistral.ai", "moonshotai": "https://api.moonshot.ai/v1",
	"openai": "https://api.openai.com/v1", "openai-codex": "https://chatgpt.com/backend-api", "opencode-go": "https://opencode.ai/zen/go/v1",
	"openrouter": "https://openrouter.ai/api/v1", "vercel-ai-gateway": "https://ai-gateway.vercel.sh", "xai": "https://api.x.ai/v1",
	"zai": "https://api.z.ai/api/coding/paas/v4",
}

// pi leads the providers of pi by an extension: a file for the time of the command that gives each another base URL. Its first own argument
// is at index at.
func (d *Detour) pi(at int) {
	var models struct {
		Providers map[string]struct {
			BaseURL string `json:"baseUrl"`
			API     string `json:"api"`
		} `json:"providers"`
	}
	_ = json.Unmarshal([]byte(plainJSON(readText(cmp.Or(d.env.get("PI_CODING_AGENT_DIR"), d.home(".pi", "agent"))+"/models.json"))), &models)
	servers := map[string]*url.URL{}
	for name, base := range piServers {
		servers[name] = parseBase(base)
	}
	for name, p := range models.Providers {
		if base := parseBase(p.BaseURL); base != nil {
			servers[name] = base
		}
	}
	led := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		api, bare := proxy.OpenAI, "/v1"
		switch cmp.Or(models.Providers[name].API, name) {
		case "anthropic", "anthropic-messages":
			api, bare = proxy.Anthropic, ""
		case "google", "google-generative-ai":
			api, bare = proxy.Google, "/v1beta"
		}
		led[name] = d.lead(name, cmp.Or(d.chosen(api, bare), servers[name]))
	}
	path, err := piExtension(led)
	if err != nil {
		d.note("pi: %v; its providers are not led", err)
		return
	}
	d.temp = append(d.temp, path)
	d.Args = slices.Insert(d.Args, at, "--extension", path)
}

// piExtension writes the extension.
func piExtension(led map[string]string) (path string, err error) {
	list, _ := json.Marshal(led) // of strings
	f, err := os.CreateTemp("", "longpole-*.js")
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(f, "export default function (pi) {\n  for (const [name, baseUrl] of Object.entries(%s)) pi.registerProvider(name, { baseUrl });\n}\n", list)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return f.Name(), err
}
