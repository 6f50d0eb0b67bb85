package simmodel

import (
	"strings"
	"testing"
)

func FuzzTokensJoinToTheText(f *testing.F) {
	f.Add("the answer is 42.\n")
	f.Add(" \xff{\"a\": 1}")
	f.Fuzz(func(t *testing.T, text string) {
		list := tokens(text)
		if got := strings.Join(list, ""); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
		if n := Tokens(text); n != len(list) {
			t.Errorf("%q: %d tokens, counted %d", text, len(list), n)
		}
		for _, token := range list {
			if token == "" {
				t.Errorf("%q has an empty token", text)
			}
		}
	})
}
