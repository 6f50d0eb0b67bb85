package tasks

import (
	"context"
	"os"
	"strings"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

func compareJSON() Task {
	ask := func(file, query string) simmodel.Call {
		return use("query_json", with{"path": file + ".json", "query": query})
	}
	both := []simmodel.Call{read("staging.json"), read("production.json")}
	three := []simmodel.Call{
		ask("staging", "image.tag"), ask("production", "image.tag"),
		ask("staging", "features"), ask("production", "features"),
		ask("staging", "database.pool"), ask("production", "database.pool"),
	}
	right := "image.tag, features.dunning, database.pool.timeout_ms"
	differ := []string{"image.tag", "features.dunning", "database.pool.timeout_ms"}
	same := []string{"service", "replicas", "image.name", "limits.cpu", "limits.memory", "features.invoices", "features.refunds",
		"regions", "database.host", "database.pool.size"}
	return Task{
		Name: "compare-json",
		Prompt: "Which settings have different values in staging.json and production.json? The order of keys does not matter. Answer with their paths " +
			"like a.b.c, separated by commas, and nothing else.",
		Tools: []string{"read_file", "query_json"},
		Verify: func(_ context.Context, answer string, _ *os.Root) (bool, string) {
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
				say(50, "", both...),
				say(80, "I check the three that look different.", three...),
				say(70, right),
			}},
			{name: "misses the nested one", odds: wrongUsual, turns: []simmodel.Play{
				say(40, "", both...),
				say(50, "", ask("staging", "features"), ask("production", "features")),
				say(40, "image.tag, features.dunning"),
			}},
			{name: "asks section by section", odds: hastyUsual, right: true, stumbles: 1, turns: []simmodel.Play{
				say(35, "I list the names in both files and then go through them one by one.", ask("staging", "@keys"), ask("production", "@keys")),
				say(35, "Both have the same names. I begin with the image and the replicas.", ask("staging", "image"), ask("production", "image"),
					ask("staging", "replicas"), ask("production", "replicas")),
				say(35, "The tag of the image differs. Now the features and the limits.", ask("staging", "features"), ask("production", "features"),
					ask("staging", "limits"), ask("production", "limits")),
				say(35, "Dunning differs and the limits are the same. Next are the regions and the pool of the database.", ask("staging", "regions"),
					ask("production", "regions"), ask("staging", "database.pools")),
				say(35, "There is no such key. I ask for the database as a whole, and for the names of its settings.", ask("staging", "database.@keys"),
					ask("production", "database.@keys"), ask("staging", "database"), ask("production", "database")),
				say(35, "The time-out of the pool differs too, 500 in one and 5000 in the other. So that nothing is missed I read both files from "+
					"the first line to the last.",
					both...),
				say(50, "Three settings have different values in the two files: image.tag, features.dunning and database.pool.timeout_ms. All others "+
					"have the same value in both, in another order."),
			}},
			{name: "goes through the rest", odds: secondLook, right: true, turns: []simmodel.Play{
				say(50, "", both...),
				say(80, "I check the three that look different.", three...),
				say(50, "And those that look the same.",
					ask("staging", "limits"), ask("production", "limits"), ask("staging", "regions"), ask("production", "regions")),
				say(50, right),
			}},
		},
	}
}
