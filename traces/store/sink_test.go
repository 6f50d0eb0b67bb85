package store_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/store"
)

func TestASinkFilesRecordsByTheirRun(t *testing.T) {
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sink := s.Sink()
	root := func(trace, run string, end int64) traces.Record {
		return traces.Record{TraceID: trace, SpanID: "r", Name: "root", Start: 1, End: end, Attrs: traces.Attrs{{Key: traces.KeyRunID, Value: run}}}
	}
	child := func(trace, id string) traces.Record {
		return traces.Record{TraceID: trace, SpanID: id, ParentID: "r", Name: id, Start: 2, End: 3}
	}
	for _, write := range [][]traces.Record{
		{root("t1", "run-a", 0)},
		{root("t2", "run-b", 0), child("t1", "c1"), child("t2", "c2")}, // two runs at once
		{child("t3", "c3")},      // of a trace whose root was not seen
		{root("t1", "run-a", 9)}, // the end of a run
		{child("t1", "late")},    // what comes after it
		{root("t2", "run-b", 9)}, //
		{root("t4", "run-a", 0)}, // a second trace of a run
	} {
		if err := sink.Write(write...); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	for run, want := range map[string]string{"run-a": "[root c1 root late root]", "run-b": "[root c2 root]", "t3": "[c3]"} {
		records, problems, err := s.Load(run)
		if err != nil || len(problems) > 0 {
			t.Fatalf("load %s: %v, %v", run, err, problems)
		}
		var names []string
		for _, r := range records {
			names = append(names, r.Name)
		}
		if got := fmt.Sprint(names); got != want {
			t.Errorf("run %s holds %s, want %s", run, got, want)
		}
	}
	if err := sink.Write(root("t9", "x", 1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a write after Close gives %v, want os.ErrClosed", err)
	}
}

func TestASinkCountsWhatTheDiskRefuses(t *testing.T) {
	dir := t.TempDir() + "/store"
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file where the directory should be made
		t.Fatal(err)
	}
	sink := s.Sink()
	for range 3 {
		if err := sink.Write(traces.Record{TraceID: "t", SpanID: "s", Start: 1, End: 2}); err != nil {
			t.Fatal(err)
		}
	}
	if got := sink.Lost(); got != 3 {
		t.Errorf("%d records are counted as lost, want 3", got)
	}
	if err := sink.Close(); err == nil {
		t.Error("Close does not say why records were lost")
	}
}

func TestTheBeginningOfSeveralIdsFindsThemAll(t *testing.T) {
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"bench-2", "bench-1", "bench-10", "other"} {
		w, err := s.Create(id)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(traces.Record{TraceID: "t", SpanID: "s", Start: 1, End: 2})
		w.Close()
	}
	for prefix, want := range map[string]string{"bench-": "[bench-1 bench-10 bench-2]", "bench-1": "[bench-1]", "o": "[other]", "": "[]", "x": "[]"} {
		found, err := s.FindAll(prefix)
		ids := []string{}
		for _, e := range found {
			ids = append(ids, e.ID)
		}
		if got := fmt.Sprint(ids); got != want {
			t.Errorf("%q finds %s, want %s", prefix, got, want)
		}
		if (err != nil) != (len(found) == 0) || err != nil && !errors.Is(err, store.ErrNoRun) {
			t.Errorf("%q gives error %v", prefix, err)
		}
	}
}
