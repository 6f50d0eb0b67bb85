package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A reportedRun is what the cases ask of a run in a report.
type reportedRun struct {
	TraceIDs []string `json:"trace_ids"`
	Name     string   `json:"name"`
	Wall     float64  `json:"wall_ns"`
	Counts   struct {
		ModelCalls *float64 `json:"model_calls"`
		Attempts   *float64 `json:"attempts"`
	} `json:"counts"`
	Usage struct {
		Input  *float64 `json:"input_tokens"`
		Output *float64 `json:"output_tokens"`
	} `json:"usage"`
	Components []struct {
		Component string  `json:"component"`
		Time      float64 `json:"ns"`
	} `json:"components"`
	Path []struct {
		Span  string  `json:"span_id"`
		Name  string  `json:"name"`
		Start float64 `json:"start_ns"`
		End   float64 `json:"end_ns"`
	} `json:"critical_path"`
	Calls []struct {
		Start float64  `json:"start_ns"`
		TTFT  *float64 `json:"ttft_ns"`
	} `json:"model_calls"`
	Problems []struct{ Code, Message string } `json:"problems"`
}

const ms = 1e6 // nanoseconds

func (r *reportedRun) component(names ...string) float64 {
	sum := 0.0
	for _, c := range r.Components {
		for _, name := range names {
			if c.Component == name {
				sum += c.Time
			}
		}
	}
	return sum / ms
}

// onPath is the time of each span on the critical path, that of its phases included.
func (r *reportedRun) onPath(names map[string]string) map[string]any {
	path := map[string]any{}
	for _, s := range r.Path {
		id, _, _ := strings.Cut(s.Span, "#")
		t, _ := path[names[id]].(float64)
		path[names[id]] = t + (s.End-s.Start)/ms
	}
	return path
}

func (r *reportedRun) sum() float64 {
	sum := 0.0
	for _, s := range r.Path {
		sum += (s.End - s.Start) / ms
	}
	return sum
}

func (r *reportedRun) problems(code string) (n float64, messages string) {
	for _, p := range r.Problems {
		if p.Code == code {
			n++
			messages += p.Message + "\n"
		}
	}
	return n, messages
}

// value is what v points to, nil if it is unknown.
func value(v *float64, unit float64) any {
	if v == nil {
		return nil
	}
	return *v / unit
}

// TestReportAnswersTheTroubleCases holds the report of each document of testdata/cases against what the case expects, in
// the words of the cases.
func TestReportAnswersTheTroubleCases(t *testing.T) {
	type answers = map[string]any
	for name, answer := range map[string]func(runs []reportedRun, names map[string]string) answers{
		"cp-child-outlives-parent": func(runs []reportedRun, names map[string]string) answers {
			r := runs[0]
			detached, _ := r.problems("detached")
			return answers{
				"critical_path":        []any{answers{"span": r.Path[0].Name, "start_ms": r.Path[0].Start / ms, "end_ms": r.Path[len(r.Path)-1].End / ms}},
				"critical_path_sum_ms": r.sum(), "problems_listed": detached == 3,
			}
		},
		"cp-clock-skew-between-hosts": func(runs []reportedRun, names map[string]string) answers {
			skewed, message := runs[0].problems("clock_skew")
			return answers{"skew_reported": skewed == 1 && strings.Contains(message, "moved by 4.65 s"), "critical_path_sum_ms": runs[0].sum()}
		},
		"cp-time-before-the-first-model-call": func(runs []reportedRun, names map[string]string) answers {
			r := runs[0]
			return answers{
				"time_to_first_request_ms": r.Calls[0].Start / ms,
				"phase_ms":                 answers{"harness_startup": r.component("startup"), "model": r.component("wait", "response"), "unattributed": r.component("agent")},
				"critical_path_ms":         r.onPath(names), "critical_path_sum_ms": r.sum(), "model_first_chunk_ms": value(r.Calls[0].TTFT, ms),
			}
		},
		"import-parent-span-missing": func(runs []reportedRun, names map[string]string) answers {
			of := answers{}
			for _, r := range runs {
				missing, _ := r.problems("orphan_adopted")
				of[r.TraceIDs[0]] = answers{"duration_ms": r.Wall / ms, "missing_parents": missing}
			}
			of[runs[1].TraceIDs[0]].(answers)["root"] = runs[1].Name
			return answers{"traces": of}
		},
		"import-ttft-units-and-names": func(runs []reportedRun, names map[string]string) answers {
			first, flagged := answers{}, []any{}
			for _, r := range runs {
				first[r.Name] = value(r.Calls[0].TTFT, ms)
				if n, _ := r.problems("bad_attribute"); n > 0 {
					flagged = append(flagged, r.Name)
				}
			}
			return answers{"ttft_or_first_chunk_ms": first, "flagged": flagged}
		},
		"import-usage-repeated-on-parents": func(runs []reportedRun, names map[string]string) answers {
			of := answers{}
			for _, r := range runs {
				of[r.TraceIDs[0]] = answers{"input_tokens": value(r.Usage.Input, 1), "output_tokens": value(r.Usage.Output, 1), "llm_calls": value(r.Counts.ModelCalls, 1)}
			}
			return answers{"traces": of}
		},
		"retry-nested-http-spans-under-one-llm-span": func(runs []reportedRun, names map[string]string) answers {
			r := runs[0]
			return answers{
				"llm_calls": value(r.Counts.ModelCalls, 1), "attempts": value(r.Counts.Attempts, 1), "backoff_ms": r.component("backoff"),
				"attempt_in_flight_ms": r.onPath(names)["POST"],
				"usage":                answers{"input_tokens": value(r.Usage.Input, 1), "output_tokens": value(r.Usage.Output, 1)},
				"critical_path_ms":     r.onPath(names), "critical_path_sum_ms": r.sum(),
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := readCase(t, name)
			var out, errs bytes.Buffer
			if status := run(t.Context(), []string{"report", "--format", "json", "-"}, bytes.NewReader(c.Input.Body), &out, &errs); status != 0 {
				t.Fatalf("status %d: %s", status, &errs)
			}
			var report struct{ Runs []reportedRun }
			if err := json.Unmarshal(out.Bytes(), &report); err != nil {
				t.Fatal(err)
			}
			got := answer(report.Runs, spanNames(t, c.Input.Body))
			if diff := cmp.Diff(asked(c.Expected, got), any(got)); diff != "" {
				t.Errorf("the case and the report (+) differ:\n%s", diff)
			}
		})
	}
}

type troubleCase struct {
	Input    struct{ Body json.RawMessage }
	Expected map[string]any
}

func readCase(t *testing.T, name string) (c troubleCase) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "cases", name+".json"))
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// spanNames returns the names of the spans of an OTLP document by their ids.
func spanNames(t *testing.T, body []byte) map[string]string {
	t.Helper()
	var document struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct{ SpanID, Name string }
			}
		}
	}
	if err := json.Unmarshal(body, &document); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, r := range document.ResourceSpans {
		for _, s := range r.ScopeSpans {
			for _, span := range s.Spans {
				names[span.SpanID] = span.Name
			}
		}
	}
	return names
}

// asked cuts what a case expects down to the keys that got answers.
func asked(expected, got any) any {
	e, ok1 := expected.(map[string]any)
	g, ok2 := got.(map[string]any)
	if !ok1 || !ok2 {
		return expected
	}
	cut := map[string]any{}
	for key := range g {
		if v, ok := e[key]; ok {
			cut[key] = asked(v, g[key])
		}
	}
	return cut
}
