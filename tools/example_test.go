package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/seed46266073/longpole/tools"
)

func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()

	list, err := tools.Pick(&tools.Box{Root: root}, "write_file", "read_file", "calculate")
	if err != nil {
		fmt.Println(err)
		return
	}
	call := func(tool tools.Tool, args string) {
		result, err := tool.Call(context.Background(), json.RawMessage(args))
		if err != nil {
			result = "error: " + err.Error()
		}
		fmt.Println(result)
	}
	call(list[0], `{"path":"notes/a.txt","content":"two lines\nof text"}`)
	call(list[1], `{"path":"notes/a.txt","from":2}`)
	call(list[1], `{"path":"notes/b.txt"}`)
	call(list[1], `{"path":"../secret.txt"}`)
	call(list[2], `{"expression":"round(2 * 1.19, 1)"}`)
	call(list[2], `{"expr":"1 + 1"}`)
	// Output:
	// wrote 17 bytes to notes/a.txt
	// of text
	// error: no file "notes/b.txt"; "notes" holds: a.txt
	// error: "../secret.txt" is outside the working folder
	// 2.4
	// error: "expression" is missing; "expr" is not known; known are: expression
}

// A tool is a value: an agent's own ones are made without this package's help.
func ExampleTool() {
	weather := tools.Tool{
		Name:        "weather",
		Description: "The weather in a city.",
		Schema:      json.RawMessage(`{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}`),
		Run: func(_ context.Context, args json.RawMessage) (string, error) {
			var a struct{ City string }
			if err := json.Unmarshal(args, &a); err != nil {
				return "", err
			}
			return "It rains in " + a.City + ".", nil
		},
	}
	fmt.Println(weather.Call(context.Background(), json.RawMessage(`{"city":"Bergen"}`)))
	fmt.Println(weather.Call(context.Background(), nil))
	// Output:
	// It rains in Bergen. <nil>
	//  "city" is missing
}
