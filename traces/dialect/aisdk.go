package dialect

import (
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// aiSDK is Vercel's AI SDK: versions 4 to 6 (also version 7 in its legacy integration) with ai.* attributes, and version 7 with gen_ai.*
// attributes in the scope gen_ai. github.com/vercel/ai, packages ai and @ai-sdk/otel 1.0.
var aiSDK = family{
	name:  "Vercel AI SDK",
	is:    isAISDK,
	roles: aiSDKRole,
	tree:  aiSDKTree,
}

func isAISDK(rec *traces.Record) bool {
	return rec.Scope == "ai" || rec.Scope == "gen_ai" || aiOperation(rec) != ""
}

// aiOperation returns the operation's id: operation.name may have the name of the caller's function behind it.
func aiOperation(rec *traces.Record) string {
	op := rec.Attrs.String("ai.operationId")
	if op == "" {
		op, _, _ = strings.Cut(rec.Attrs.String("operation.name"), " ")
	}
	if !strings.HasPrefix(op, "ai.") {
		return ""
	}
	return op
}

func aiSDKRole(rec *traces.Record) traces.Role {
	op := aiOperation(rec)
	switch {
	case op == "":
		return ""
	case strings.HasSuffix(op, ".doGenerate"), strings.HasSuffix(op, ".doStream"):
		return traces.RoleModel
	case op == "ai.toolCall", strings.HasSuffix(op, ".doRerank"):
		return traces.RoleTool
	case op == "ai.generateText", op == "ai.streamText", op == "ai.generateObject", op == "ai.streamObject":
		return traces.RoleAgent // the loop; it repeats the usage of its calls as a sum
	}
	return traces.RoleInternal
}

func aiSDKTree(b *batch, s *span) {
	switch {
	case ranElsewhere(s):
		s.role = traces.RoleInternal
	case aiOperation(s.Record) != "":
		b.endBeforeTools(s) // until version 6 the end of a stream is held back until the tools are done
	case s.isModel() && s.parent != nil && s.parent.is(traces.RoleStep) && s.Start-s.parent.Start > int64(100*time.Millisecond):
		// Version 7 drops the spans of failed attempts. A step begins with its call, 1 ms before it, so a wait there is a trace of them.
		b.missing(s, "start late in their step: failed attempts, which are not recorded, may hide before them")
	}
}
