package tasks

import (
	"github.com/seed46266073/longpole/agentsim/simmodel"
)

// A path is one way a conversation can go.
type path struct {
	name     string
	odds     simmodel.Odds // how often it is taken; the first path of a task takes what the others leave
	right    bool          // whether it ends in a correct answer
	stumbles int           // tool calls of it that fail
	turns    []simmodel.Play
}

// How often an agent goes another way than straight, by how hard the task is. The figures are made up so that over all
// tasks low effort is right about 7 times of 10, medium 9, high 24 of 25.
//
// A model that thinks less is not only wrong more often. It also tries where another would have looked first, runs into
// an error, reads one thing after the other, does a slow thing again, and says in the open what it did not think: each
// call is short, and there are more of them. So the hasty paths that end right are longer than the straight ones.
var (
	wrongEasy  = simmodel.Odds{"low": 0.24, "medium": 0.07, "high": 0.03}
	wrongUsual = simmodel.Odds{"low": 0.29, "medium": 0.09, "high": 0.04}
	wrongHard  = simmodel.Odds{"low": 0.36, "medium": 0.13, "high": 0.05}
	hastyEasy  = simmodel.Odds{"low": 0.69, "medium": 0.08, "high": 0.03}
	hastyUsual = simmodel.Odds{"low": 0.64, "medium": 0.08, "high": 0.03}
	hastyHard  = simmodel.Odds{"low": 0.57, "medium": 0.08, "high": 0.03}
	// A second look is what high effort takes its time for.
	secondLook = simmodel.Odds{"low": 0.02, "medium": 0.10, "high": 0.35}
)

// play chooses a path of a conversation, the same in all its turns, and plays its turns; the last one for ever after.
func play(paths []path) simmodel.Play {
	return func(t simmodel.Turn) simmodel.Reply {
		turns := choose(paths, t.Plan.Float64(), t.Effort).turns
		return turns[min(t.Index, len(turns)-1)](t)
	}
}

// choose returns the path that a number from [0, 1) falls on.
func choose(paths []path, x float64, effort string) path {
	for _, p := range paths[1:] {
		odds := p.odds.At(effort)
		if x < odds {
			return p
		}
		x -= odds
	}
	return paths[0]
}

// say is a turn: think for so many tokens at medium effort, say text, make the calls.
func say(think int, text string, calls ...simmodel.Call) simmodel.Play {
	reply := simmodel.Reply{ReasoningTokens: think, Text: text, Calls: calls}
	return func(simmodel.Turn) simmodel.Reply { return reply }
}

// with are the arguments of a call.
type with = map[string]any

func use(tool string, args with) simmodel.Call { return simmodel.Call{Name: tool, Args: args} }

func read(file string) simmodel.Call { return use("read_file", with{"path": file}) }
