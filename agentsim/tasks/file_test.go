package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

// playScript lets the script of a task of a file play against its tools, and returns what the verifier says.
func playScript(t *testing.T, task Task) (correct bool, says string) {
	t.Helper()
	w := open(t, task)
	var messages []simmodel.Message
	for i := 0; ; i++ {
		reply := task.Script.Play(simmodel.Turn{Index: i, Messages: messages})
		if len(reply.Calls) == 0 {
			return w.Verify(t.Context(), reply.Text)
		}
		for _, call := range reply.Calls {
			if text, err := runCall(t.Context(), w.Tools, call); err != nil || strings.Contains(text, "exit status 1") {
				t.Errorf("%s: %s, %v", call.Name, text, err)
			}
		}
	}
}

func TestTheExampleIsReadAndPlayed(t *testing.T) {
	list, err := Load("testdata/tasks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		name    string
		correct bool
		says    string
	}{
		{"add-a-test", true, "the verifier ended with exit status 0"},
		{"capital", true, "the answer is to be the expected text"},
		{"total", true, "the answer has the expected number"},
		{"who-and-when", false, "text 1 of 2 is missing"},
	} {
		correct, says := playScript(t, list[i])
		if list[i].Name != want.name || correct != want.correct || says != want.says || list[i].Digest == "" || list[i].Digest != list[0].Digest {
			t.Errorf("task %s: the verifier says %v (%s); want %+v", list[i].Name, correct, says, want)
		}
	}
	if len(list) != 4 || !strings.HasSuffix(list[0].Prompt, "with check.sh.\n") || !slices.Equal(list[0].Commands, []string{"sh"}) {
		t.Errorf("%d tasks, the first is %+v", len(list), list[0])
	}
}

