package store

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/seed46266073/longpole/traces"
)

// A Sink files records by their run: a program that records many runs gives it to its tracer, and each run gets a file
// of its own, as Create would make it. It is safe for concurrent use.
//
// A trace belongs to the run that its root names (longpole.run.id), whose record comes first; a trace that names none is a
// run by its trace id. A run's file is closed when its root has ended, and opened again for what comes late.
type Sink struct {
	store *Store

	mu     sync.Mutex
	runs   map[string]string  // trace id → run id
	open   map[string]*Writer // by run id
	lost   int                // of writers that were closed
	faults []error            // why, of the first few
	closed bool
}

// Sink returns a sink that files records by their run. Close it when nothing is recorded any more.
func (s *Store) Sink() *Sink {
	return &Sink{store: s, runs: map[string]string{}, open: map[string]*Writer{}}
}

// Write appends each record to the file of its run. What the disk refuses is counted by Lost and explained by Close; the
// error is non-nil only after Close.
func (k *Sink) Write(records ...traces.Record) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return fmt.Errorf("write to the store: %w", os.ErrClosed)
	}
	for from := 0; from < len(records); { // neighbours of one run as one line
		run := k.runOf(&records[from])
		to := from + 1
		for to < len(records) && k.runOf(&records[to]) == run {
			to++
		}
		w, err := k.writer(run)
		if err != nil {
			return err
		}
		_ = w.Write(records[from:to]...) // it is open
		for _, r := range records[from:to] {
			if r.ParentID == "" && r.End != 0 {
				k.finish(run, r.TraceID)
			}
		}
		from = to
	}
	return nil
}

// runOf returns the run that a record belongs to, and remembers what a root says of its trace.
func (k *Sink) runOf(r *traces.Record) string {
	if id := r.Attrs.String(traces.KeyRunID); r.ParentID == "" && id != "" {
		k.runs[r.TraceID] = id
		return id
	}
	if id := k.runs[r.TraceID]; id != "" {
		return id
	}
	return r.TraceID
}

func (k *Sink) writer(run string) (*Writer, error) {
	if w := k.open[run]; w != nil {
		return w, nil
	}
	w, err := k.store.Create(run)
	if err == nil {
		k.open[run] = w
	}
	return w, err
}

// finish closes the file of a run whose root has ended.
func (k *Sink) finish(run, trace string) {
	if w := k.open[run]; w != nil {
		k.drop(w)
		delete(k.open, run)
	}
	if len(k.runs) > maxEnded { // late records of the oldest runs are then runs of their own
		clear(k.runs)
	}
	k.runs[trace] = run
}

// maxEnded bounds what is remembered of ended runs for records that come late.
const maxEnded = 10_000

func (k *Sink) drop(w *Writer) {
	err := w.Close()
	k.lost += w.Lost()
	if err != nil && len(k.faults) < 3 {
		k.faults = append(k.faults, err)
	}
}

// Lost returns how many records could not be written so far.
func (k *Sink) Lost() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	lost := k.lost
	for _, w := range k.open {
		lost += w.Lost()
	}
	return lost
}

// Close closes every file. The error says why records were lost, if some were.
func (k *Sink) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	for _, w := range k.open {
		k.drop(w)
	}
	clear(k.open)
	return errors.Join(k.faults...)
}
