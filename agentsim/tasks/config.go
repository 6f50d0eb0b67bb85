package tasks

import (
	"context"
	"encoding/json"
	"os"
	"reflect"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

func fixConfig() Task {
	write := func(port, weight, level string) simmodel.Call {
		return use("write_file", with{"path": "service.json", "content": serviceConfig(port, weight, level)})
	}
	ask := func(query string) simmodel.Call {
		return use("query_json", with{"path": "service.json", "query": query})
	}
	fixed := write("8080", ",\n      \"weight\": 20", "info")
	done := say(40, "service.json now meets all the rules: the port is a number, the third weight is 20, the log level is info.")
	return Task{
		Name: "fix-config",
		Prompt: "service.json breaks some of the rules in rules.md. Correct the file so that it meets all of them, check it, and answer with what " +
			"you changed.",
		Tools:  []string{"read_file", "write_file", "query_json", "calculate"},
		Verify: verifyConfig,
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(30, "", read("rules.md"), read("service.json")),
				say(50, "", fixed),
				say(30, "I check what I wrote.", ask("listen.port"), ask("backends.#.weight"), ask("log.level")),
				done,
			}},
			{name: "leaves the weight out", odds: wrongUsual, turns: []simmodel.Play{
				say(40, "", read("rules.md"), read("service.json")),
				say(50, "", write("8080", "", "info")),
				say(40, "", ask("listen.port"), ask("log.level")),
				say(40, "I made the port a number and set the log level to info."),
			}},
			{name: "writes broken JSON first", odds: hastyUsual, right: true, stumbles: 1, turns: []simmodel.Play{
				say(35, "I look at the file first.", read("service.json")),
				say(35, "Now what it has to be like.", read("rules.md")),
				say(40, "", write("8080", " \"weight\": 20", "info")),
				say(35, "I check what I wrote.", ask("backends.#.weight")),
				say(40, "A comma is missing.", fixed),
				say(35, "Now it can be read.", ask("backends.#.weight"), ask("listen.port")),
				done,
			}},
			{name: "reads the file again", odds: secondLook, right: true, turns: []simmodel.Play{
				say(30, "", read("rules.md"), read("service.json")),
				say(50, "", fixed),
				say(30, "I check what I wrote.", ask("listen.port"), ask("backends.#.weight"), ask("log.level")),
				say(40, "", read("service.json"), use("calculate", with{"expression": "50 + 30 + 20"})),
				done,
			}},
		},
	}
}

// serviceConfig is service.json with three places to vary.
func serviceConfig(port, weight, level string) string {
	return `{
  "name": "orders",
  "listen": {
    "address": "127.0.0.1",
    "port": ` + port + `
  },
  "timeouts": {
    "request_ms": 30000,
    "idle_ms": 60000
  },
  "backends": [
    { "address": "10.0.0.11:9000", "weight": 50 },
    { "address": "10.0.0.12:9000", "weight": 30 },
    {
      "address": "10.0.0.13:9000"` + weight + `
    }
  ],
  "log": {
    "level": "` + level + `",
    "file": "orders.log"
  }
}
`
}

// verifyConfig looks at the file, not at the answer: any allowed log level will do, everything else is determined.
func verifyConfig(_ context.Context, _ string, dir *os.Root) (bool, string) {
	content, err := dir.ReadFile("service.json")
	if err != nil {
		return false, "service.json is gone"
	}
	var got map[string]any
	if err := json.Unmarshal(content, &got); err != nil {
		return false, "service.json is not valid JSON"
	}
	for _, level := range []string{"debug", "info", "warn", "error"} {
		var want map[string]any
		if err := json.Unmarshal([]byte(serviceConfig("8080", `, "weight": 20`, level)), &want); err != nil {
			panic(err) // a constant of this package
		}
		if reflect.DeepEqual(got, want) {
			return true, "service.json meets the rules and keeps the rest"
		}
	}
	return false, "service.json breaks a rule or changes more than it must"
}
