package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestInsideAndOutsideAgree records one agent on openai-go twice at the same time: by the tracer in it, and by `longpole record`
// around it. Once the agent's spans come to the recording, once they do not: the proxy then has only the wire.
func TestInsideAndOutsideAgree(t *testing.T) {
	longpole := buildLongpole(t)
	base, _ := startModel(t, longpole, "--fault", "server_error=0.3")
	for name, env := range map[string]string{
		"from the wire alone":             "OTEL_SDK_DISABLED=true",
		"from the wire and its own spans": "OTEL_SDK_DISABLED=false",
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			inside, out := filepath.Join(home, "inside"), filepath.Join(home, "outside.json")
			agent := `LONGPOLE_HOME="$INSIDE" "$LONGPOLE" bench --no-tui --no-warm-up --base-url "$OPENAI_BASE_URL" --model any --task csv-total --effort medium --trials 1 --seed 5`
			cmd := exec.CommandContext(t.Context(), longpole, "record", "--format", "json", "--output", out, "--", "sh", "-c", agent)
			cmd.Env = append(os.Environ(), "LONGPOLE_HOME="+filepath.Join(home, "outside"), "INSIDE="+inside, "LONGPOLE="+longpole,
				"OPENAI_BASE_URL="+base+"/v1", "OPENAI_API_KEY=sk-test", env)
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			report := exec.CommandContext(t.Context(), longpole, "report", "--format", "json")
			report.Env = append(os.Environ(), "LONGPOLE_HOME="+inside)
			text, err := report.Output()
			if err != nil {
				t.Fatal(err)
			}
			want := readCounts(t, text)
			text, err = os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if got := readCounts(t, text); got != want {
				t.Errorf("outside %+v, inside %+v", got, want)
			}
			if want.Steps < 2 || want.ToolCalls < 2 {
				t.Errorf("inside %+v: want an agent with several steps and tools", want)
			}
		})
	}
}

type counts struct {
	Steps      int
	ModelCalls int `json:"model_calls"`
	Attempts   int
	ToolCalls  int `json:"tool_calls"`
}

func readCounts(t *testing.T, report []byte) counts {
	t.Helper()
	var doc struct{ Runs []struct{ Counts counts } }
	if err := json.Unmarshal(report, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Runs) != 1 {
		t.Fatalf("got %d runs, want 1", len(doc.Runs))
	}
	return doc.Runs[0].Counts
}
