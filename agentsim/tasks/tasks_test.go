package tasks

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tools"
)

// open lays a task out with a site that has no delays.
func open(t *testing.T, task Task) *Workspace {
	t.Helper()
	if program := task.Missing(); program != "" {
		t.Fatalf("this machine has no %s, which the task needs", program)
	}
	network := simnet.New()
	t.Cleanup(func() { network.Close() })
	w, err := task.Open(Options{
		Speed:  1e6,
		Listen: func() (net.Listener, error) { return network.Listen("127.0.0.1:80"), nil },
		Dial:   network.DialContext,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// converse plays a path against the task's tools, and returns the answer and how many tool calls failed.
func converse(t *testing.T, w *Workspace, p path) (answer string, failed int) {
	t.Helper()
	messages := []simmodel.Message{{Role: "user", Content: w.task.Prompt}}
	for i, turn := range p.turns {
		reply := turn(simmodel.Turn{Index: i, Messages: messages})
		messages = append(messages, simmodel.Message{Role: "assistant", Content: reply.Text, Calls: reply.Calls})
		for _, call := range reply.Calls {
			text, err := runCall(t.Context(), w.Tools, call)
			if err != nil {
				t.Logf("%s: %v", call.Name, err)
				text = "error: " + err.Error()
				failed++
			}
			messages = append(messages, simmodel.Message{Role: "tool", Content: text})
		}
		if last := i == len(p.turns)-1; last != (len(reply.Calls) == 0) {
			t.Fatalf("turn %d of %d has %d calls", i+1, len(p.turns), len(reply.Calls))
		}
	}
	return messages[len(messages)-1].Content, failed
}

func runCall(ctx context.Context, list []tools.Tool, call simmodel.Call) (string, error) {
	args, err := json.Marshal(call.Args)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(list, func(t tools.Tool) bool { return t.Name == call.Name })
	if i < 0 {
		return "", fmt.Errorf("the task has no tool %s", call.Name)
	}
	return list[i].Call(ctx, args)
}

func TestEveryPathOfEveryTaskEndsAsItsScriptIntends(t *testing.T) {
	for _, task := range All() {
		if len(task.paths) < 3 {
			t.Errorf("%s has only %d paths", task.Name, len(task.paths))
		}
		for _, p := range task.paths {
			t.Run(task.Name+"/"+p.name, func(t *testing.T) {
				if n := len(p.turns); n < 3 || n > 8 {
					t.Errorf("%d turns", n)
				}
				w := open(t, task)
				answer, failed := converse(t, w, p)
				if failed != p.stumbles {
					t.Errorf("%d tool calls failed, want %d", failed, p.stumbles)
				}
				if correct, says := w.Verify(t.Context(), answer); correct != p.right {
					t.Errorf("the verifier says %v (%s) of %q", correct, says, answer)
				}
			})
		}
	}
}

func TestHowOftenAnEffortIsRight(t *testing.T) {
	all := All()
	for effort, want := range map[string]struct{ least, most, meanLeast, meanMost float64 }{
		"low":    {0.60, 0.80, 0.65, 0.75},
		"medium": {0.85, 0.94, 0.88, 0.92},
		"high":   {0.94, 0.98, 0.95, 0.97},
	} {
		var sum float64
		for _, task := range all {
			right := 1.0
			total := 0.0
			for _, p := range task.paths[1:] {
				total += p.odds.At(effort)
				if !p.right {
					right -= p.odds.At(effort)
				}
			}
			if right < want.least || right > want.most || total > 0.96 || !task.paths[0].right {
				t.Errorf("%s at %s effort is right %.2f of the time, other paths than the first %.2f", task.Name, effort, right, total)
			}
			sum += right / float64(len(all))
		}
		if sum < want.meanLeast || sum > want.meanMost {
			t.Errorf("%s effort is right %.3f of the time", effort, sum)
		}
	}
}

func TestChoiceFollowsTheOdds(t *testing.T) {
	paths := []path{{name: "first"}, {name: "second", odds: simmodel.Odds{"low": 0.25}}, {name: "third", odds: simmodel.Odds{"low": 0.5}}}
	for x, want := range map[float64]string{0: "second", 0.2499: "second", 0.25: "third", 0.7499: "third", 0.75: "first", 0.9999: "first"} {
		if got := choose(paths, x, "low").name; got != want {
			t.Errorf("%v falls on %q, want %q", x, got, want)
		}
	}
}

func TestATaskIsComplete(t *testing.T) {
	names, prompts := map[string]bool{}, map[string]bool{}
	all := All()
	if len(all) < 8 {
		t.Errorf("only %d tasks", len(all))
	}
	shells := 0
	for _, task := range all {
		if names[task.Name] || prompts[task.Prompt] || task.Script.Prompt != task.Prompt || task.Script.Name != task.Name {
			t.Errorf("%s: name or prompt repeats or differs from the script's", task.Name)
		}
		names[task.Name], prompts[task.Prompt] = true, true
		files := 0
		_ = fs.WalkDir(task.Files, ".", func(_ string, e fs.DirEntry, err error) error {
			if err != nil {
				t.Error(err)
			} else if !e.IsDir() {
				files++
			}
			return nil
		})
		if files == 0 {
			t.Errorf("%s has no files", task.Name)
		}
		if len(task.Commands) > 0 {
			shells++
		}
		for _, p := range task.paths {
			if strings.Contains(p.name, "\n") || p.odds == nil && p.name != task.paths[0].name {
				t.Errorf("%s: path %q has no odds", task.Name, p.name)
			}
		}
	}
	if shells > 1 {
		t.Errorf("%d tasks need a program of the machine", shells)
	}
	if len(Scripts(all)) != len(all) {
		t.Error("a script is missing")
	}
}

func TestAWorkspaceIsTheTasksOwn(t *testing.T) {
	task := sitePrices()
	task.Files = folder("files/site-prices")
	a, b := open(t, task), open(t, task)
	if a.Root.Name() == b.Root.Name() {
		t.Error("two workspaces share a folder")
	}
	address, err := a.Root.ReadFile("site.txt")
	if err != nil || !strings.HasPrefix(string(address), "http://127.0.0.1:") {
		t.Errorf("site.txt holds %q, %v", address, err)
	}
	text, err := runCall(t.Context(), a.Tools, use("fetch_url", with{"url": strings.TrimSpace(string(address)) + "/"}))
	if err != nil || !strings.Contains(text, "/saw.txt") {
		t.Errorf("the site's first page is %q, %v", text, err)
	}
	if _, err := runCall(t.Context(), a.Tools, use("fetch_url", with{"url": "http://example.com/"})); err == nil {
		t.Error("another host can be reached")
	}
}
