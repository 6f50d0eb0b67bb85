package main

import "testing"

func TestTheBarStaysOnItsLine(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	const text = "7 of 10 runs"
	for _, tc := range []struct {
		name  string
		width int
		want  string
	}{
		{"thirty cells where there is room", 100, "#####################......... 7 of 10 runs"},
		{"shorter where there is less", 23, "#######... 7 of 10 runs"},
		{"none where it would tell nothing", 17, "7 of 10 runs"},
		{"words are cut where not even they fit", 4, "7 of"},
		{"nothing without room", 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := barLine(text, 7, 10, tc.width); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
