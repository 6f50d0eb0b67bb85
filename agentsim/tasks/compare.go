package tasks

import (
	"os"
	"strings"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

func compareJSON() Task {
	ask := func(file, query string) simmodel.Call {
		return use("query_json", with{"path": file + ".json", "query": query})
	}
	both := []simmodel.Call{read("staging.json"), read("production.json")}
	right := "image.tag, features.dunning, database.pool.timeout_ms"
	differ := []string{"image.tag", "features.dunning", "database.pool.timeout_ms"}
	same := []string{"service", "replicas", "image.name", "limits.cpu", "limits.memory", "features.invoices", "features.refunds",
		"regions", "database.host", "database.pool.size"}
	return Task{
		Name: "compare-json",
		Prompt: "Which settings have different values in staging.json and production.json? The order of keys does not matter. Answer with their paths " +
			"like a.b.c, separated by commas, and nothing else.",
		Tools: []string{"read_file", "query_json"},
		Verify: func(answer string, _ *os.Root) (bool, string) {
			says := "they differ in " + strings.Join(differ, ", ")
			if lacks(answer, differ...) != "" {
				return false, says
			}
			for _, path := range same {
				if strings.Contains(path, ".") && mentions(answer, path) {
					return false, says + " only"
				}
			}
			return true, says
		},
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(110, "", both...),
				say(330, "I check the three that look different.",
					ask("staging", "image.tag"), ask("production", "image.tag"),
					ask("staging", "features"), ask("production", "features"),
					ask("staging", "database.pool"), ask("production", "database.pool")),
				say(280, right),
			}},
			{name: "misses the nested one", odds: wrongUsual, turns: []simmodel.Play{
				say(70, "", both...),
				say(120, "", ask("staging", "features"), ask("production", "features")),
				say(130, "image.tag, features.dunning"),
			}},
			{name: "asks section by section", odds: detourUsual, right: true, stumbles: 1, turns: []simmodel.Play{
				say(60, "", ask("staging", "@keys"), ask("production", "@keys")),
				say(80, "", ask("staging", "image"), ask("production", "image"), ask("staging", "features"), ask("production", "features")),
				say(80, "", ask("staging", "limits"), ask("production", "limits"), ask("staging", "database.pools")),
				say(90, "", both...),
				say(170, right),
			}},
			{name: "goes through the rest", odds: secondLook, right: true, turns: []simmodel.Play{
				say(110, "", both...),
				say(330, "I check the three that look different.",
					ask("staging", "image.tag"), ask("production", "image.tag"),
					ask("staging", "features"), ask("production", "features"),
					ask("staging", "database.pool"), ask("production", "database.pool")),
				say(200, "And those that look the same.", ask("staging", "limits"), ask("production", "limits"),
					ask("staging", "regions"), ask("production", "regions"), ask("staging", "replicas"), ask("production", "replicas")),
				say(180, right),
			}},
		},
	}
}
