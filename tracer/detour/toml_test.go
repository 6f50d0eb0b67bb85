package detour

import (
	"encoding/json"
	"testing"
)

func TestTOML(t *testing.T) {
	text := `
# comment with "quotes" = and [brackets]
top = "a \"quoted\" # value" # comment
number = 1_000
list = [ "x", { k = "not looked at" },
  # inside
  "y = 'z'" ]
many = '''
[not.a.table]
key = "no"
'''
"quoted key".'and another' = 'C:\path'
[one.two] # comment
three = { four = "five", six = { seven = "eight" } }
broken
[[array]]
top = "of the array"
[one]
later = "yes"
`
	got := parseTOML(text)
	for _, tc := range []struct {
		path []string
		want string
	}{
		{[]string{"top"}, `a "quoted" # value`},
		{[]string{"number"}, ""},
		{[]string{"quoted key", "and another"}, `C:\path`},
		{[]string{"one", "two", "three", "four"}, "five"},
		{[]string{"one", "two", "three", "six", "seven"}, "eight"},
		{[]string{"one", "later"}, "yes"},
		{[]string{"not", "a", "table"}, ""},
		{[]string{"one", "absent", "at", "all"}, ""},
	} {
		if s := got.text(tc.path...); s != tc.want {
			t.Errorf("%q: got %q, want %q", tc.path, s, tc.want)
		}
	}
}

func TestPlainJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1, // one` + "\n" + ` "b": [1, 2,], /* two */ "c": "x // y, ]",}`: `{"a":1,"b":[1,2],"c":"x // y, ]"}`,
		`{"a":"\\\""}`: `{"a":"\\\""}`,
	} {
		if got := plainJSON(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// FuzzSettings: readers of other programs' files take anything, and what is JSON stays the same JSON.
func FuzzSettings(f *testing.F) {
	f.Add("[a]\nb = \"c\"\nd = { e = [1, \"2\"] }")
	f.Add(`{"a": [1, /* x */ 2,], "b": "//"}`)
	f.Add("a = \"\"\"\n")
	f.Add("a = [[{")
	f.Fuzz(func(t *testing.T, text string) {
		parseTOML(text)
		plain := plainJSON(text)
		if json.Valid([]byte(text)) && !json.Valid([]byte(plain)) {
			t.Errorf("%q became %q", text, plain)
		}
	})
}
