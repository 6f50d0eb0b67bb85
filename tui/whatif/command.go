package whatif

import (
	"fmt"
	"strings"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/whatif"
	"github.com/seed46266073/longpole/tui/cell"
)

// most is how many runs are named on a command line.
const mostNamed = 20

// command returns the command line that asks for a plan.
func command(plan whatif.Plan, runs []*measure.Run) string {
	words := []string{"longpole", "whatif"}
	for _, e := range plan.Edits {
		words = append(words, "--set", quoted(e.String()))
	}
	if p := plan.ParallelTools.String(); p != "" {
		words = append(words, "--parallel", p)
	}
	if plan.Steps != 0 {
		words = append(words, "--steps", fmt.Sprint(plan.Steps))
	}
	if len(runs) <= mostNamed {
		for _, r := range runs {
			words = append(words, quoted(r.ID))
		}
	}
	return strings.Join(words, " ")
}

// quoted returns a word as a shell takes it.
func quoted(word string) string {
	word = cell.Clean(word)
	plain := func(r rune) bool {
		return r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("=./:,_-", r))
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
