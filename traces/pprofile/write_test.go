package pprofile_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/blame"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/pprofile"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// drawn measures runs, one column a millisecond, of the given effort.
func drawn(t *testing.T, effort string, texts ...string) []*measure.Run {
	t.Helper()
	var runs []*measure.Run
	for i, text := range texts {
		recs := tracetest.Records(t, text)
		recs[0].Attrs = append(recs[0].Attrs, traces.Attr{Key: traces.KeyRunID, Value: fmt.Sprint(effort, "-", i+1)},
			traces.Attr{Key: traces.KeyGroupPrefix + "effort", Value: effort}, traces.Attr{Key: traces.KeyOutcome, Value: "ok"})
		built, _ := traces.Build(recs)
		for _, run := range built {
			runs = append(runs, measure.Of(run))
		}
	}
	return runs
}

// Two runs of a low and one of a high effort.
var (
	low = []string{`
		run     ====================
		 step1  ====================
		  chat  wwrrooaa                model:big asks:c1
		  grep          ==========      call:c1
	`, `
		run     ==============
		 step1  ==============
		  chat  wwrroo                  model:big
		  read        ======
	`}
	high = []string{`
		run     ==============================
		 step1  ==============================
		  chat  wwrrrrrrrrrrrrrrrroo            model:big
		  grep                      =====
	`}
)

// written is a profile in a file.
func written(t *testing.T, runs []*measure.Run, opt pprofile.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := pprofile.Write(&b, runs, opt); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "profile.pb.gz")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// pprof runs go tool pprof and returns what it prints, runs of spaces as one.
func pprof(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"tool", "pprof"}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, errs.String())
	}
	return regexp.MustCompile(` +`).ReplaceAllString(string(out), " ")
}

// What is written is what pprof's users see.
func TestPprofShowsIt(t *testing.T) {
	sum, base := written(t, append(drawn(t, "low", low...), drawn(t, "high", high...)...), pprofile.Options{}), written(t, drawn(t, "low", low...), pprofile.Options{PerRun: true})
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{
			name: "flat is time of its own, cum that of all below, over all runs",
			args: []string{"-top", "-nodefraction=0", sum},
			want: []string{
				"Type: critical", "Duration: 64ms, Total samples = 64ms ( 100%)",
				"20ms 31.25% 31.25% 20ms 31.25% reasoning", "15ms 23.44% 54.69% 15ms 23.44% tool:grep",
				"0 0% 100% 34ms 53.12% model:big", "0 0% 100% 64ms 100% agent",
			},
		},
		{
			name: "the other sample type counts runs",
			args: []string{"-top", "-sample_index=runs", "-nodefraction=0", sum},
			want: []string{"Type: runs", " reasoning", "3 ", "2 "},
		},
		{
			name: "labels are tags",
			args: []string{"-tags", sum},
			want: []string{"effort: Total 64ms of 64ms ( 100%)", "34ms (53.12%): low", "30ms (46.88%): high", "20ms (31.25%): reasoning", "30ms (46.88%): high-1", "64ms ( 100%): ok"},
		},
		{
			name: "tags choose runs",
			args: []string{"-top", "-tagfocus=effort=^high$", "-nodefraction=0", sum},
			want: []string{"16ms 25.00% 25.00% 16ms 25.00% reasoning"},
		},
		{
			name: "a base is subtracted: what high takes longer than low, a run",
			args: []string{"-top", "-nodefraction=0", "-diff_base", base, written(t, drawn(t, "high", high...), pprofile.Options{PerRun: true})},
			want: []string{"Total samples = 17ms", "14ms 82.35% 82.35% 14ms 82.35% reasoning", "-3ms 17.65%", "tool:read", "13ms 76.47% agent"},
		},
		{
			name: "raw is complete",
			args: []string{"-raw", base},
			want: []string{"PeriodType: critical nanoseconds", "Period: 1", "Duration: 17ms", "Samples:\ncritical/nanoseconds[dflt]", "1000000: 7 4 1 2", "component:[wait] effort:[low] model:[big] outcome:[ok] run:[low-2]"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := pprof(t, c.args...)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing in:\n%s", want, got)
				}
			}
		})
	}
}

