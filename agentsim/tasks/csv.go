package tasks

import (
	"os"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

func csvTotal() Task {
	condition := func(column, op, value string) with { return with{"column": column, "op": op, "value": value} }
	sum := func(where ...with) simmodel.Call {
		return use("query_csv", with{"path": "orders.csv", "where": where,
			"aggregate": []with{{"op": "sum", "column": "amount"}, {"op": "count"}}})
	}
	north, early := condition("region", "=", "north"), condition("date", "<", "2026-04-01")
	delivered := condition("status", "=", "delivered")
	head := use("read_file", with{"path": "orders.csv", "lines": 4})
	kinds := use("query_csv", with{"path": "orders.csv", "group_by": []string{"status"}, "aggregate": []with{{"op": "count"}}})
	verify := number("the total", 4258.10, 2)
	return Task{
		Name: "csv-total",
		Prompt: "orders.csv holds the orders of a shop. What is the total amount of what was really delivered in the region north in the first " +
			"quarter of 2026? Answer with the number, two decimals.",
		Tools:  []string{"query_csv", "read_file", "calculate"},
		Verify: func(answer string, _ *os.Root) (bool, string) { return verify(answer) },
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(120, "First the columns and the kinds of status.", head, kinds),
				say(240, "", sum(north, early, delivered)),
				say(260, "The total is 4258.10, from 21 orders."),
			}},
			{name: "forgets the status", odds: wrongUsual, turns: []simmodel.Play{
				say(80, "First the columns.", head),
				say(130, "", sum(north, early)),
				say(110, "The total is 5141.05."),
			}},
			{name: "guesses a column", odds: detourUsual, right: true, stumbles: 1, turns: []simmodel.Play{
				say(70, "", use("query_csv", with{"path": "orders.csv", "where": []with{condition("state", "=", "delivered"), north},
					"aggregate": []with{{"op": "sum", "column": "amount"}}})),
				say(90, "There is no such column; I look.", head, kinds),
				say(150, "", sum(north, early, delivered)),
				say(160, "The total is **4,258.10**."),
			}},
			{name: "adds the months up again", odds: secondLook, right: true, turns: []simmodel.Play{
				say(120, "First the columns and the kinds of status.", head, kinds),
				say(240, "", sum(north, early, delivered)),
				say(260, "I check it month by month.",
					sum(north, delivered, condition("date", "<", "2026-02-01")),
					sum(north, delivered, condition("date", ">=", "2026-02-01"), condition("date", "<", "2026-03-01")),
					sum(north, delivered, condition("date", ">=", "2026-03-01"), early)),
				say(180, "The total is 4258.10."),
			}},
		},
	}
}
