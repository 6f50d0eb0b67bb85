package tasks

import (
	"os"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

func firstError() Task {
	trail := use("search_text", with{"pattern": "r-7c41e9", "path": "logs"})
	failed := use("search_text", with{"pattern": "E1504", "path": "logs/gateway.log"})
	right := "The request r-7c41e9 failed first in stock with E4107: the job nightly-recount held shelf 14."
	return Task{
		Name: "first-error",
		Prompt: "logs/ holds the logs of three services. One request was answered with an error of its upstream (E1504 at the gateway). Follow that request " +
			"through the services to the error that started it. Answer with the service, the error code, and the job that was in the way.",
		Tools: []string{"search_text", "read_file", "list_files"},
		Verify: func(answer string, _ *os.Root) (bool, string) {
			return lacks(answer, "stock", "E4107", "nightly-recount") == "", "stock, E4107, nightly-recount"
		},
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(100, "", failed),
				say(130, "", trail),
				say(210, "I read what stock did around it.", use("read_file", with{"path": "logs/stock.log", "from": 17, "lines": 10})),
				say(250, right),
			}},
			{name: "stops one service early", odds: wrongEasy, turns: []simmodel.Play{
				say(60, "", failed),
				say(90, "", use("search_text", with{"pattern": "r-7c41e9", "path": "logs/orders.log"})),
				say(130, "The first error is E2003 in orders: the reservation failed. No job is named."),
			}},
			{name: "looks at the most frequent error first", odds: detourUsual, right: true, turns: []simmodel.Play{
				say(60, "", use("search_text", with{"pattern": "ERROR"})),
				say(100, "Those of E1499 are clients that left.", use("read_file", with{"path": "logs/gateway.log", "from": 36, "lines": 12})),
				say(90, "", trail),
				say(150, right),
			}},
			{name: "looks for the job elsewhere", odds: secondLook, right: true, turns: []simmodel.Play{
				say(100, "", failed),
				say(130, "", trail),
				say(210, "I see whether the job disturbed others.", use("search_text", with{"pattern": "nightly-recount"}), use("search_text", with{"pattern": "E4107"})),
				say(230, right),
			}},
		},
	}
}
