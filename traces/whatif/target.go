package whatif

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// A Target is what an edit changes: the stretches of a run that are booked on a component, on any component of a family, or on
// one tool. It is comparable.
type Target struct {
	Name string // a component, a family, or decode.rate; of one tool: tool
	Tool string // the tool's name; "": all of them
}

// DecodeRate is the speed at which a model writes: all of its reasoning, output and tool_args.
var DecodeRate = Target{Name: "decode.rate"}

// Component returns the target of all stretches that are booked on c.
func Component(c traces.Component) Target { return Target{Name: string(c)} }

// Tool returns the target of the executions of one tool.
func Tool(name string) Target { return Target{string(traces.Tool), name} }

const toolPrefix = "tool["

// ParseTarget reads a target: the name of a component (connect, wait, queue, prefill, reasoning, output, tool_args, stall, tail,
// response, tool, approval, retry, backoff, startup, agent, untraced), of a family (TTFT, decode, stalls, tools, retries), decode.rate, or
// tool[NAME], whose name is taken as it is. Where a component and a family have one name, it is the component. Upper and
// lower case are the same, but for the name of a tool.
func ParseTarget(s string) (Target, error) { return parseTarget(s, "") }

// parseTarget reads a target; to what is wrong with another word it adds how it would be written as a tool.
func parseTarget(s, asTool string) (Target, error) {
	if len(s) >= len(toolPrefix) && strings.EqualFold(s[:len(toolPrefix)], toolPrefix) {
		name, ok := strings.CutSuffix(s[len(toolPrefix):], "]")
		if !ok || name == "" {
			return Target{}, fmt.Errorf("%q names no tool; want tool[NAME], as tool[grep], or tool for all", s)
		}
		return Tool(name), nil
	}
	for _, name := range names {
		if strings.EqualFold(s, name) {
			return Target{Name: name}, nil
		}
	}
	hint := "."
	if near := nearest(s, names); near != "" {
		hint = "; did you mean " + near + "?"
	}
	if asTool != "" {
		hint += " A tool is written " + asTool + "."
	}
	return Target{}, fmt.Errorf("there is no target %q%s Targets are %s and tool[NAME]", s, hint, strings.Join(names, ", "))
}

// names are the targets that have one word: components, then the families that are called otherwise.
var names = func() []string {
	var list []string
	for _, c := range traces.Components {
		list = append(list, string(c))
	}
	for _, f := range traces.Families {
		if !slices.Contains(list, string(f)) {
			list = append(list, string(f))
		}
	}
	return append(list, DecodeRate.Name)
}()

// String returns the target as ParseTarget reads it.
func (t Target) String() string {
	if t.Tool != "" {
		return toolPrefix + t.Tool + "]"
	}
	return t.Name
}

// has reports whether a stretch that is booked on c, and on tool if that is one, is of the target. The wait is also its two halves, where
// the server told them apart.
func (t Target) has(c traces.Component, tool string) bool {
	switch {
	case t.Tool != "":
		return c == traces.Tool && tool == t.Tool
	case t == DecodeRate:
		return written(c)
	case t == Component(traces.Wait):
		return c == traces.Wait || c == traces.Queue || c == traces.Prefill
	case slices.Contains(traces.Components, traces.Component(t.Name)):
		return c == traces.Component(t.Name)
	}
	return c.Family() == traces.Family(t.Name)
}

// written reports whether c is generating output.
func written(c traces.Component) bool {
	return c == traces.Reasoning || c == traces.Output || c == traces.ToolArgs
}

func (t Target) cacheable() bool {
	return t.Name == string(traces.Tool) || t == Component(traces.Wait) || t == Component(traces.Prefill)
}

// nearest returns the word of list that s is most likely to be misspelt from; "" if none is near. Nobody types what is very long.
func nearest(s string, list []string) string {
	const longest = 100
	best, least := "", 1+len(s)/3 // more changes make another word
	for _, word := range list {
		if max(len(s), len(word)) > longest {
			continue
		}
		if d := distance(strings.ToLower(s), strings.ToLower(word)); d <= least && (best == "" || d < least) {
			best, least = word, d
		}
	}
	return best
}

// distance counts the characters that must be put in, left out or changed to make b of a (Levenshtein 1966).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			change := diagonal
			if x[i] != y[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
