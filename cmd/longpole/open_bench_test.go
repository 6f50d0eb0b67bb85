package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
	"github.com/seed46266073/longpole/traces/store"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// asKept returns an orderly run as the store has it: what may last is written when it starts and again when it ends, attempts carry
// their measurements and their chunk series.
func asKept(number, steps int) (id string, lines []traces.Record, spans int) {
	id = fmt.Sprintf("run-%04d", number)
	text := func(key, value string) traces.Attr { return traces.Attr{Key: key, Value: value} }
	resource := &traces.Resource{Attrs: traces.Attrs{text(traces.KeyServiceName, "longpole-bench"), text("telemetry.sdk.language", "go"),
		text("telemetry.sdk.name", "opentelemetry"), text("telemetry.sdk.version", "1.47.0")}}
	records := tracetest.Loop(steps)
	for i, rec := range records {
		rec.TraceID = fmt.Sprintf("%032x", number+1)
		rec.Resource, rec.Scope = resource, "github.com/seed46266073/longpole/tracer"
		switch role := rec.Role(); role {
		case traces.RoleAgent:
			rec.Attrs = rec.Attrs.With(traces.KeyRunID, id)
		case traces.RoleAttempt:
			rec.Attrs = append(rec.Attrs, text(traces.KeyHTTPMethod, "POST"), text(traces.KeyServerAddr, "127.0.0.1"), traces.Attr{Key: traces.KeyServerPort, Value: int64(37447)})
		}
		if rec.Role() != traces.RolePhase {
			begun := rec
			begun.End = 0
			lines = append(lines, begun)
		}
		if rec.Role() == traces.RoleAttempt {
			rec.Attrs = append(rec.Attrs[:len(rec.Attrs):len(rec.Attrs)], measurements(int64(i))...)
		}
		lines = append(lines, rec)
	}
	return id, lines, len(records)
}

// measurements are what an attempt of tracetest.Loop carries, with forty chunks.
func measurements(i int64) traces.Attrs {
	chunks := &traces.Chunks{}
	for k := range time.Duration(40) {
		kind := []traces.Component{traces.Reasoning, traces.Output, traces.ToolArgs}[min(k/15, 2)]
		chunks.Add(22*time.Millisecond+k*900*time.Microsecond+time.Duration(i%97), kind, 5)
	}
	attrs := traces.Attrs{
		{Key: traces.KeySentTime, Value: 2_000_000 + i%1000}, {Key: traces.KeyHeadersTime, Value: 17_000_000 + i%1000},
		{Key: traces.KeyFirstByteTime, Value: 18_000_000 + i%1000}, {Key: traces.KeyFirstEventTime, Value: 18_000_001 + i%1000},
		{Key: traces.KeyEndMarkerTime, Value: 56_000_000 + i%1000}, {Key: traces.KeyStallThreshold, Value: int64(500_000_000)},
		{Key: traces.KeyChunks, Value: chunks.Encode()}, {Key: traces.KeyChunkCount, Value: int64(40)}, {Key: traces.KeyChars, Value: int64(75)},
		{Key: traces.KeyReasoningChars, Value: int64(75)}, {Key: traces.KeyVisibility, Value: "full"}, {Key: traces.KeyOutcome, Value: "ok"},
		{Key: traces.KeyTTFT, Value: 0.020 + float64(i%1000)/1e9},
	}
	chunks.GapFacts(func(key string, ns int64) { attrs = append(attrs, traces.Attr{Key: key, Value: ns}) })
	return attrs
}

// From the file to the last figure: a run of 100,000 spans, 145,000 lines, 140 MB. On two cores of a Xeon with much other work, under
// real-time scheduling (chrt -r 20): 0.54 to 0.60 s.
func BenchmarkOpen100k(b *testing.B) {
	_, lines, spans := asKept(0, 9_091)
	var text []byte
	for _, rec := range lines {
		text = append(otlp.AppendJSON(text, rec), '\n')
	}
	path := filepath.Join(b.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	benchmarkLoading(b, spans, 1, path)
}

// The whole store, as `longpole report` opens it: 1,000 runs of 100 spans, a file each, 140 MB. Under the same conditions: 0.27 to 0.39 s.
func BenchmarkOpen1000Runs(b *testing.B) {
	b.Setenv("LONGPOLE_HOME", b.TempDir())
	s, err := openStore()
	if err != nil {
		b.Fatal(err)
	}
	const runs = 1_000
	size, spans := int64(0), 0
	for i := range runs {
		id, lines, n := asKept(i, 9)
		spans += n
		keep(b, s, id, lines)
	}
	kept, err := s.List()
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range kept {
		size += e.Size
	}
	b.SetBytes(size)
	benchmarkLoading(b, spans, runs)
}

func keep(b *testing.B, s *store.Store, id string, lines []traces.Record) {
	b.Helper()
	w, err := s.Create(id)
	if err != nil {
		b.Fatal(err)
	}
	for _, rec := range lines {
		if err := w.Write(rec); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

func benchmarkLoading(b *testing.B, spans, runs int, sources ...string) {
	b.ReportAllocs()
	for b.Loop() {
		loaded, problems, err := loadRuns(b.Context(), sources, nil, traces.Options{})
		if err != nil || len(problems) > 0 || len(loaded) != runs {
			b.Fatal(len(loaded), problems, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(spans), "ns/span")
}
