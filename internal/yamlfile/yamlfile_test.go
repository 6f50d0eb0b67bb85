package yamlfile

import (
	"fmt"
	"strings"
	"testing"
)

type settings struct {
	Name string
	List []struct {
		Size int
		Deep *settings
	}
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		name, file, want string // want: the settings, or the error
	}{
		{"settings are read", "name: a # a comment\nlist:\n  - size: 3\n  - {size: 4}\n", "{a [{3 <nil>} {4 <nil>}]}"},
		{"a byte order mark is not part of them", "\ufeffname: a\n", "{a []}"},
		{"a field nobody knows is a mistake", "name: a\nnames: b\n", `line 2: unknown field "names"`},
		{"a field written twice is a mistake", "name: a\nname: b\n", `line 2: mapping key "name" already defined at [1:1]`},
		{"a wrong type is a mistake", "list:\n  - size: big\n", "line 2: cannot unmarshal string into Go struct field settings.List of type int"},
		{"an empty file is a mistake", "", "nothing in it"},
		{"comments alone are an empty file", "# name: a\n", "nothing in it"},
		{"a second document would be overlooked", "name: a\n---\nname: b\n", "more than one document in it; want one"},
		{"a bracket left open is a mistake", "list: [", "line 1: sequence end token ']' not found"},
		{"brackets without end are not even tried", strings.Repeat("[", 900), "line 1: brackets nested deeper than 16"},
		{"nor over many lines", strings.Repeat("[\n", 900), "line 17: brackets nested deeper than 16"},
		{"a line without end neither", "name: " + strings.Repeat("x", 1000), "line 1: longer than 1000 bytes"},
		{"nor what is too large", strings.Repeat("# x\n", 1<<17), "more than 256 KiB: too large for a file of settings"},
		{"binary data is no YAML", "\x00\x01\x02", "line 1: string was used where mapping is expected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s settings
			got := ""
			if err := Decode(strings.NewReader(c.file), &s); err != nil {
				got = err.Error()
			} else {
				got = fmt.Sprint(s)
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Whatever the bytes, there is an answer of one line, without a panic.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"name: a\nlist:\n  - size: 3\n", "a: &a [*a]", "list: &l\n  - deep: {list: *l}\n", strings.Repeat("- ", 400), strings.Repeat("? ", 400),
		"a: &a [_,_]\nb: &b [*a,*a]\nlist: [*b,*b]", "!!binary x", "name: \"\\U0010ffff\"", "name: |\n  a\n\tb", "<<: *x", "%YAML 9\n--- >-\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, file string) {
		var s settings
		if err := Decode(strings.NewReader(file), &s); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("an error of several lines: %q", err)
		}
	})
}
