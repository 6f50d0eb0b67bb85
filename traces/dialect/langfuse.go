package dialect

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// langfuse is Langfuse's SDKs (Python 4.14). What other dialects write as attributes, it writes as JSON in one.
var langfuse = family{
	name: "Langfuse",
	is:   func(rec *traces.Record) bool { return hasPrefix(rec, "langfuse.") },
	span: func(_ *batch, s *span) {
		langfuseUsage(s)
		if s.Attrs.String("langfuse.observation.level") == "ERROR" && !s.has(traces.KeyErrorType) {
			s.set(traces.KeyErrorType, "_OTHER")
		}
		if s.has(traces.KeyTTFT) {
			return
		}
		// The SDKs write the string as JSON, with its quotes.
		at := strings.Trim(s.Attrs.String("langfuse.observation.completion_start_time"), `"`)
		if t, err := time.Parse(time.RFC3339Nano, at); err == nil && t.UnixNano() >= s.Start {
			s.set(traces.KeyTTFT, float64(t.UnixNano()-s.Start)/1e9)
		}
	},
}

// langfuseUsage adds up the usage, whose parts exclude each other: input is without what was cached, output without reasoning.
func langfuseUsage(s *span) {
	var parts map[string]float64
	if json.Unmarshal([]byte(s.Attrs.String("langfuse.observation.usage_details")), &parts) != nil {
		return
	}
	sums := map[string]int64{}
	for name, n := range parts {
		add := func(key string) { sums[key] += int64(n) }
		cached := strings.Contains(name, "cache")
		switch {
		case name == "total":
		case strings.HasPrefix(name, "input") || cached:
			add(traces.KeyInputTokens)
			if cached && !strings.Contains(name, "creation") && !strings.Contains(name, "write") {
				add(traces.KeyCachedTokens)
			}
		case strings.HasPrefix(name, "output"):
			add(traces.KeyOutputTokens)
			if strings.Contains(name, "reasoning") {
				add(traces.KeyReasoningTokens)
			}
		}
	}
	for _, key := range []string{traces.KeyInputTokens, traces.KeyCachedTokens, traces.KeyOutputTokens, traces.KeyReasoningTokens} {
		if n, ok := sums[key]; ok && !s.has(key) {
			s.set(key, n)
		}
	}
}
