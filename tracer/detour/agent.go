package detour

import (
	"path/filepath"
	"slices"
	"strings"
)

// runners start programs that their first argument without a dash names; after verbs, those of package managers do.
var (
	runners = []string{"npx", "bunx", "pnpx", "node", "bun", "deno", "env", "uvx", "python", "python3", "nice", "time", "npm", "pnpm", "yarn"}
	verbs   = []string{"x", "exec", "dlx", "run"}
)

// packages are agents whose packages are called otherwise.
var packages = map[string]string{
	"@openai/codex": "codex", "opencode-ai": "opencode", "@mariozechner/pi-coding-agent": "pi", "pi-coding-agent": "pi",
	"@anthropic-ai/claude-code": "claude", "claude-code": "claude", "@qwen-code/qwen-code": "qwen", "@google/gemini-cli": "gemini",
}

// agentOf returns the name of the agent that a command line runs, and the place of its first own argument.
func agentOf(args []string) (name string, at int) {
	if len(args) == 0 {
		return "", 0
	}
	name, at = stem(args[0]), 1
	if !slices.Contains(runners, name) {
		return name, at
	}
	for i, arg := range args[1:] {
		if strings.HasPrefix(arg, "-") || slices.Contains(verbs, arg) || name == "env" && strings.Contains(arg, "=") {
			continue
		}
		return programOf(arg), i + 2
	}
	return name, at
}

// programOf returns the agent that a package or a script is.
func programOf(arg string) string {
	if i := strings.LastIndex(arg, "@"); i > 0 && !strings.HasSuffix(arg[:i], "/") {
		arg = arg[:i] // its version
	}
	if name, ok := packages[arg]; ok {
		return name
	}
	for dir := filepath.ToSlash(filepath.Dir(arg)); strings.Contains(dir, "node_modules/"); dir = filepath.ToSlash(filepath.Dir(dir)) {
		_, module, _ := strings.Cut(dir[strings.LastIndex(dir, "node_modules/"):], "/")
		if name, ok := packages[module]; ok {
			return name
		}
	}
	return stem(arg)
}

// stem returns the name of a program without its directory and what systems hang on.
func stem(path string) string {
	base := filepath.Base(filepath.ToSlash(path))
	for _, ending := range []string{".exe", ".cmd", ".bat", ".ps1", ".js", ".mjs", ".cjs", ".py"} {
		base = strings.TrimSuffix(base, ending)
	}
	return base
}

// claude keeps what Claude Code does only with its provider's own server, which is where it still goes.
func (d *Detour) claude() {
	if len(d.instead) == 0 && d.before.get("ANTHROPIC_BASE_URL") == "" && d.before.get("ENABLE_TOOL_SEARCH") == "" {
		d.env.set("ENABLE_TOOL_SEARCH", "true")
	}
}
