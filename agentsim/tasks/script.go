package tasks

import (
	"slices"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

// script reads what the simulated model says, turn by turn.
func (n node) script(offered []string) (simmodel.Play, error) {
	turns, err := n.list("script, a list of turns")
	if err != nil {
		return nil, err
	}
	if len(turns) == 0 {
		return nil, n.fail("a script has at least one turn")
	}
	var replies []simmodel.Reply
	for _, turn := range turns {
		reply, err := turn.reply(offered)
		if err != nil {
			return nil, err
		}
		replies = append(replies, reply)
	}
	if len(replies[len(replies)-1].Calls) > 0 {
		return nil, turns[len(turns)-1].fail("the script's last turn calls a tool, so there is never an answer; add one that only says it")
	}
	return simmodel.Linear(replies...), nil
}

// mostThinking bounds the tokens that a scripted turn thinks.
const mostThinking = 100_000

func (n node) reply(offered []string) (reply simmodel.Reply, err error) {
	keys, err := n.known("a turn", "think", "say", "calls")
	if err != nil {
		return reply, err
	}
	if think := keys["think"]; !think.empty() {
		value, _ := think.value()
		tokens, ok := value.(uint64)
		if !ok || tokens > mostThinking {
			return reply, think.fail("want a whole number of tokens from 0 to %d", mostThinking)
		}
		reply.ReasoningTokens = int(tokens)
	}
	if say := keys["say"]; !say.empty() {
		if reply.Text, err = say.text("say"); err != nil {
			return reply, err
		}
	}
	if keys["calls"].empty() {
		if reply.Text == "" {
			return reply, n.fail("a turn says something, calls something, or both")
		}
		return reply, nil
	}
	calls, err := keys["calls"].list("calls, a list of {tool: …, args: {…}}")
	if err != nil {
		return reply, err
	}
	for _, c := range calls {
		keys, err := c.known("a call", "tool", "args")
		if err != nil {
			return reply, err
		}
		tool, err := keys["tool"].text("tool")
		if err != nil {
			return reply, c.fail("want the tool that is called")
		}
		if !slices.Contains(offered, tool) {
			return reply, c.fail("the task has no tool %q", tool)
		}
		args := map[string]any{}
		if !keys["args"].empty() {
			value, err := keys["args"].value()
			if err != nil {
				return reply, err
			}
			is := false
			if args, is = value.(map[string]any); !is {
				return reply, keys["args"].fail("want the arguments by name")
			}
		}
		reply.Calls = append(reply.Calls, simmodel.Call{Name: tool, Args: args})
	}
	return reply, nil
}
