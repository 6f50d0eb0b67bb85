package detour

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/tracer/proxy"
)

// opencodeInline is the variable with settings that win over all of opencode's files.
const opencodeInline = "OPENCODE_CONFIG_CONTENT"

// opencode leads the providers that opencode's settings give a base URL, by settings in a variable. Others are led by the variables of
// their SDKs.
func (d *Detour) opencode() {
	servers := map[string]string{} // by provider
	for _, path := range d.opencodeFiles() {
		if text := readText(path); text != "" {
			maps.Copy(servers, opencodeServers(text))
		}
	}
	inline := d.env.get(opencodeInline)
	maps.Copy(servers, opencodeServers(inline))
	led := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		base := parseBase(d.opencodeVariables(servers[name]))
		if base = cmp.Or(d.chosen(proxy.OpenAI, "/v1"), base); base == nil {
			d.note("opencode: the base URL of its provider %q cannot be read", name)
			continue
		}
		led[name] = map[string]any{"options": map[string]any{"baseURL": d.lead(name, base)}}
	}
	if len(led) == 0 {
		return
	}
	settings := map[string]any{}
	if inline != "" && json.Unmarshal([]byte(plainJSON(inline)), &settings) != nil {
		d.note("opencode: %s holds no JSON object, so that its providers are not led", opencodeInline)
		return
	}
	text, _ := json.Marshal(merge(settings, map[string]any{"provider": led})) // of what was JSON
	d.env.set(opencodeInline, string(text))
}

// opencodeFiles lists the files of settings, those that win last.
func (d *Detour) opencodeFiles() []string {
	global := filepath.Join(cmp.Or(d.env.get("XDG_CONFIG_HOME"), d.home(".config")), "opencode")
	names := []string{"opencode.json", "opencode.jsonc"}
	files := []string{filepath.Join(global, "config.json")}
	in := func(dir string) {
		for _, name := range names {
			files = append(files, filepath.Join(dir, name))
		}
	}
	in(global)
	if file := d.env.get("OPENCODE_CONFIG"); file != "" {
		files = append(files, file)
	}
	var above []string
	for dir := d.dir; dir != ""; dir = filepath.Dir(dir) {
		above = append(above, dir)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for _, dir := range slices.Backward(above) {
		in(dir)
		in(filepath.Join(dir, ".opencode"))
	}
	if dir := d.env.get("OPENCODE_CONFIG_DIR"); dir != "" {
		in(dir)
	}
	return files
}

// opencodeServers returns the base URLs of the providers in a file of settings.
func opencodeServers(text string) map[string]string {
	var settings struct {
		Provider map[string]struct {
			API     string `json:"api"`
			Options struct {
				BaseURL string `json:"baseURL"`
			} `json:"options"`
		} `json:"provider"`
	}
	_ = json.Unmarshal([]byte(plainJSON(text)), &settings) // opencode itself says what is wrong with its files
	servers := map[string]string{}
	for name, p := range settings.Provider {
		if base := cmp.Or(p.Options.BaseURL, p.API); base != "" {
			servers[name] = base
		}
	}
	return servers
}

var opencodeVariable = regexp.MustCompile(`\{env:([^}]+)\}`)

// opencodeVariables puts the values of variables in their places.
func (d *Detour) opencodeVariables(s string) string {
	return opencodeVariable.ReplaceAllStringFunc(s, func(m string) string {
		return d.env.get(opencodeVariable.FindStringSubmatch(m)[1])
	})
}

// merge puts what is in b into a, objects member by member.
func merge(a, b map[string]any) map[string]any {
	for key, value := range b {
		from, ok := value.(map[string]any)
		into, both := a[key].(map[string]any)
		if ok && both {
			value = merge(into, from)
		}
		a[key] = value
	}
	return a
}

// plainJSON returns JSON with comments and trailing commas as JSON without.
func plainJSON(text string) string {
	var b strings.Builder
	comma := false // one was read that may be a trailing one
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, "//"):
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				i += end
			} else {
				i = len(text)
			}
			continue
		case strings.HasPrefix(rest, "/*"):
			if end := strings.Index(rest[2:], "*/"); end >= 0 {
				i += end + 3
			} else {
				i = len(text)
			}
			continue
		case strings.ContainsRune(" \t\r\n", rune(text[i])):
			continue
		}
		if comma && text[i] != '}' && text[i] != ']' {
			b.WriteByte(',')
		}
		if comma = text[i] == ','; comma {
			continue
		}
		if text[i] != '"' {
			b.WriteByte(text[i])
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(text))
		b.WriteString(text[i:end])
		i = end - 1
	}
	return b.String()
}