func TestAFolderIsCopiedAnewForEachRun(t *testing.T) {
	list, err := Load("testdata/tasks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	a, b := open(t, list[0]), open(t, list[0])
	if err := a.Root.WriteFile("price.sh", []byte("echo 0.05"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := b.Root.ReadFile("price.sh")
	want, _ := os.ReadFile("testdata/shop/price.sh")
	if err != nil || string(got) != string(want) {
		t.Errorf("another run changed the file to %q, %v", got, err)
	}
}

// one is a file with one task whose verifier is given.
func one(t *testing.T, verify string) Task {
	t.Helper()
	list, err := decode("f.yaml", []byte("tasks: [{name: a, prompt: p, verify: "+verify+"}]"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

func TestExpectedTexts(t *testing.T) {
	for _, c := range []struct {
		verify, answer string
		want           bool
	}{
		{"{exact: Paris}", " Paris\n", true},
		{"{exact: Paris}", "paris", false},
		{"{exact: 42}", "42", true},
		{"{exact: true}", "true", true},
		{"{contains: 8 May}", "Done by 8 MAY 2026.", true},
		{"{contains: [ines, 8 May]}", "Ines, on 8 May", true},
		{"{contains: [ines, 8 May]}", "Ines, on 9 May", false},
		{`{regexp: '^v1\.\d+$'}`, "v1.22", true},
		{`{regexp: '^v1\.\d+$'}`, "v122", false},
		{"{number: 4258.10}", "It is 4,258.10 in all.", true},
		{"{number: 4258.10}", "It is 4258.1", true},
		{"{number: 4258.10}", "It is 4258.11", false},
		{"{number: 12}", "12.4 or so", true},
		{"{number: 12}", "12.6 or so", false},
		{"{number: 12, tolerance: 0}", "12.4 or so", false},
		{"{number: 12, tolerance: 3}", "about 14.9", true},
		{"{number: -3}", "minus three is -3", true},
		{"{number: 1e6, tolerance: 5}", "1,000,003", true},
		{"{number: 12}", "no number at all", false},
	} {
		w := open(t, one(t, c.verify))
		if got, says := w.Verify(t.Context(), c.answer); got != c.want {
			t.Errorf("%s of %q: %v (%s), want %v", c.verify, c.answer, got, says, c.want)
		}
	}
}

func TestACommandDecidesByItsExitStatus(t *testing.T) {
	t.Setenv("SECRET_KEY", "hush")
	for _, c := range []struct {
		name, verify string
		want         bool
		says         string
	}{
		{"0 is correct", "{command: 'true'}", true, "the verifier ended with exit status 0"},
		{"anything else is wrong", "{command: exit 3}", false, "the verifier ended with exit status 3"},
		{"the answer is on its standard input", `{command: 'test "$(cat)" = "the answer"'}`, true, ""},
		{"it runs in the working folder", "{command: test -f work.txt}", true, ""},
		{"the folder of the file is named", `{command: 'test -f "$TASK_DIR/beside.txt"'}`, true, ""},
		{"a list needs no shell", "{command: [test, -f, work.txt]}", true, ""},
		{"a program with a slash lies beside the file", "{command: [./check, ok]}", true, ""},
		{"secrets of the environment are not passed on", `{command: 'test -z "$SECRET_KEY"'}`, true, ""},
		{"its time is limited", "{command: sleep 600, timeout: 50ms}", false, "the verifier took longer than 50ms"},
		{"what it leaves running is not waited for", "{command: 'sleep 600 & true'}", true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			for name, content := range map[string]string{"beside.txt": "", "check": "#!/bin/sh\ntest $1 = ok\n"} {
				if err := os.WriteFile(filepath.Join(home, name), []byte(content), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			list, err := decode("f.yaml", []byte("tasks: [{name: a, prompt: p, files: {work.txt: x}, verify: "+c.verify+"}]"), home)
			if err != nil {
				t.Fatal(err)
			}
			w := open(t, list[0])
			got, says := w.Verify(t.Context(), "the answer")
			if got != c.want || c.says != "" && says != c.says {
				t.Errorf("%v (%s), want %v (%s)", got, says, c.want, c.says)
			}
		})
	}
}

func TestACommandEndsWithItsContext(t *testing.T) {
	w := open(t, one(t, "{command: sleep 600}"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if correct, _ := w.Verify(ctx, ""); correct {
		t.Error("a verifier that was stopped found the answer correct")
	}
}

func TestAVerifierThatIsNotThereIsMissed(t *testing.T) {
	task := one(t, "{command: [no-such-verifier]}")
	if task.Missing() != "no-such-verifier" {
		t.Errorf("missing %q", task.Missing())
	}
}

func TestAnErrorNamesFileAndLineAndWhatToDo(t *testing.T) {
	const head = "tasks:\n  - name: a\n    prompt: p\n"
	for _, c := range []struct{ name, content, want string }{
		{"an empty file", "", `f.yaml:1: want a mapping with a list: "tasks:", then "- name: …" for each`},
		{"a list without its key", "- name: a\n", `f.yaml:1: want a mapping`},
		{"another key", "task:\n  - name: a\n", `f.yaml:1: "task" is not known here`},
		{"no tasks", "tasks: []\n", "f.yaml:1: there are no tasks in it"},
		{"tasks that are no list", "tasks: 5\n", "f.yaml:1: want the list of tasks"},
		{"what is no YAML", "tasks:\n  - name: [a\n", "f.yaml:2: sequence end token ']' not found"},
		{"a key twice", head + "    prompt: q\n", `f.yaml:4: mapping key "prompt" already defined`},
		{"a second document", "tasks: []\n---\nmore: x\n", "f.yaml:3: a second document"},
		{"a key with a typing error", "tasks:\n  - name: a\n    promt: x\n", `f.yaml:3: "promt" is not known here; a task has name, prompt,`},
		{"no prompt", "tasks:\n  - name: a\n    verify: {exact: x}\n", "f.yaml:2: the task has no prompt"},
		{"no verifier", head, "f.yaml:2: the task has no verify: exactly one of command, exact,"},
		{"a name that is none", "tasks:\n  - name: A task\n    prompt: p\n    verify: {exact: x}\n", "f.yaml:2: the name of a task is"},
		{"two verifiers", head + "    verify: {exact: x, number: 3}\n", "f.yaml:4: want verify: exactly one of"},
		{"a broken pattern", head + "    verify:\n      regexp: a(b\n", "f.yaml:5: error parsing regexp: missing closing ): `a(b`; see"},
		{"a number that is none", head + "    verify: {number: many}\n", "f.yaml:4: want a number"},
		{"a tolerance below 0", head + "    verify: {number: 3, tolerance: -1}\n", "f.yaml:4: want a number of at least 0"},
		{"a tolerance that is none", head + "    verify: {number: 3, tolerance: .nan}\n", "f.yaml:4: want a number of at least 0"},
		{"an exponent without a tolerance", head + "    verify: {number: 1e3}\n", "f.yaml:4: say the tolerance"},
		{"a time without a command", head + "    verify: {number: 3, timeout: 3s}\n", "f.yaml:4: timeout is for a command"},
		{"a time that is none", head + "    verify: {command: x, timeout: soon}\n", "f.yaml:4: want a duration, as 30s or 2m"},
		{"an empty command", head + "    verify: {command: ' '}\n", "f.yaml:4: want a command"},
		{"a command without a program", head + "    verify: {command: []}\n", "f.yaml:4: want a program"},
		{"an empty text to find", head + "    verify: {contains: [a, '']}\n", "f.yaml:4: every answer contains an empty text"},
		{"a tool that is none", head + "    tools:\n      [grep]\n    verify: {exact: x}\n", `f.yaml:5: "grep" is no tool, or is named twice; there are read_file`},
		{"commands without the tool", head + "    commands: [sh]\n    verify: {exact: x}\n", "f.yaml:4: commands are for the tool run_command"},
		{"a folder that is not there", head + "    folder: nowhere\n    verify: {exact: x}\n", "f.yaml:4: there is no such folder beside the file"},
		{"a file outside", head + "    files:\n      ../../etc/passwd: x\n    verify: {exact: x}\n", "f.yaml:5: want a file's name"},
		{"a file at the root", head + "    files: {/etc/passwd: x}\n    verify: {exact: x}\n", "f.yaml:4: want a file's name"},
		{"a file that is a folder", head + "    files: {a: x, a/b: y}\n    verify: {exact: x}\n", `f.yaml:4: "a" is a file and a folder`},
		{"a file of other things", head + "    files: {a: [x]}\n    verify: {exact: x}\n", "f.yaml:4: want the file's content"},
		{"the same name twice", "tasks: [{name: a, prompt: p, verify: {exact: x}}, {name: a, prompt: q, verify: {exact: x}}]", "f.yaml:1: task a has the name or the prompt of task a"},
		{"the same prompt twice", "tasks: [{name: a, prompt: p, verify: {exact: x}}, {name: b, prompt: p, verify: {exact: x}}]", "f.yaml:1: task b has the name or the prompt of task a"},
		{"an alias", "tasks: &a [{name: a, prompt: p, verify: *a}]", `f.yaml:1: want the list of tasks, "- name: …" for each, written out: anchors,`},
		{"a task with an anchor", "tasks:\n  - &a {name: a, prompt: p, verify: {exact: x}}\n", "f.yaml:2: want a task, written out: anchors, aliases and tags are not"},
		{"a text with a tag", head + "    verify: {exact: !!str x}\n", "f.yaml:4: want exact, a text, written out: anchors,"},
		{"a script without turns", head + "    verify: {exact: x}\n    script: []\n", "f.yaml:5: a script has at least one turn"},
		{"a script that never answers", head + "    verify: {exact: x}\n    tools: [calculate]\n    script:\n      - calls: [{tool: calculate}]\n", "f.yaml:7: the script's last turn calls a tool"},
		{"a script with a tool that the task lacks", head + "    verify: {exact: x}\n    script: [{calls: [{tool: calculate}]}, {say: x}]\n", `f.yaml:5: the task has no tool "calculate"`},
		{"a turn of nothing", head + "    verify: {exact: x}\n    script: [{think: 5}]\n", "f.yaml:5: a turn says something"},
		{"a turn that thinks for ever", head + "    verify: {exact: x}\n    script: [{think: 1000000000000, say: x}]\n", "f.yaml:5: want a whole number of tokens"},
		{"arguments that JSON does not have", head + "    verify: {exact: x}\n    tools: [calculate]\n    script: [{calls: [{tool: calculate, args: {a: .inf}}]}, {say: x}]\n", "f.yaml:6: want a plain value"},
		{"values too deep in each other", "tasks: " + strings.Repeat("[", 200), "f.yaml:1: values lie in each other more than 100 deep"},
		{"dashes too deep in each other", "tasks:\n" + strings.Repeat("- ", 200), "f.yaml:2: values lie in each other more than 100 deep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode("f.yaml", []byte(c.content), t.TempDir())
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestAFileThatCannotBeRead(t *testing.T) {
	if _, err := Load("testdata/no-such-file.yaml"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	big := filepath.Join(t.TempDir(), "big.yaml")
	if err := os.WriteFile(big, make([]byte, largestFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(big); err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Errorf("%v", err)
	}
}

func TestTheDigestChangesWithTheFileAndItsFolder(t *testing.T) {
	home := t.TempDir()
	digest := func(content, beside string) string {
		if err := os.MkdirAll(filepath.Join(home, "d"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "d", "x"), []byte(beside), 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := decode("f.yaml", []byte(content), home)
		if err != nil {
			t.Fatal(err)
		}
		return list[0].Digest
	}
	const file = "tasks: [{name: a, prompt: p, folder: d, verify: {exact: x}}]"
	first := digest(file, "1")
	if first != digest(file, "1") || first == digest(file, "2") || first == digest(file+"\n", "1") {
		t.Error("the digest does not tell versions apart")
	}
}

func TestAByteOrderMarkIsNotPartOfAFile(t *testing.T) {
	list, err := decode("f.yaml", []byte("\ufefftasks: [{name: a, prompt: p, verify: {number: 1}}]"), t.TempDir())
	if err != nil || len(list) != 1 {
		t.Errorf("%d tasks, %v", len(list), err)
	}
}

func FuzzTasks(f *testing.F) {
	example, err := os.ReadFile("testdata/tasks.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	for _, seed := range []string{
		`{"tasks":[{"name":"a","prompt":"p","tools":["calculate"],"verify":{"number":3.5,"tolerance":1},"script":[{"calls":[{"tool":"calculate","args":{"expression":"1+1"}}]},{"say":"2"}]}]}`,
		"tasks: &x\n  - <<: *x\n", "%YAML 1.2\n---\n!!map {tasks: !!seq []}", "tasks:\n- name: 'a\n", "? [a]\n: b", "tasks:\n  - files:\n      ? a\n", "\x00\xff", "a: |+9\n",
	} {
		f.Add([]byte(seed))
	}
	home := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		list, err := decode("f.yaml", content, home)
		if err != nil {
			if text := err.Error(); strings.Contains(text, "\n") || !strings.HasPrefix(text, "f.yaml:") {
				t.Errorf("an error is one line that names the file: %q", text)
			}
			return
		}
		for _, task := range list {
			if task.Name == "" || strings.TrimSpace(task.Prompt) == "" || task.Verify == nil {
				t.Errorf("an incomplete task: %+v", task)
			}
			task.Files = nil
			w, err := task.Open(Options{})
			if err != nil {
				continue // a name too long for this file system
			}
			defer w.Close()
			if task.needs == "" { // commands of strangers are not run here
				w.Verify(t.Context(), "an answer of 3.5")
			}
			for i := 0; task.Script.Play != nil && i < 100; i++ {
				for _, call := range task.Script.Play(simmodel.Turn{Index: i}).Calls {
					if _, err := json.Marshal(call.Args); err != nil {
						t.Errorf("arguments that are no JSON: %v", err)
					}
				}
			}
		}
	})
}
