package simmodel

import (
	"encoding/json"
	"slices"
)

// Errand returns a script for agents that are not ours, which send prompts, tools and wrappings of their own. Whatever
// the prompt, the model asks for the tool that runs shell commands: for one harmless command first, then for two at
// once, a second each; then it answers in 24 tokens. Without such a tool it answers at once. Use it as Config.Fallback.
func Errand() Script { return Script{Name: "errand", Play: errand} }

func errand(t Turn) Reply {
	if len(t.Tools) == 0 {
		return aside(t)
	}
	answer := Reply{ReasoningTokens: 10, Text: Filler(24)}
	shell, ok := findShell(t.Tools)
	if !ok {
		return answer
	}
	switch t.Index {
	case 0:
		return Reply{ReasoningTokens: 10, Text: "First a look.", Calls: []Call{shell.run("echo hi; ls")}}
	case 1:
		return Reply{ReasoningTokens: 10, Text: "Now both parts.", Calls: []Call{shell.run("sleep 1; echo part-1"), shell.run("sleep 1; echo part-2")}}
	}
	return answer
}

// aside answers a request that is for something beside the task: by a few words, or by what its schema wants.
func aside(t Turn) Reply {
	if t.Schema != nil {
		return Reply{Text: string(quote(readSchema(t.Schema).sample(1)))}
	}
	return Reply{ReasoningTokens: 10, Text: "Simulated work in a folder"}
}

// A shell is a tool that runs commands.
type shell struct {
	tool   string
	param  string // that takes the command
	schema schema
}

// Names of shell tools and of the parameters that take the command, most usual first.
var (
	shellTools  = []string{"bash", "shell", "run_command", "exec_command", "run_shell_command", "execute_command", "Bash", "shell_command"}
	shellParams = []string{"command", "cmd"}
)

// findShell returns the shell among the tools: one with a usual name, else any that takes a command.
func findShell(tools []Tool) (found shell, ok bool) {
	best := len(shellTools) + 1
	for _, t := range tools {
		s := readSchema(t.Schema)
		for _, param := range shellParams {
			if _, has := s.Properties[param]; !has {
				continue
			}
			rank := slices.Index(shellTools, t.Name)
			if rank < 0 {
				rank = len(shellTools)
			}
			if rank < best {
				best, found, ok = rank, shell{t.Name, param, s}, true
			}
			break
		}
	}
	return found, ok
}

// run returns a call that runs a command, with whatever else the tool requires.
func (s shell) run(command string) Call {
	args, _ := s.schema.sample(10_000).(map[string]any) // numbers are time limits, if anything
	if args == nil {
		args = map[string]any{}
	}
	args[s.param] = command
	if s.schema.Properties[s.param].Type == "array" {
		args[s.param] = []string{"bash", "-c", command}
	}
	return Call{Name: s.tool, Args: json.RawMessage(quote(args))}
}
