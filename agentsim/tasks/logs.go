package tasks

import (
	"context"
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
		Verify: func(_ context.Context, answer string, _ *os.Root) (bool, string) {
			return lacks(answer, "stock", "E4107", "nightly-recount") == "", "stock, E4107, nightly-recount"
		},
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(40, "One request has E1504.", failed),
				say(50, "Its id is in the logs of all three services.", trail),
				say(60, "I read what stock did around it.", use("read_file", with{"path": "logs/stock.log", "from": 17, "lines": 10})),
				say(50, right),
			}},
			{name: "stops one service early", odds: wrongEasy, turns: []simmodel.Play{
				say(40, "", failed),
				say(50, "", use("search_text", with{"pattern": "r-7c41e9", "path": "logs/orders.log"})),
				say(50, "The first error is E2003 in orders: the reservation failed. No job is named."),
			}},
			{name: "looks at the most frequent error first", odds: hastyEasy, right: true, turns: []simmodel.Play{
				say(35, "I look for all errors and all warnings in all of the logs first.", use("search_text", with{"pattern": "ERROR", "path": "logs"}),
					use("search_text", with{"pattern": "WARN", "path": "logs"})),
				say(35, "E1499 is there most often. I read what the gateway wrote around two of them.",
					use("read_file", with{"path": "logs/gateway.log", "from": 36, "lines": 12}),
					use("read_file", with{"path": "logs/gateway.log", "from": 60, "lines": 12})),
				say(35, "Those are clients that left by themselves, which has nothing to do with it. The other error of the gateway, E1504, "+
					"is what was asked for.", failed),
				say(35, "The upstream was orders, so I search its log for the same request, and read what is around it.",
					use("search_text", with{"pattern": "r-7c41e9", "path": "logs/orders.log"}),
					use("read_file", with{"path": "logs/orders.log", "from": 36, "lines": 8})),
				say(35, "The reservation failed because stock said no. So it began one service further down, and I look there, and for the shelf.",
					use("search_text", with{"pattern": "r-7c41e9", "path": "logs/stock.log"}), use("search_text", with{"pattern": "shelf 14", "path": "logs"})),
				say(35, "There is a job that held the shelf for the ten seconds that the request waited. I look whether it is named anywhere else, "+
					"and the error too.",
					use("search_text", with{"pattern": "nightly-recount"}), use("search_text", with{"pattern": "E4107"})),
				say(50, "The error that started it is E4107 in the service stock: the request r-7c41e9 waited ten seconds for shelf 14, which the job "+
					"nightly-recount held. Then orders failed with E2003, and the gateway answered E1504."),
			}},
			{name: "looks for the job elsewhere", odds: secondLook, right: true, turns: []simmodel.Play{
				say(40, "One request has E1504.", failed),
				say(50, "Its id is in the logs of all three services.", trail),
				say(60, "I see whether the job disturbed others.",
					use("search_text", with{"pattern": "nightly-recount"}), use("search_text", with{"pattern": "E4107"})),
				say(50, right),
			}},
		},
	}
}
