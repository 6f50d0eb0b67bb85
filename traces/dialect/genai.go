package dialect

import (
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// genAI is everything that keeps to OpenTelemetry's convention for generative AI, old or new, or that no other family knows: the
// matrix and the tables of roles do for it.
var genAI = family{
	name: "OpenTelemetry GenAI",
	is:   func(*traces.Record) bool { return true },
}

// anthropicSDK is Anthropic's SDKs (1.14 for TypeScript) and, under the SDK's spans, the platform's own.
var anthropicSDK = family{
	name: "Anthropic SDK",
	is: func(rec *traces.Record) bool {
		return strings.HasPrefix(rec.Scope, "com.anthropic.sdk.") || rec.Scope == "com.anthropic.claude-platform"
	},
}

// geminiCLI is the agent Gemini CLI (0.61). One run writes several traces, which share gen_ai.conversation.id.
var geminiCLI = family{
	name: "Gemini CLI",
	is: func(rec *traces.Record) bool {
		return rec.Scope == "gemini-cli" || resource(rec, traces.KeyServiceName) == "gemini-cli"
	},
}

// adk is Google's Agent Development Kit for Python and Go.
var adk = family{
	name: "Google ADK",
	is: func(rec *traces.Record) bool {
		if rec.Scope == "gcp.vertex.agent" || rec.Attrs.String("gen_ai.system") == "gcp.vertex.agent" {
			return true
		}
		return hasPrefix(rec, "gcp.vertex.agent.")
	},
	roles: func(rec *traces.Record) traces.Role {
		switch {
		case rec.Name == "execute_tool (merged)", rec.Attrs.String(traces.KeyToolName) == "(merged tools)":
			return traces.RoleInternal // book-keeping around the tools that ran at once
		case rec.Name == "call_llm":
			return traces.RoleModel
		case rec.Name == "invocation", strings.HasPrefix(rec.Name, "agent_run"):
			return traces.RoleAgent
		}
		return ""
	},
	tree: func(b *batch, s *span) { b.endBeforeTools(s) }, // older versions run the tools inside the model's span
}

// hasPrefix reports whether some attribute's key has a prefix.
func hasPrefix(rec *traces.Record, prefix string) bool {
	for _, a := range rec.Attrs {
		if strings.HasPrefix(a.Key, prefix) {
			return true
		}
	}
	return false
}
