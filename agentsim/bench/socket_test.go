package bench

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/agentsim/tasks"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/store"
)

// onSockets runs tasks at low effort on real sockets and the real clock, all at once, and returns what was recorded and
// what the simulated model says.
func onSockets(tb testing.TB, list []tasks.Task, speed float64, seed int64) ([]*traces.Run, []simmodel.Truth) {
	tb.Helper()
	kept, err := store.Open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tr := tracer.New(tracer.Options{})
	defer func() {
		if err := tr.Shutdown(context.Background()); err != nil {
			tb.Error(err)
		}
	}()
	var server witness
	made, err := Plan{
		Tasks: list, Seed: seed, Speed: speed,
		Grid: Grid{Models: []string{"sim-moe-13b"}, Efforts: []string{"low"}, Loads: []Load{{Users: len(list)}}},
		Sim:  &simmodel.Config{Truth: server.see}, Tracer: tr, Store: kept,
	}.Run(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	var runs []*traces.Run
	for _, m := range made {
		runs = append(runs, load(tb, kept, m.ID))
	}
	return runs, server.list
}

func TestPhasesAgreeOnRealSockets(t *testing.T) {
	few := slices.DeleteFunc(tasks.All(), func(t tasks.Task) bool { return len(t.Commands) > 0 || t.Site != nil })
	a := Agree(onSockets(t, few[:3], 20, 1))
	t.Log(a)
	if a.Responses < 9 || a.Median > 20*time.Millisecond { // 0.1 to 4 ms were seen, the latter under the race detector at load 20
		t.Errorf("the clocks disagree: %s", a)
	}
}

// BenchmarkAgreement takes some 15 s at 1x, where it measures as `longpole bench --speed 1x` does.
func BenchmarkAgreement(b *testing.B) {
	all := slices.DeleteFunc(tasks.All(), func(t tasks.Task) bool { return t.Missing() != "" })
	for _, speed := range []float64{1, 10} {
		b.Run(fmt.Sprintf("%gx", speed), func(b *testing.B) {
			var runs []*traces.Run
			var truths []simmodel.Truth
			for seed := int64(1); b.Loop(); seed++ {
				r, t := onSockets(b, all, speed, seed)
				runs, truths = append(runs, r...), append(truths, t...)
			}
			a := Agree(runs, truths)
			b.ReportMetric(float64(a.Median.Nanoseconds())/1e3, "median_us")
			b.ReportMetric(float64(a.Worst.Nanoseconds())/1e3, "worst_us")
			b.ReportMetric(100*float64(a.Within)/float64(a.Phases), "within_%")
			b.ReportMetric(0, "ns/op") // how long the runs take says nothing
			b.Log(a)
		})
	}
}
