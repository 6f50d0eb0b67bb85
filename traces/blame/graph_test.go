package blame_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/blame"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// drawn measures runs, one column a millisecond.
func drawn(t testing.TB, texts ...string) []*measure.Run {
	t.Helper()
	var runs []*measure.Run
	for i, text := range texts {
		run := tracetest.Parse(t, text)
		run.ID = fmt.Sprint("run ", i+1)
		runs = append(runs, measure.Of(run))
	}
	return runs
}

// anyRuns are runs of random records; those with broken times may last for years.
func anyRuns(seed uint64) []*measure.Run {
	var runs []*measure.Run
	for k := range uint64(4) {
		built, _ := traces.Build(tracetest.Random(4*seed + k))
		for _, run := range built {
			run.ID = fmt.Sprint(seed, "-", len(runs))
			runs = append(runs, measure.Of(run))
		}
	}
	return runs
}

// milliseconds writes the folded stacks of a graph, a stack a line.
func milliseconds(g *blame.Graph) string {
	var b strings.Builder
	g.Root.All(func(path []string, n *blame.Node) {
		if n.Own != 0 {
			fmt.Fprintf(&b, "%s %g\n", strings.Join(path, ";"), float64(n.Own)/1e6)
		}
	})
	return b.String()
}

func TestFlame(t *testing.T) {
	for _, c := range []struct {
		name string
		runs []string
		want string
	}{
		{
			name: "steps, calls and attempts of one kind are one, phases and tools go by name",
			runs: []string{`
				run       ====================
				 step1    ==========
				  chat1   wwrroa                  model:big asks:c1
				  grep          ====              call:c1
				 step2              =========
				  chat2             ========      model:big
				   try1             ww            status:429 error
				   try2               wwrroo      status:200
			`},
			want: `
				agent 1
				agent;step 1
				agent;step;model:big;output 3
				agent;step;model:big;reasoning 4
				agent;step;model:big;retry 2
				agent;step;model:big;tool_args 1
				agent;step;model:big;wait 4
				agent;step;tool:grep 4
			`,
		},
		{
			name: "runs are added up, whatever their number of steps",
			runs: []string{`
				run     =====
				 step1  ===
				  chat1 ww       model:big
			`, `
				run     ======
				 step1  ===
				  chat1 www      model:big
				 step2     ==
				  chat2    ww    model:big
			`},
			want: "agent 3\nagent;step 1\nagent;step;model:big;wait 7",
		},
		{
			name: "own time before the first request is startup, waiting between attempts is backoff",
			runs: []string{`
				run       ==========
				 chat       ========   model:big
				  try1      =          error
				  try2         =====
			`},
			want: "agent;model:big;backoff 2\nagent;model:big;response 5\nagent;model:big;retry 1\nagent;startup 2",
		},
		{
			name: "a call that is nothing but its attempts has a frame all the same",
			runs: []string{`
				run    ======
				 try1  =         op:a model:m error
				 try2     ===    op:a model:m
			`},
			want: "agent;backoff 2\nagent;model:m;response 3\nagent;model:m;retry 1",
		},
		{
			name: "an agent below another keeps its name, the outermost may be named after its task",
			runs: []string{`
				run        ==========   gen_ai.agent.name=fix-config
				 step      ========
				  hand       ======
				   agent2    =====      gen_ai.agent.name=researcher
				    chat     ====       model:small
			`},
			want: `
				agent 2
				agent;step;startup 2
				agent;step;tool:hand 1
				agent;step;tool:hand;agent:researcher 1
				agent;step;tool:hand;agent:researcher;model:small;response 4
			`,
		},
		{
			name: "approvals are told from tools, spans without a role are named without numbers and ids",
			runs: []string{`
				run             ==========
				 bash           ==========
				  approval      ===
				  serve:server     =======
				   q:client        ===
			`},
			want: "agent;tool:bash;approval 3\nagent;tool:bash;serve 4\nagent;tool:bash;serve;q 3",
		},
		{
			name: "several roots stand side by side, and what lies between them is untraced",
			runs: []string{`
				run     ====
				agent2          =====
			`},
			want: "agent 9\nuntraced 4",
		},
		{
			name: "a name right below itself is one",
			runs: []string{`
				run               ======
				 plan:internal    ======
				  plan:internal   =====
				   plan:internal  ===
			`},
			want: "agent;plan 6",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.TrimSpace(milliseconds(blame.Flame(drawn(t, c.runs...))))
			want := strings.ReplaceAll(strings.TrimSpace(c.want), "\t", "")
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What ran beside the path is in no sum, but known.
func TestHiddenWork(t *testing.T) {
	g := blame.Flame(drawn(t, `
		run     ==========
		 chat   ww           model:big asks:a,b
		 slow     =======    call:a
		 quick    ===        call:b
	`, `
		run     ====
		 chat   ==           model:big
		 slow     ==         call:a
	`))
	type row struct {
		runs, spans        int
		total, span, hides time.Duration
	}
	want := map[string]row{
		"agent": {2, 2, 14e6, 14e6, 0}, "model:big": {2, 2, 4e6, 4e6, 0}, "wait": {1, 1, 2e6, 2e6, 0}, "response": {1, 0, 2e6, 0, 0},
		"tool:slow": {2, 2, 9e6, 9e6, 0}, "tool:quick": {0, 1, 0, 3e6, 3e6},
	}
	got := map[string]row{}
	g.Root.All(func(path []string, n *blame.Node) {
		got[n.Name] = row{n.Runs, n.Spans, n.Total, n.Span, n.Hidden}
	})
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"GET /users/42/orders":                      "GET /users/*/orders",
		"job 7f3a9c01":                              "job *",
		"span 123e4567-e89b-12d3-a456-426614174000": "span *-e89b-12d3-a456-*",
		"HTTP2 gpt4 v1":                             "HTTP2 gpt4 v1",
		"feedbeef deadbeef":                         "feedbeef deadbeef",
		"a\tb\nc  d\x1b[0m \u202e":                  "a b c d[0m",
		"caf\xe9":                                   "caf?",
		"  ":                                        "?",
	} {
		recs := tracetest.Records(t, "run         ===\n x:internal ===")
		recs[1].Name = name
		runs, _ := traces.Build(recs)
		g := blame.Flame([]*measure.Run{measure.Of(runs[0])})
		if got := g.Root.Kids[0].Kids[0].Name; got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// A very deep run has a graph that is no deeper than can be drawn, and loses nothing.
func TestDeepRuns(t *testing.T) {
	recs := make([]traces.Record, 20_000)
	for i := range recs {
		recs[i] = traces.Record{TraceID: "t", SpanID: fmt.Sprintf("%05d", i), Name: []string{"odd", "even"}[i%2], Start: 1, End: int64(1 + 10*(len(recs)-i))}
		if i > 0 {
			recs[i].ParentID = recs[i-1].SpanID
		}
		if i == len(recs)-1 {
			recs[i].Attrs = recs[i].Attrs.With(traces.KeyRole, "model")
		}
	}
	runs, _ := traces.Build(recs)
	g := blame.Flame([]*measure.Run{measure.Of(runs[0])})
	deep, sum := 0, time.Duration(0)
	byComponent := map[traces.Component]time.Duration{}
	g.Root.All(func(path []string, n *blame.Node) {
		deep = max(deep, len(path))
		sum += n.Own
		byComponent[n.Component] += n.Own
	})
	if deep > 130 || sum != runs[0].Wall || byComponent[traces.Response] == 0 {
		t.Errorf("got %d levels, %v of %v, by component %v", deep, sum, runs[0].Wall, byComponent)
	}
}

// own returns a graph's times by key and component.
func own(g *blame.Graph) map[string]time.Duration {
	times := map[string]time.Duration{}
	g.Root.All(func(path []string, n *blame.Node) {
		if n.Own != 0 {
			times[strings.Join(path, ";")+" "+string(n.Component)] += n.Own
		}
	})
	return times
}

func TestGraphsOfAnyRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(150) {
		runs := anyRuns(seed)
		whole := blame.Flame(runs)
		left := whole.Root.Total
		sums := map[string]time.Duration{}
		for _, r := range slices.SortedStableFunc(slices.Values(runs), func(a, b *measure.Run) int { return int(min(max(a.Wall-b.Wall, -1), 1)) })[:whole.Runs] {
			g := blame.Flame([]*measure.Run{r})
			if g.Root.Total != r.Wall {
				t.Errorf("seed %d: %s adds up to %v, want %v", seed, r.ID, g.Root.Total, r.Wall)
			}
			byComponent := map[traces.Component]time.Duration{}
			g.Root.All(func(_ []string, n *blame.Node) { byComponent[n.Component] += n.Own })
			for _, c := range r.Components {
				byComponent[c.Component] -= c.Time
			}
			for c, d := range byComponent {
				if d != 0 {
					t.Errorf("seed %d: %s: %s is %v off", seed, r.ID, c, d)
				}
			}
			left -= r.Wall
			for k, d := range own(g) {
				sums[k] += d
			}
		}
		if left != 0 {
			t.Errorf("seed %d: all runs together are %v off", seed, left)
		}
		if diff := cmp.Diff(sums, own(whole)); diff != "" {
			t.Errorf("seed %d: sums over graphs (-) are not the graph of all (+):\n%s", seed, diff)
		}
		if whole.Runs+whole.LeftOut != len(runs) {
			t.Errorf("seed %d: %d runs and %d left out of %d", seed, whole.Runs, whole.LeftOut, len(runs))
		}
		shuffled := slices.Clone(runs)
		rng.Shuffle(len(runs), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if a, b := folded(t, whole), folded(t, blame.Flame(shuffled)); a != b {
			t.Errorf("seed %d: the order of runs matters:\n%s\n%s", seed, a, b)
		}
		mean := whole.PerRun()
		if want, _ := measure.Means(runs); whole.LeftOut == 0 && mean.Root.Total != want {
			t.Errorf("seed %d: means add up to %d, want %d", seed, mean.Root.Total, want)
		}
		checkTree(t, whole)
		checkTree(t, mean)
		other := blame.Flame(anyRuns(seed + 1000))
		ab, ba := blame.Difference(whole, other), blame.Difference(other, whole)
		checkTree(t, ab)
		if want := other.PerRun().Root.Total - mean.Root.Total; ab.Root.Total != want {
			t.Errorf("seed %d: a difference adds up to %v, want %v", seed, ab.Root.Total, want)
		}
		there, back := own(ab), own(ba)
		for k := range back {
			back[k] = -back[k]
		}
		if diff := cmp.Diff(there, back); diff != "" {
			t.Errorf("seed %d: the difference is not antisymmetric:\n%s", seed, diff)
		}
		if same := own(blame.Difference(whole, whole)); len(same) > 0 {
			t.Errorf("seed %d: a graph differs from itself by %v", seed, same)
		}
		if t.Failed() {
			return
		}
	}
}

// checkTree checks what holds for any graph: totals are sums, kids are sorted and unique.
func checkTree(t *testing.T, g *blame.Graph) {
	t.Helper()
	g.Root.All(func(path []string, n *blame.Node) {
		sum := n.Own
		for i, kid := range n.Kids {
			sum += kid.Total
			if i > 0 && kid.Name == n.Kids[i-1].Name && kid.Component == n.Kids[i-1].Component {
				t.Errorf("%q is there twice", path)
			}
		}
		if sum != n.Total {
			t.Errorf("%q: %v, want %v", path, n.Total, sum)
		}
	})
}

func folded(t *testing.T, g *blame.Graph) string {
	t.Helper()
	var b bytes.Buffer
	if err := g.WriteFolded(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFolded(t *testing.T) {
	for _, c := range []struct {
		name, tool, want string
	}{
		{"a plain name", "grep", "agent;tool:grep 2000000\n"},
		{"a semicolon would be another frame", "a;b", "agent;tool:a,b 2000000\n"},
		{"spaces at the ends, line breaks and control characters go", " a\n\x1b b\t", "agent;tool:a b 2000000\n"},
		{"a number at the end would be a count", "top 10", "agent;tool:top_10 2000000\n"},
		{"so would one that ends in a number", "scale 1.5", "agent;tool:scale_1.5 2000000\n"},
		{"a word does not", "level x", "agent;tool:level x 2000000\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			recs := tracetest.Records(t, "run  ==\n x   ==")
			recs[1].Attrs = recs[1].Attrs.With(traces.KeyToolName, c.tool)
			runs, _ := traces.Build(recs)
			if got := folded(t, blame.Flame([]*measure.Run{measure.Of(runs[0])})); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	a, b := blame.Flame(drawn(t, "run ====\n x  ==")), blame.Flame(drawn(t, "run ==="))
	if err := blame.Difference(a, b).WriteFolded(&bytes.Buffer{}); err == nil {
		t.Error("a difference with times below 0 was written as folded stacks")
	}
	if got := folded(t, blame.Flame(nil)); got != "" {
		t.Errorf("no runs: got %q", got)
	}
}
