package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A truth is what the simulated model says it did with one request.
type truth struct {
	Fault  string
	Finish string
}

// startModel runs `longpole model` until the test ends. It returns its base URL, without the /v1, and what it served so far.
func startModel(t *testing.T, longpole string, flags ...string) (base string, served func() []truth) {
	t.Helper()
	port := freePorts(t, 1)[0]
	log := filepath.Join(t.TempDir(), "truth.jsonl")
	cmd := exec.Command(longpole, append([]string{"model", "--listen", "127.0.0.1:" + port, "--speed", "4x", "--truth", log}, flags...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	served = func() []truth {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		var list []truth
		for line := range bytes.Lines(text) {
			var one truth
			if err := json.Unmarshal(line, &one); err != nil {
				t.Fatal(err)
			}
			list = append(list, one)
		}
		return list
	}
	base = "http://127.0.0.1:" + port
	for range 100 {
		if resp, err := http.Get(base + "/v1/models"); err == nil {
			resp.Body.Close()
			return base, served
		}
		<-time.After(50 * time.Millisecond)
	}
	t.Fatalf("the model does not answer:\n%s", &said)
	return "", nil
}