// Of any runs, each one's samples add up to its wall time; means to the mean; and the times are those of the graph.
func TestAnyRunsAddUp(t *testing.T) {
	for seed := range uint64(60) {
		var runs []*measure.Run
		walls := map[string]int64{}
		var sum time.Duration
		for k := range uint64(3) {
			built, _ := traces.Build(tracetest.Random(3*seed + k))
			for _, run := range built {
				if run.Wall > 24*time.Hour { // times that are broken: see below
					continue
				}
				run.ID = fmt.Sprint(len(runs))
				runs = append(runs, measure.Of(run))
				walls[run.ID] += int64(run.Wall)
				sum += run.Wall
			}
		}
		p := read(t, runs, pprofile.Options{})
		keys := map[string]int64{}
		for _, s := range p.Sample {
			walls[s.Label["run"][0]] -= s.Value[0]
			keys[stack(s)] += s.Value[0]
		}
		for id, left := range walls {
			if left != 0 {
				t.Errorf("seed %d: the samples of run %s miss its wall time by %d ns", seed, id, left)
			}
		}
		blame.Flame(runs).Root.All(func(path []string, node *blame.Node) { keys[strings.Join(path, "\n")] -= int64(node.Own) })
		for key, left := range keys {
			if left != 0 {
				t.Errorf("seed %d: %q is %d ns more than in the graph", seed, key, left)
			}
		}
		mean := read(t, runs, pprofile.Options{PerRun: true})
		var total int64
		for _, s := range mean.Sample {
			total += s.Value[0]
		}
		if want, _ := measure.Means(runs); total != int64(want) || mean.DurationNanos != int64(want) {
			t.Errorf("seed %d: means add up to %d, the profile lasts %d, want %d", seed, total, mean.DurationNanos, want)
		}
	}
}

func TestTimesThatDoNotFit(t *testing.T) {
	built, _ := traces.Build([]traces.Record{{TraceID: "odd", SpanID: "1", Name: "run", Start: 1, End: 1 << 62}})
	run := measure.Of(built[0])
	runs := []*measure.Run{run, run, run}
	err := pprofile.Write(&bytes.Buffer{}, runs, pprofile.Options{})
	if err == nil || !strings.Contains(err.Error(), "292 years") || !strings.Contains(err.Error(), "odd") {
		t.Errorf("got %v, want an error that names the run", err)
	}
}

// Without runs the profile is empty, but one.
func TestNoRuns(t *testing.T) {
	for _, opt := range []pprofile.Options{{}, {PerRun: true}} {
		if p := read(t, nil, opt); len(p.Sample) != 0 {
			t.Errorf("got %d samples", len(p.Sample))
		}
	}
}

// Names and tags of traces do not steer the terminal that pprof writes to.
func TestNamesAreCleaned(t *testing.T) {
	runs := drawn(t, "lo\x1b[31mw\n", "run ===\n t ==")
	runs[0].Run.ToolCalls[0].Name = "re\x07ad\n\x1b]0;x"
	for _, s := range read(t, runs, pprofile.Options{}).Sample {
		for _, name := range append(s.Label["effort"], stack(s)) {
			if strings.ContainsAny(strings.ReplaceAll(name, "\n", ""), "\x1b\x07\r") {
				t.Errorf("%q holds control characters", name)
			}
		}
	}
}

func read(t *testing.T, runs []*measure.Run, opt pprofile.Options) *profile.Profile {
	t.Helper()
	var b bytes.Buffer
	if err := pprofile.Write(&b, runs, opt); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stack returns a sample's names, the root first, one a line.
func stack(s *profile.Sample) string {
	var names []string
	for _, l := range s.Location {
		names = append([]string{l.Line[0].Function.Name}, names...)
	}
	return strings.Join(names, "\n")
}
