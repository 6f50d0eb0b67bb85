package detour

import (
	"cmp"
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed46266073/longpole/tracer/proxy"
)

// The servers that codex goes to when nothing else is said, for each way to log in (codex 0.169).
const (
	codexByKey     = "https://api.openai.com/v1"
	codexByAccount = "https://chatgpt.com/backend-api/codex"
)

// codex leads the active provider of a codex command by -c overrides, which win over its files. Its first own argument is at index at.
func (d *Detour) codex(at int) {
	config := parseTOML(readText(cmp.Or(d.env.get("CODEX_HOME"), d.home(".codex")) + "/config.toml"))
	args := readCodexArgs(d.Args[at:], config)
	provider := cmp.Or(args.get("model_provider"), config.text("profiles", args.profile, "model_provider"), config.text("model_provider"), "openai")
	if args.oss {
		provider = cmp.Or(args.provider, args.get("oss_provider"), config.text("oss_provider"), "ollama")
	}
	key := "model_providers." + provider + ".base_url"
	base := parseBase(cmp.Or(args.get(key), config.text("model_providers", provider, "base_url")))
	switch {
	case provider == "openai":
		key = "openai_base_url"
		base = cmp.Or(parseBase(cmp.Or(args.get(key), config.text(key))), d.codexServer(config))
	case base == nil && (provider == "ollama" || provider == "lmstudio" || provider == "oss"):
		d.codexLocal(provider)
		return
	}
	base = cmp.Or(d.chosen(proxy.OpenAI, "/v1"), base)
	if base == nil {
		d.note("codex: no base URL is known for its model provider %q; say which with --upstream URL", provider)
		return
	}
	override := key + "=" + strconv.Quote(d.lead("codex", base))
	if i, ok := args.at[key]; ok {
		d.Args[at+i] = override // theirs is replaced, for of two the last would win
		return
	}
	d.Args = slices.Insert(d.Args, at, "-c", override)
}

// codexServer returns the server of the built-in provider, nil if that cannot be told: it depends on how the user has logged in.
func (d *Detour) codexServer(config table) *url.URL {
	var login struct {
		Mode   string          `json:"auth_mode"`
		Tokens json.RawMessage `json:"tokens"`
	}
	file := readText(cmp.Or(d.env.get("CODEX_HOME"), d.home(".codex")) + "/auth.json")
	known := json.Unmarshal([]byte(file), &login) == nil
	byAccount := login.Mode == "chatgpt" || login.Mode == "" && len(login.Tokens) > 0 && string(login.Tokens) != "null"
	switch store := config.text("cli_auth_credentials_store"); {
	case d.env.get("CODEX_API_KEY") != "":
		return parseBase(codexByKey)
	case known && byAccount:
		return parseBase(codexByAccount)
	case !known && (store == "keyring" || store == "auto"):
		if len(d.instead) == 0 {
			d.note("codex: its login is in the keyring; say where it goes: --upstream %s for a ChatGPT account, --upstream %s for a key", codexByAccount, codexByKey)
		}
		return nil
	}
	return parseBase(codexByKey)
}

// codexLocal leads codex's providers on this machine by the variable that it has for them.
func (d *Detour) codexLocal(provider string) {
	port := "11434"
	if provider == "lmstudio" {
		port = "1234"
	}
	if d.env.get("CODEX_OSS_BASE_URL") == "" {
		base := parseBase("http://localhost:" + cmp.Or(d.env.get("CODEX_OSS_PORT"), port) + "/v1")
		d.env.set("CODEX_OSS_BASE_URL", d.lead(provider, cmp.Or(d.chosen(proxy.OpenAI, "/v1"), base)))
	}
}

// codexArgs are what the arguments of codex say about its provider.
type codexArgs struct {
	profile  string
	oss      bool
	provider string         // of --local-provider
	at       map[string]int // places of the values of -c KEY=VALUE, by key: of the last one
	values   map[string]string
}

func (a codexArgs) get(key string) string { return a.values[key] }

func readCodexArgs(args []string, config table) codexArgs {
	a := codexArgs{profile: config.text("profile"), at: map[string]int{}, values: map[string]string{}}
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, value, joined := strings.Cut(args[i], "=")
		switch name {
		case "--oss":
			a.oss = true
		case "-c", "--config", "-p", "--profile", "--local-provider":
			if !joined {
				if i++; i == len(args) {
					return a
				}
				value = args[i]
			}
			switch name {
			case "-p", "--profile":
				a.profile = value
			case "--local-provider":
				a.provider = value
			default:
				if joined {
					continue // rare, and cannot be replaced in place
				}
				key, text, _ := strings.Cut(value, "=")
				a.at[strings.TrimSpace(key)] = i
				a.values[strings.TrimSpace(key)] = cmp.Or(parseTOML("v = "+text).text("v"), text)
			}
		}
	}
	return a
}

// readText returns the text of a file of settings, "" if there is none.
func readText(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}
