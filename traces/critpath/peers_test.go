package critpath_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces/critpath"
)

// peerSpans reads spans written as "id[<parent][:kind] from-to", in microseconds, one after another with commas between.
func peerSpans(t *testing.T, text string) []caseSpan {
	t.Helper()
	var list []caseSpan
	for _, one := range strings.Split(text, ", ") {
		s := caseSpan{Kind: "internal"}
		name, times, _ := strings.Cut(one, " ")
		if id, kind, ok := strings.Cut(name, ":"); ok {
			name, s.Kind = id, kind
		}
		s.ID, s.Parent, _ = strings.Cut(name, "<")
		s.Name = s.ID
		if s.Kind == "background" {
			s.Kind, s.Attrs.Background = "internal", true
		}
		if _, err := fmt.Sscanf(times, "%d-%d", &s.Start, &s.End); err != nil {
			t.Fatalf("%q: %v", one, err)
		}
		s.Start, s.End = s.Start*1000, s.End*1000
		list = append(list, s)
	}
	return list
}

// The traces by which other tools test their critical paths, rebuilt from the figures in their tests: Jaeger UI (test1 to test9 of its
// CriticalPath component) and CRISP (criticalpath_test.go, critical_path_segments_test.go). Where theirs is not ours, because says why.
func TestPathsOfOtherTools(t *testing.T) {
	for _, test := range []struct {
		name, spans, theirs, ours, because string
	}{
		{
			name:   "Jaeger 1: two children one after another",
			spans:  "C 1-101, D<C 20-40, E<C 50-60",
			theirs: "C 1-20, D 20-40, C 40-50, E 50-60, C 60-101",
		},
		{
			name:   "Jaeger 2: two overlapping children",
			spans:  "X 1-101, A<X 10-50, C<X 20-60",
			theirs: "X 1-20, C 20-60, X 60-101",
		},
		{
			name:   "Jaeger 3: a child after its parent",
			spans:  "A 100-140, B<A 200-500",
			theirs: "A 100-140",
		},
		{
			name:   "Jaeger 4: a child after its parent, with a child",
			spans:  "A 1-31, B<A 40-80, C<B 50-60",
			theirs: "A 1-31",
		},
		{
			name:   "Jaeger 5: a child that follows from its parent, which is what declares background work there",
			spans:  "A 1-31, B<A:background 10-20",
			theirs: "A 1-31",
		},
		{
			name:    "Jaeger 6: a child that outlives the root, with a child that starts before it",
			spans:   "A 1-30, B<A 15-35, C<B 10-25",
			theirs:  "A 1-15, C 15-25, B 25-30",
			ours:    "A 1-30",
			because: "what was still going on when the root ended had not been waited for; it is listed as detached",
		},
		{
			name:    "Jaeger 7: a child and a grandchild that outlive the root",
			spans:   "A 1-30, B<A 15-35, C<B 20-40",
			theirs:  "A 1-15, B 15-20, C 20-30",
			ours:    "A 1-30",
			because: "as in Jaeger 6",
		},
		{
			name:    "Jaeger 8: a child that starts before the root and outlives it",
			spans:   "A 10-30, B<A 5-35",
			theirs:  "B 10-30",
			ours:    "A 10-30",
			because: "as in Jaeger 6",
		},
		{
			name:   "Jaeger 9: a child before its parent",
			spans:  "A 10-30, B<A 1-5",
			theirs: "A 10-30",
		},
		{
			name:   "CRISP: a chain",
			spans:  "R 0-100, A<R 10-90, B<A 20-70",
			theirs: "R 0-10, A 10-20, B 20-70, A 70-90, R 90-100",
		},
		{
			name:   "CRISP: a long span that is partly on the path",
			spans:  "R 0-1000, A<R 0-1000, B<A 100-300, C<A 600-700",
			theirs: "A 0-100, B 100-300, A 300-600, C 600-700, A 700-1000",
		},
		{
			name:   "CRISP: children back to back",
			spans:  "R 0-300, A<R 0-100, B<R 100-200, C<R 200-300",
			theirs: "A 0-100, B 100-200, C 200-300",
		},
		{
			name:   "CRISP: a root alone",
			spans:  "R 5-15",
			theirs: "R 5-15",
		},
		{
			name:   "CRISP: what is inside the last to finish comes before earlier siblings",
			spans:  "R 0-1000, A<R 0-400, B<R 500-1000, B1<B 900-1000, B2<B 500-800",
			theirs: "A 0-400, R 400-500, B2 500-800, B 800-900, B1 900-1000",
		},
		{
			name:   "CRISP: a sibling that ran beside",
			spans:  "R 0-1000, A<R 0-600, B<R 500-1000",
			theirs: "R 0-500, B 500-1000",
		},
		{
			name:    "CRISP: siblings that overlap within the tolerance",
			spans:   "R 0-1000, A<R 100-505, B<R 500-800",
			theirs:  "R 0-100, A 100-505, B 500-800, R 800-1000",
			ours:    "R 0-100, A 100-500, B 500-800, R 800-1000",
			because: "every nanosecond is booked once, so that the path adds up to the run",
		},
		{
			name:    "CRISP: a third sibling starts within such an overlap",
			spans:   "R 0-1000, A<R 0-505, B<R 500-1000, C<R 502-510",
			theirs:  "R 0-500, B 500-1000",
			ours:    "A 0-500, B 500-1000",
			because: "whether A released B does not depend on what a third span did",
		},
		{
			name:    "CRISP: an overlap of just the tolerance",
			spans:   "R 0-1000, A<R 0-510, B<R 500-1000",
			theirs:  "R 0-500, B 500-1000",
			ours:    "A 0-500, B 500-1000",
			because: "the tolerance is inclusive here",
		},
		{
			name:    "CRISP: two siblings that end together",
			spans:   "R 0-1000, X<R 500-1000, Y<R 600-1000, XC<X 500-700, YC<Y 600-800",
			theirs:  "R 0-600, YC 600-800, Y 800-1000",
			ours:    "R 0-500, XC 500-700, X 700-1000",
			because: "the order in the file means nothing; the first to start wins",
		},
		{
			name:   "CRISP: a child before the root's start",
			spans:  "R 100-1000, A<R 0-300",
			theirs: "A 100-300, R 300-1000",
		},
		{
			name:   "CRISP: a child outside its parent, with a child",
			spans:  "R 0-100, A<R 200-300, B<A 250-260",
			theirs: "R 0-100",
		},
		{
			name:    "CRISP: a child that outlives its parent",
			spans:   "R 0-1000, A<R 0-500, S<A 400-700",
			theirs:  "A 0-400, S 400-500, R 500-1000",
			ours:    "A 0-400, S 400-700, R 700-1000",
			because: "the parent did not wait for it, but what is around the parent did: that time is the child's, not the root's",
		},
		{
			name: "CRISP 26: skewed servers and a span without length",
			spans: "R 0-1000, A<R:client 100-600, S<A:server 105-609, X<S 550-609, Z<R 700-700, B<R:client 750-950, " +
				"T<B:server 745-945",
			theirs: "R 0-100, A 100-105, S 105-550, X 550-600, R 600-750, T 750-945, B 945-950, R 950-1000",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			spans := peerSpans(t, test.spans)
			p := critpath.Find(build(t, records(spans)))
			checkTiling(t, p)
			var got []string
			for _, s := range stretches(p) {
				from := time.Duration(spans[0].Start)
				got = append(got, fmt.Sprintf("%s %d-%d", s.Span, (s.From+from)/1000, (s.To+from)/1000))
			}
			want := test.theirs
			if test.because != "" {
				want = test.ours
			}
			if text := strings.Join(got, ", "); text != want || test.ours == test.theirs {
				t.Errorf("got  %s\nwant %s", text, want)
			}
		})
	}
}

