// Package tools is what an agent can call.
//
// A tool is a value: a name, a description, a JSON schema of its arguments, and a function of a context. What goes
// in is what a model wrote, so nothing about it is trusted: arguments are checked against the schema before they are
// used, paths stay inside the Box's root directory (os.Root: neither ".." nor a symbolic link leads out), commands and
// hosts come from lists that name what is allowed, and output is cut at a limit with a note that says how much is
// missing. What comes out is text for a model: a result, or an error short and specific enough to act on.
//
// Every tool ends soon after its context does, is safe for concurrent use, and keeps no state between calls.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A Tool is something a model may call. Make your own, or take the ones of this package from All or Pick.
type Tool struct {
	Name        string          // as the model calls it: letters, digits, _ and -
	Description string          // for the model: what it does and when to use it
	Schema      json.RawMessage // JSON Schema of the arguments, an object; empty: anything goes
	Timeout     time.Duration   // how long one call may take; 0: as long as its context
	Run         func(ctx context.Context, args json.RawMessage) (string, error)
}

// Call checks args against the schema and runs the tool. Empty args count as {}. A panic of the tool comes back as an
// error: a broken tool must not take the agent with it. Timeout is left to the caller, who knows the time scale.
func (t Tool) Call(ctx context.Context, args json.RawMessage) (result string, err error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err := checkArgs(t.Schema, args); err != nil {
		return "", err
	}
	defer func() {
		if p := recover(); p != nil {
			result, err = "", fmt.Errorf("the tool %s broke: %v", t.Name, p)
		}
	}()
	return t.Run(ctx, args)
}

// define makes a tool whose arguments are decoded into an A.
func define[A any](name, description, schema string, timeout time.Duration, run func(context.Context, A) (string, error)) Tool {
	return Tool{
		Name: name, Description: description, Schema: json.RawMessage(schema), Timeout: timeout,
		Run: func(ctx context.Context, raw json.RawMessage) (string, error) {
			var args A
			if err := json.Unmarshal(raw, &args); err != nil {
				return "", fmt.Errorf("arguments: %w", err)
			}
			return run(ctx, args)
		},
	}
}
