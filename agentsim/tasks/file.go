package tasks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/tools"
)

// largestFile bounds the size of a file of tasks, in bytes; folders beside it may be of any size.
const largestFile = 1 << 20

// Load reads tasks from a YAML or JSON file:
//
//	tasks:
//	  - name: fix-the-test            # lower-case letters, digits and -
//	    prompt: The test fails. Fix the program, not the test.
//	    tools: [read_file, write_file, run_command]
//	    commands: [go]                # programs that run_command may start
//	    folder: broken                # beside this file; copied anew for each run
//	    files:                        # laid out beside or over what is in folder
//	      NOTES.md: The test is calc_test.go.
//	    verify:                       # exactly one of these
//	      command: go test ./...      # in the working folder; exit status 0 is correct
//	      timeout: 2m                 # of command; default 1m
//	      # command: [check.sh, fast] # a program without a shell; one with a slash lies beside this file
//	      # exact: Paris
//	      # contains: [Ines, 8 May]   # whatever its case
//	      # regexp: ^v1\.\d+
//	      # number: 4258.10           # to half a unit of the last decimal, or within
//	      # tolerance: 0.5
//	    script:                       # turns of the simulated model; without, a real one is needed
//	      - think: 40                 # tokens
//	        say: I look at the program.
//	        calls: [{tool: read_file, args: {path: calc.go}}]
//	      - say: Done.
//
// A verifier's command gets the answer on its standard input, TASK_DIR (the folder of the file), and of the environment PATH, HOME
// and their likes only. It is run because the file says so, with all that its user may do: take files only from where you would
// take programs. An error is one line: file, line, what is wrong and what to do. The tasks come in the order of the file.
func Load(file string) ([]Task, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, largestFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	case len(content) > largestFile:
		return nil, fmt.Errorf("%s: more than %d bytes; put large files into a folder beside it", file, largestFile)
	}
	home, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return decode(file, content, home)
}

// decode reads the content of a file in the folder home.
func decode(file string, content []byte, home string) ([]Task, error) {
	root, err := parse(file, content)
	if err != nil {
		return nil, err
	}
	const form = `a mapping with a list: "tasks:", then "- name: …" for each`
	keys, err := root.known(form, "tasks")
	if err != nil {
		return nil, err
	}
	nodes, err := keys["tasks"].list(`the list of tasks, "- name: …" for each`)
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return nil, root.fail("there are no tasks in it")
	}
	digest := sha256.New()
	digest.Write(content)
	var list []Task
	for _, n := range nodes {
		t, err := n.task(home)
		if err != nil {
			return nil, err
		}
		for _, other := range list {
			if other.Name == t.Name || strings.TrimSpace(other.Prompt) == strings.TrimSpace(t.Prompt) {
				return nil, n.fail("task %s has the name or the prompt of task %s before it", t.Name, other.Name)
			}
		}
		if t.Files != nil {
			if err := digestOf(digest, t.Files); err != nil {
				return nil, n.fail("folder: %s", oneLine(err.Error()))
			}
		}
		list = append(list, t)
	}
	for i := range list {
		list[i].Digest = hex.EncodeToString(digest.Sum(nil)[:8])
	}
	return list, nil
}

// digestOf adds names and contents of all regular files to a digest.
func digestOf(digest hash.Hash, files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		f, err := files.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(digest, "\x00%s\x00", name)
		_, err = io.Copy(digest, f)
		return err
	})
}

var taskName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// task reads one task.
func (n node) task(home string) (Task, error) {
	var t Task
	keys, err := n.known("a task", "name", "prompt", "tools", "commands", "folder", "files", "verify", "script")
	if err != nil {
		return t, err
	}
	for _, required := range []string{"name", "prompt", "verify"} {
		if keys[required].empty() {
			return t, n.fail("the task has no %s", cmp.Or(map[string]string{"verify": verifyHelp}[required], required))
		}
	}
	if t.Name, err = keys["name"].text("name"); err != nil {
		return t, err
	}
	if !taskName.MatchString(t.Name) {
		return t, keys["name"].fail("the name of a task is up to 40 lower-case letters, digits and -")
	}
	if t.Prompt, err = keys["prompt"].text("prompt"); err != nil {
		return t, err
	}
	if err := n.surroundings(&t, keys, home); err != nil {
		return t, err
	}
	if t.Verify, t.needs, err = keys["verify"].verifier(home); err != nil {
		return t, err
	}
	if script := keys["script"]; !script.empty() {
		play, err := script.script(t.Tools)
		if err != nil {
			return t, err
		}
		t.Script = simmodel.Script{Name: t.Name, Prompt: t.Prompt, Play: play}
	}
	return t, nil
}

// surroundings reads the tools and files of a task.
func (n node) surroundings(t *Task, keys map[string]node, home string) (err error) {
	if tool := keys["tools"]; !tool.empty() {
		if t.Tools, err = tool.texts("tools"); err != nil {
			return err
		}
		for i, name := range t.Tools {
			if !slices.Contains(toolNames(), name) || slices.Contains(t.Tools[:i], name) {
				return tool.fail("%q is no tool, or is named twice; there are %s", name, strings.Join(toolNames(), ", "))
			}
		}
	}
	if commands := keys["commands"]; !commands.empty() {
		if t.Commands, err = commands.texts("commands"); err != nil {
			return err
		}
		if !slices.Contains(t.Tools, "run_command") {
			return commands.fail("commands are for the tool run_command, which the task does not have")
		}
	}
	if folder := keys["folder"]; !folder.empty() {
		dir, err := folder.text("folder")
		if err != nil {
			return err
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(home, filepath.FromSlash(dir))
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return folder.fail("there is no such folder beside the file")
		}
		t.Files = os.DirFS(dir)
	}
	if files := keys["files"]; !files.empty() {
		t.Texts, err = files.files()
	}
	return err
}

func toolNames() []string {
	var names []string
	for _, t := range tools.All(&tools.Box{}) {
		names = append(names, t.Name)
	}
	return names
}

// files reads names and contents.
func (n node) files() (map[string]string, error) {
	fields, err := n.fields(`files, "NAME: content" for each`)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, f := range fields {
		if !fs.ValidPath(f.key) || f.key == "." || strings.ContainsFunc(f.key, func(r rune) bool { return unicode.IsControl(r) || r == '\\' }) {
			return nil, f.at.fail("want a file's name, with / between folders, that leads to inside the working folder")
		}
		text, ok := f.value.scalar()
		if !ok && !f.value.empty() {
			return nil, f.at.fail("want the file's content, a text")
		}
		texts[f.key] = text
	}
	for _, f := range fields {
		for dir := slashpath.Dir(f.key); dir != "."; dir = slashpath.Dir(dir) {
			if _, is := texts[dir]; is {
				return nil, f.at.fail("%q is a file and a folder", dir)
			}
		}
	}
	return texts, nil
}
