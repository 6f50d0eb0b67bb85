// Package tasks is a set of small pieces of work for an agent: real files, real tools, and a verifier that decides
// whether the answer is correct. All returns the built-in ones, Load those of a file of yours.
//
// A Task holds everything that is needed to do it on a machine without a network: the files, the pages of a small site
// that is served on loopback while the task runs, the names of the tools, and the verifier. It also holds a script with
// which agentsim/simmodel plays it: the tool calls are real ones with real arguments, and at each effort some of the
// conversations go straight to the right answer, some take a detour, and some end wrong. The verifiers know nothing of
// the scripts: they accept any phrasing of the right answer and serve real models just as well.
package tasks

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

// A Task is a piece of work. Verify may be called concurrently.
type Task struct {
	Name     string            // letters, digits and -
	Prompt   string            // the user message
	Files    fs.FS             // what is in the working folder at the start; nil: nothing
	Texts    map[string]string // further files by name, laid out after Files
	Site     *Site             // nil: none
	Tools    []string          // names of tools of package tools
	Commands []string          // programs that run_command may start
	// Pause stands for slow work of the task's scripts, in recorded time: they sleep for $PAUSE seconds.
	Pause time.Duration

	// Verify decides whether the task was done, from the final answer and the working folder, and says in one line,
	// without repeating the answer, what it looked for.
	Verify func(ctx context.Context, answer string, dir *os.Root) (correct bool, says string)

	Script simmodel.Script // how a simulated model plays it; without a Play, it cannot
	Digest string          // tells versions of a task that was loaded from a file apart; "": it is a built-in one

	paths []path // the conversations of which Script chooses
	needs string // program that Verify runs; "": none
}

// A Site is pages that are served on loopback while a task runs; site.txt in the working folder holds the address.
type Site struct {
	Pages fs.FS
	Delay map[string]time.Duration // by page: how long the server takes, in recorded time
}

// All returns every task, by name. The slice and its tasks are the caller's.
func All() []Task {
	all := []Task{
		failingTest(), csvTotal(), referenceChain(), fixConfig(), searchFacts(), compareJSON(), sitePrices(), energyCost(), firstError(),
	}
	for i := range all {
		t := &all[i]
		t.Files = folder("files/" + t.Name)
		t.Script = simmodel.Script{Name: t.Name, Prompt: t.Prompt, Play: play(t.paths)}
	}
	slices.SortFunc(all, func(a, b Task) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Scripts returns the scripts of tasks, for a simulated model.
func Scripts(tasks []Task) []simmodel.Script {
	scripts := make([]simmodel.Script, len(tasks))
	for i, t := range tasks {
		scripts[i] = t.Script
	}
	return scripts
}

// Missing names a program that the task needs and this machine does not have; "" if it can run here.
func (t Task) Missing() string {
	for _, name := range append(t.Commands[:len(t.Commands):len(t.Commands)], t.needs) {
		if _, err := exec.LookPath(name); err != nil && name != "" {
			return name
		}
	}
	return ""
}

//go:embed files sites
var content embed.FS

func folder(name string) fs.FS {
	sub, err := fs.Sub(content, name)
	if err != nil {
		panic(fmt.Sprintf("tasks: %v", err)) // the name is a constant of this package
	}
	return sub
}
