package tools

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newBox returns a box over a fresh directory with the given files.
func newBox(t *testing.T, files map[string]string) *Box {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return &Box{Root: root}
}

// A toolCase is a tool call and what the model must read: the whole result, or a part of the error.
type toolCase struct {
	name  string
	args  string
	want  string // the whole result, if wrong is ""
	wrong string // part of the error
}

func runCases(t *testing.T, tool Tool, cases []toolCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := tool.Call(t.Context(), json.RawMessage(c.args))
			switch {
			case c.wrong == "" && err != nil:
				t.Errorf("%s %s: error %v", tool.Name, c.args, err)
			case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
				t.Errorf("%s %s: error %v, want one with %q; result %q", tool.Name, c.args, err, c.wrong, got)
			case got != c.want:
				t.Errorf("%s %s\n got %q\nwant %q", tool.Name, c.args, got, c.want)
			}
		})
	}
}

func TestArgumentsThatDoNotFitTheSchemaAreExplained(t *testing.T) {
	tool := Tool{
		Name: "t",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path","n"],"properties":{
			"path":{"type":"string","minLength":1},"n":{"type":"integer","minimum":1,"maximum":9},
			"kind":{"type":"string","enum":["a","b"]},"list":{"type":"array","minItems":1,"items":{"type":"number"}}}}`),
		Run: func(context.Context, json.RawMessage) (string, error) { return "ran", nil },
	}
	runCases(t, tool, []toolCase{
		{name: "arguments that fit are passed on", args: `{"path":"x","n":1,"kind":"a","list":[1.5]}`, want: "ran"},
		{name: "a whole number may be written as a float", args: `{"path":"x","n":2.0}`, want: "ran"},
		{name: "every missing field is named", args: `{}`, wrong: `"path" is missing; "n" is missing`},
		{name: "no arguments at all are an empty object", args: ``, wrong: `"path" is missing`},
		{name: "an unknown field is named with those that exist", args: `{"path":"x","n":1,"file":"y"}`, wrong: `"file" is not known; known are: kind, list, n, path`},
		{name: "a wrong type says both", args: `{"path":7,"n":1}`, wrong: "path must be a string, not a number"},
		{name: "null is not a string", args: `{"path":null,"n":1}`, wrong: "path must be a string, not null"},
		{name: "a fraction is not an integer", args: `{"path":"x","n":1.5}`, wrong: "n must be an integer, not a number"},
		{name: "bounds are kept", args: `{"path":"x","n":10}`, wrong: "n must be at most 9"},
		{name: "an empty string is said to be empty", args: `{"path":"","n":1}`, wrong: "path must not be empty"},
		{name: "a value outside the list shows the list", args: `{"path":"x","n":1,"kind":"c"}`, wrong: `kind must be one of ["a","b"]`},
		{name: "an item is named by its place", args: `{"path":"x","n":1,"list":[1,"2"]}`, wrong: "list[1] must be a number, not a string"},
		{name: "broken JSON says where", args: `{"path":`, wrong: "not valid JSON"},
		{name: "a list is not an object", args: `[]`, wrong: "the arguments must be an object, not an array"},
	})
}

func TestAPanicOfAToolIsAnError(t *testing.T) {
	tool := Tool{Name: "fragile", Run: func(context.Context, json.RawMessage) (string, error) { panic("glass") }}
	if _, err := tool.Call(t.Context(), nil); err == nil || err.Error() != "the tool fragile broke: glass" {
		t.Errorf("got %v", err)
	}
}

func TestEveryToolHasANameADescriptionAndAValidSchema(t *testing.T) {
	seen := map[string]bool{}
	for _, tool := range All(newBox(t, nil)) {
		var s schema
		if err := json.Unmarshal(tool.Schema, &s); err != nil || s.Type != "object" {
			t.Errorf("%s: schema %v of type %q", tool.Name, err, s.Type)
		}
		if tool.Name == "" || tool.Description == "" || tool.Timeout <= 0 || seen[tool.Name] {
			t.Errorf("%+v lacks something or repeats", tool)
		}
		seen[tool.Name] = true
	}
}

func TestPickKeepsTheOrderAndNamesWhatIsMissing(t *testing.T) {
	box := newBox(t, nil)
	picked, err := Pick(box, "calculate", "read_file")
	if err != nil || len(picked) != 2 || picked[0].Name != "calculate" || picked[1].Name != "read_file" {
		t.Errorf("got %v, %v", picked, err)
	}
	if _, err := Pick(box, "read_mind"); err == nil || err.Error() != `no tool "read_mind"` {
		t.Errorf("got %v", err)
	}
}

func TestNothingOutsideTheRootIsReachable(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.txt"), []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	box := newBox(t, map[string]string{"in.txt": "inside"})
	box.Commands = []string{"cat"}
	for name, target := range map[string]string{"link.txt": filepath.Join(outside, "secret.txt"), "dir": outside, "up": ".."} {
		if err := os.Symlink(target, filepath.Join(box.Root.Name(), name)); err != nil {
			t.Fatalf("no symbolic links here: %v", err)
		}
	}
	for _, path := range []string{"../secret.txt", "link.txt", "dir/secret.txt", "up/x", "a/../../x", `..\secret.txt`} {
		quoted, _ := json.Marshal(path)
		for _, c := range []struct {
			tool Tool
			args string
		}{
			{ReadFile(box), `{"path":` + string(quoted) + `}`},
			{ListFiles(box), `{"path":` + string(quoted) + `}`},
			{SearchText(box), `{"pattern":"key","path":` + string(quoted) + `}`},
			{QueryCSV(box), `{"path":` + string(quoted) + `}`},
			{QueryJSON(box), `{"path":` + string(quoted) + `,"query":"a"}`},
			{WriteFile(box), `{"path":` + string(quoted) + `,"content":"x"}`},
			{RunCommand(box), `{"command":"cat","args":["secret.txt"],"dir":` + string(quoted) + `}`},
		} {
			if got, err := c.tool.Call(t.Context(), json.RawMessage(c.args)); err == nil {
				t.Errorf("%s %s: no error, result %q", c.tool.Name, c.args, got)
			}
		}
	}
	if got, err := SearchText(box).Call(t.Context(), json.RawMessage(`{"pattern":"key"}`)); err != nil || got != "no match in 1 files" {
		t.Errorf("a search through everything followed a link: %q, %v", got, err)
	}
	if content, _ := os.ReadFile(filepath.Join(outside, "secret.txt")); string(content) != "key" {
		t.Errorf("the file outside is now %q", content)
	}
}

func TestLongOutputIsCutWithANote(t *testing.T) {
	box := newBox(t, nil)
	box.Output = 20
	for _, c := range []struct{ name, text, want string }{
		{"text within the limit is whole", "twenty bytes exactly", "twenty bytes exactly"},
		{"the cut is at the end of a line", "line one....\nline two\nline three", "line one....\n[cut: 12 of 32 bytes shown; ask for less]"},
		{"a line too long is cut inside", strings.Repeat("x", 30), strings.Repeat("x", 20) + "\n[cut: 20 of 30 bytes shown; ask for less]"},
		{"a character is not cut", strings.Repeat("é", 11) + "x", strings.Repeat("é", 10) + "\n[cut: 20 of 23 bytes shown; ask for less]"},
		{"a character across the limit is left out", "x" + strings.Repeat("é", 11), "x" + strings.Repeat("é", 9) + "\n[cut: 19 of 23 bytes shown; ask for less]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := box.cut(c.text); got != c.want {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
		})
	}
}
