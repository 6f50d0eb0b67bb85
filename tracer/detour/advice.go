package detour

// Advice says, in lines, what may help if the agent went another way: where it may have its base URL from.
func (d *Detour) Advice() []string {
	var lines []string
	if text, ok := advice[d.Agent]; ok {
		lines = append(lines, text)
	}
	return append(lines,
		"if it reads its base URL from another variable: longpole record --env NAME=/v1 -- CMD",
		"if it reads it from a file: write http://127.0.0.1:8787/v1 there, and, with the URL that was there before,",
		"  longpole record --listen 127.0.0.1:8787 --upstream URL -- CMD")
}

// advice is where agents have their base URLs from that can win over the environment.
var advice = map[string]string{
	"aider":  "aider: --openai-api-base, and openai-api-base in .aider.conf.yml, win over OPENAI_API_BASE",
	"claude": `claude: "env" in ~/.claude/settings.json and in .claude/settings.json wins over ANTHROPIC_BASE_URL`,
	"crush":  `crush: the base URL is "base_url" of the provider in crush.json`,
	"gemini": "gemini: GOOGLE_GEMINI_BASE_URL is for API keys; a Google login goes elsewhere",
	"qwen":   `qwen: "baseUrl" under security.auth in ~/.qwen/settings.json wins over OPENAI_BASE_URL`,
}