// The traces by which CRISP tests its drag (test_slack_drag.py, after Google's calligator), which it takes from the gaps between siblings.
func TestDragsOfOtherTools(t *testing.T) {
	for _, test := range []struct {
		name, spans, drags, own string
	}{
		{
			name:  "siblings one after another that overlap a little",
			spans: "R 0-1000, A<R 0-200, B<R 195-400, C<R 500-1000",
			drags: "R 1000, A 200, B 200, C 500",
		},
		{
			name:  "a chain",
			spans: "R 0-300, X<R 0-200, Y<X 0-100",
			drags: "R 300, X 200, Y 100",
			own:   "R 100, X 100, Y 100",
		},
		{
			name:  "two siblings that overlap a little",
			spans: "R 0-1000, A<R 0-500, B<R 495-1000",
			drags: "R 1000, A 500, B 500",
		},
		{
			name:  "a sibling with a child, the first to end",
			spans: "R 0-1000, P<R 0-300, P1<P 10-260, Q<R 295-595",
			drags: "R 1000, P 300, P1 250, Q 295",
			own:   "R 405, P 50, P1 250, Q 295",
		},
		{
			// CRISP says 15 for M's own time, by the gap to L's end; but M1, which comes between, would end 20 earlier.
			name:  "a sibling with a child, the last to end",
			spans: "R 0-1000, M<R 200-600, M1<M 210-590, L<R 55-205",
			drags: "R 1000, M 395, M1 380, L 150",
			own:   "R 455, M 20, M1 380, L 150",
		},
		{
			name:  "a sibling that is not on the path",
			spans: "R 0-500, A<R 0-400, B<R 0-50",
			drags: "R 500, A 350, B 0",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			spans := peerSpans(t, test.spans)
			run := build(t, records(spans))
			p := critpath.Find(run)
			var drags, own []string
			for _, c := range spans {
				for _, s := range run.Spans {
					if s.ID == c.ID {
						drag, _ := p.Drag(s)
						drags = append(drags, fmt.Sprintf("%s %d", s.ID, drag.Microseconds()))
						drag, _ = p.OwnDrag(s)
						own = append(own, fmt.Sprintf("%s %d", s.ID, drag.Microseconds()))
					}
				}
			}
			if got := strings.Join(drags, ", "); got != test.drags {
				t.Errorf("drags %s\nwant  %s", got, test.drags)
			}
			if got := strings.Join(own, ", "); test.own != "" && got != test.own {
				t.Errorf("own drags %s\nwant      %s", got, test.own)
			}
		})
	}
}
