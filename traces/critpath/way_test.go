package critpath_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/tracetest"
)

func TestTheLongestWayIsThePath(t *testing.T) {
	for seed := range uint64(500) {
		runs, _ := traces.Build(tracetest.Random(seed))
		for _, run := range runs {
			r := critpath.Find(run).Replay(critpath.Edges{})
			lengths := r.Lengths()
			for i := range lengths {
				if lengths[i] > 0 && (uint64(i)+seed)%3 == 0 {
					lengths[i] /= 2
				}
			}
			wall, parts := r.Way(lengths)
			if want := r.Play(lengths).Wall; wall != want {
				t.Fatalf("seed %d: the way takes %v, the run %v", seed, wall, want)
			}
			for _, i := range parts { // a part on the way is waited for: longer by a little, the run is longer by it
				lengths[i] += time.Microsecond
				if longer, _ := r.Way(lengths); longer != wall+time.Microsecond {
					t.Fatalf("seed %d: with part %d longer by 1 µs the run takes %v instead of %v", seed, i, longer, wall)
				}
				lengths[i] -= time.Microsecond
			}
		}
	}
}

func TestTheLongestWayOfAnOrderlyRunIsBookedAsItsPath(t *testing.T) {
	runs, _ := traces.Build(tracetest.Loop(10))
	p := critpath.Find(runs[0])
	want, got := map[traces.Component]time.Duration{}, map[traces.Component]time.Duration{}
	for _, s := range p.Segments {
		want[s.Component] += s.Duration()
	}
	r := p.Replay(critpath.Edges{})
	lengths := r.Lengths()
	_, parts := r.Way(lengths)
	for _, i := range parts {
		if lengths[i] != 0 {
			got[r.Parts[i].Component] += lengths[i]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("time by component (-path +way):\n%s", diff)
	}
}
