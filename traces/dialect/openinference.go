package dialect

import (
	"encoding/json"
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// openInference is Arize's convention (openinference-semantic-conventions 0.1.32), known by openinference.span.kind.
var openInference = family{
	name: "OpenInference",
	is:   func(rec *traces.Record) bool { return rec.Attrs.Has("openinference.span.kind") },
	span: func(_ *batch, s *span) {
		var params struct {
			Stream    *bool  `json:"stream"`
			Effort    string `json:"reasoning_effort"`
			Reasoning struct {
				Effort string `json:"effort"`
			} `json:"reasoning"`
		}
		if json.Unmarshal([]byte(s.Attrs.String("llm.invocation_parameters")), &params) != nil {
			return
		}
		if params.Stream != nil && !s.has(traces.KeyRequestStream) {
			s.set(traces.KeyRequestStream, *params.Stream)
		}
		for _, effort := range []string{params.Reasoning.Effort, params.Effort} {
			if effort != "" && !s.has(traces.KeyEffort) {
				s.set(traces.KeyEffort, effort)
			}
		}
	},
}

// traceloop is OpenLLMetry (opentelemetry-semantic-conventions-ai 0.5), also its older form.
var traceloop = family{
	name: "OpenLLMetry",
	is: func(rec *traces.Record) bool {
		return strings.HasPrefix(rec.Scope, "opentelemetry.instrumentation.") || rec.Attrs.Has("llm.request.type") || hasPrefix(rec, "traceloop.")
	},
	span: func(_ *batch, s *span) {
		if name := s.Attrs.String("traceloop.entity.name"); name != "" && s.is(traces.RoleTool) && !s.has(traces.KeyToolName) {
			s.set(traces.KeyToolName, name)
		}
	},
}

// laminar is Laminar's SDK, which grew out of OpenLLMetry.
var laminar = family{
	name: "Laminar",
	is:   func(rec *traces.Record) bool { return hasPrefix(rec, "lmnr.") },
}

// langSmith is LangSmith's OpenTelemetry export (langsmith-sdk 0.11). The operation that it writes is wrong for some kinds of runs, so
// its own word comes first.
var langSmith = family{
	name: "LangSmith",
	is:   func(rec *traces.Record) bool { return hasPrefix(rec, "langsmith.") },
	roles: func(rec *traces.Record) traces.Role {
		for _, k := range kinds {
			if k.key == "langsmith.span.kind" {
				return k.roles[strings.ToLower(rec.Attrs.String(k.key))]
			}
		}
		return ""
	},
}
