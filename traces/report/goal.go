package report

import (
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// A Goal is what the times of a comparison lead to, in words: a correct answer only where answers were checked.
type Goal struct {
	Title string // "time to a correct answer"
	Right string // what a run that counts is: "right", "finished"
	Runs  string // such runs: "correct runs", "finished runs"
	None  string // there is none: "no correct answer"
}

// GoalOf returns the words for groups.
func GoalOf(groups []measure.Group) Goal {
	checked, unchecked := false, false
	for _, g := range groups {
		checked = checked || g.Checked
		unchecked = unchecked || !g.Checked && g.Succeeded > 0
	}
	switch {
	case checked && unchecked:
		return Goal{"time to a correct or unchecked answer", "right or unchecked", "correct and unchecked runs", "no such answer"}
	case unchecked:
		return Goal{"time to finish", "finished", "finished runs", "none finished"}
	}
	return Goal{"time to a correct answer", "right", "correct runs", "no correct answer"}
}

// column heads the column of success rates.
func (g Goal) column() string {
	if g.known() {
		return g.Right
	}
	return "finished"
}

// did says that runs reached the goal.
func (g Goal) did() string {
	if g.Right == "finished" {
		return g.Right
	}
	return "were " + g.Right
}

// known reports whether finishing means being right.
func (g Goal) known() bool { return g.Right == "right" }

// and joins labels: "low", "low and high", "low, medium and high"; more than four are counted.
func and(words []string) string {
	switch n := len(words); {
	case n == 0:
		return ""
	case n == 1:
		return words[0]
	case n > 4:
		return strings.Join(words[:3], ", ") + " and " + traces.FormatCount(n-3, "other")
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}
