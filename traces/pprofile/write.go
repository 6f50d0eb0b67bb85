package pprofile

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/google/pprof/profile"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/blame"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/stats"
)

// Options change what is written. The zero value is a sum over runs, as pprof's users expect.
type Options struct {
	PerRun bool // divide all times by the number of runs, so that profiles of different numbers of runs can be compared
}

// The sample types: time on the critical path, shown unless another is asked for, and in how many runs there was any. The
// second is left out of means.
var (
	critical = &profile.ValueType{Type: "critical", Unit: "nanoseconds"}
	runCount = &profile.ValueType{Type: "runs", Unit: "count"}
)

// Write writes the critical paths of runs as one compressed profile. Means are rounded together: they add up to the mean wall time.
// It fails where writing does, and where the sum of the runs' times does not fit.
func Write(w io.Writer, runs []*measure.Run, opt Options) error {
	b := builder{
		Profile: &profile.Profile{
			SampleType: []*profile.ValueType{critical, runCount}, DefaultSampleType: critical.Type,
			PeriodType: critical, Period: 1,
			Mapping: []*profile.Mapping{{ID: 1, File: "longpole", HasFunctions: true}}, // else pprof would look for a binary
		},
		locations: map[string]*profile.Location{},
	}
	for _, r := range runs {
		if int64(r.Wall) > math.MaxInt64-b.DurationNanos {
			return fmt.Errorf("the runs take more than the 292 years that a profile holds; leave out those whose times are wrong, such as %s (%s)",
				r.ID, report.Duration(r.Wall))
		}
		b.add(r)
	}
	if opt.PerRun {
		b.average(int64(max(1, len(runs))))
	}
	return b.Write(w)
}

type builder struct {
	*profile.Profile
	locations map[string]*profile.Location // by name
}

// add adds the samples of a run.
func (b *builder) add(run *measure.Run) {
	if start := run.Start.UnixNano(); !run.Start.IsZero() && (b.TimeNanos == 0 || start < b.TimeNanos) {
		b.TimeNanos = start
	}
	b.DurationNanos += int64(run.Wall)
	labels := labelsOf(run)
	blame.Flame([]*measure.Run{run}).Root.All(func(path []string, node *blame.Node) {
		if node.Own == 0 {
			return
		}
		sample := &profile.Sample{Value: []int64{int64(node.Own), 1}, Label: maps.Clone(labels)}
		sample.Label["component"] = []string{string(node.Component)}
		for _, name := range slices.Backward(path) { // the leaf comes first
			sample.Location = append(sample.Location, b.location(name))
		}
		b.Sample = append(b.Sample, sample)
	})
}

func (b *builder) location(name string) *profile.Location {
	if b.locations[name] == nil {
		id := uint64(len(b.locations) + 1)
		f := &profile.Function{ID: id, Name: name, SystemName: name}
		b.Function = append(b.Function, f)
		b.locations[name] = &profile.Location{ID: id, Mapping: b.Mapping[0], Line: []profile.Line{{Function: f}}}
		b.Location = append(b.Location, b.locations[name])
	}
	return b.locations[name]
}

// average divides the times of all samples by n, and leaves out what then is nothing.
func (b *builder) average(n int64) {
	mean := func(v int64) stats.Mean { return stats.Mean{Whole: v / n, Rest: v % n, N: n} }
	parts := make([]stats.Mean, len(b.Sample))
	for i, s := range b.Sample {
		parts[i] = mean(s.Value[0])
	}
	b.DurationNanos = mean(b.DurationNanos).Round()
	for i, v := range stats.Apportion(parts, b.DurationNanos) {
		b.Sample[i].Value = []int64{v}
	}
	b.Sample = slices.DeleteFunc(b.Sample, func(s *profile.Sample) bool { return s.Value[0] == 0 })
	b.SampleType = []*profile.ValueType{critical}
	b.Comments = append(b.Comments, "means over runs")
}

// labelsOf returns a run's labels; what is unknown has none.
func labelsOf(run *measure.Run) map[string][]string {
	labels := map[string][]string{}
	for key, value := range run.Group {
		label(labels, key, value)
	}
	label(labels, "run", run.ID)
	label(labels, "outcome", string(cmp.Or(run.Outcome, traces.OutcomeUnknown)))
	return labels
}

func label(labels map[string][]string, key, value string) {
	if key, value = report.Clean(key), report.Clean(value); key != "" && value != "" {
		labels[key] = []string{value}
	}
}
