package main

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"fmt"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/otlp"
	"github.com/seed46266073/longpole/tui"
)

// demoRuns are runs of the built-in tasks as bench keeps them, all in one file; demo/record.sh, which takes minutes, makes them anew.
//
//go:embed demo/runs.jsonl.gz
var demoRuns []byte

// loadDemo reads the built-in recording.
func loadDemo(opt traces.Options) ([]*measure.Run, []traces.Problem, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(demoRuns))
	if err != nil {
		return nil, nil, fmt.Errorf("read the built-in recording: %w", err)
	}
	records, problems, err := otlp.Read(unpacked)
	if err != nil {
		return nil, nil, fmt.Errorf("read the built-in recording: %w", err)
	}
	records, odd := understood(records)
	runs, problems := measured([][]traces.Record{records}, append(problems, odd...), opt)
	return runs, problems, nil
}

// demoLoader is loadDemo for screens.
func demoLoader(opt traces.Options) tui.Loader {
	return func(context.Context, func(tui.Progress)) ([]*measure.Run, []traces.Problem, error) {
		return loadDemo(opt)
	}
}
