package critpath_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
)

// A caseFile is one run in testdata with its right answer.
type caseFile struct {
	Name     string
	Spans    []caseSpan
	Expected []stretch
	Notes    string
}

// A caseSpan is one span of a case; kind is its role.
type caseSpan struct {
	ID     string `json:"id"`
	Parent string `json:"parent"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Start  int64  `json:"start_ns"`
	End    int64  `json:"end_ns"`
	Attrs  struct {
		Background bool   `json:"background"`
		Op         string `json:"op"`
		Attempt    int64  `json:"attempt"`
		Error      string `json:"error"`
		Cancelled  bool   `json:"cancelled"`
	} `json:"attrs"`
	Links []string `json:"links"`
}

// A stretch is one span's turn on the path, whatever its components.
type stretch struct {
	Span string        `json:"span_id"`
	From time.Duration `json:"start_ns"`
	To   time.Duration `json:"end_ns"`
}

// epoch is added to the times of a case, in which 0 is an instant like any other.
const epoch = 1_767_225_600_000_000_000

var kinds = map[string]traces.Kind{
	"client": traces.KindClient, "server": traces.KindServer,
	"producer": traces.KindProducer, "consumer": traces.KindConsumer, "internal": traces.KindInternal,
}

// record writes a case's span down as our tracer would.
func (s caseSpan) record() traces.Record {
	rec := traces.Record{TraceID: "t", SpanID: s.ID, ParentID: s.Parent, Name: s.Name, Start: epoch + s.Start, End: epoch + s.End}
	if s.End == 0 && s.Start != 0 {
		rec.End = 0
	}
	add := func(key string, value any) { rec.Attrs = append(rec.Attrs, traces.Attr{Key: key, Value: value}) }
	if kind, ok := kinds[s.Kind]; ok {
		rec.Kind = kind
	} else {
		add(traces.KeyRole, s.Kind)
	}
	if s.Kind == "phase" {
		add(traces.KeyPhase, s.Name)
	}
	if s.Attrs.Background {
		add(traces.KeyBackground, true)
	}
	if s.Attrs.Cancelled {
		add(traces.KeyCancelled, true)
	}
	if s.Attrs.Op != "" {
		add(traces.KeyOp, s.Attrs.Op)
	}
	if s.Attrs.Attempt != 0 {
		add(traces.KeyAttempt, s.Attrs.Attempt)
	}
	if s.Attrs.Error != "" {
		rec.Status = traces.StatusError
		add(traces.KeyErrorType, s.Attrs.Error)
	}
	for _, id := range s.Links {
		rec.Links = append(rec.Links, traces.Link{TraceID: "t", SpanID: id, Attrs: traces.Attrs{{Key: traces.KeyDep, Value: true}}})
	}
	return rec
}

func records(spans []caseSpan) []traces.Record {
	var list []traces.Record
	for _, s := range spans {
		list = append(list, s.record())
	}
	return list
}

// build makes the one run that records hold.
func build(t testing.TB, records []traces.Record) *traces.Run {
	t.Helper()
	runs, problems := traces.Build(records)
	if len(runs) != 1 {
		t.Fatalf("%d runs (problems %v), want one", len(runs), problems)
	}
	return runs[0]
}

func readCase(t testing.TB, file string) caseFile {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c caseFile
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return c
}

// stretches merges neighbouring segments of one span.
func stretches(p *critpath.Path) []stretch {
	var list []stretch
	for _, s := range p.Segments {
		if n := len(list); n > 0 && list[n-1].Span == s.Span.ID {
			list[n-1].To = s.To
			continue
		}
		list = append(list, stretch{s.Span.ID, s.From, s.To})
	}
	return list
}

// checkTiling fails unless the path's segments tile the run.
func checkTiling(t testing.TB, p *critpath.Path) {
	t.Helper()
	var at time.Duration
	for i, s := range p.Segments {
		if s.From != at || s.To <= s.From {
			t.Fatalf("segment %d (%s) is %d-%d, want it to begin at %d and have a length", i, s.Span.ID, s.From, s.To, at)
		}
		if i > 0 && s.Span == p.Segments[i-1].Span && s.Component == p.Segments[i-1].Component {
			t.Fatalf("segments %d and %d are both %s of %s", i-1, i, s.Component, s.Span.ID)
		}
		at = s.To
	}
	if at != p.Run.Wall {
		t.Fatalf("segments end at %d, want the wall time %d", at, p.Run.Wall)
	}
}

func TestPathOfEveryCase(t *testing.T) {
	files, err := filepath.Glob("testdata/d*.json")
	if err != nil || len(files) != 37 {
		t.Fatalf("%d cases (%v), want 37", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			c := readCase(t, file)
			run := build(t, records(c.Spans))
			p := critpath.Find(run)
			checkTiling(t, p)
			var from int64 // cases count from an epoch, runs from their start
			if len(c.Expected) > 0 {
				from = run.Start.UnixNano() - epoch
			}
			var want []stretch
			for _, s := range c.Expected {
				want = append(want, stretch{s.Span, s.From - time.Duration(from), s.To - time.Duration(from)})
			}
			if diff := cmp.Diff(want, stretches(p)); diff != "" {
				t.Errorf("%s\npath (-want +got):\n%s\nproblems: %v %v", c.Notes, diff, run.Problems, p.Problems)
			}
		})
	}
}
