package tasks

import (
	"context"
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
		Verify: func(_ context.Context, answer string, _ *os.Root) (bool, string) { return verify(answer) },
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(50, "First the columns and the kinds of status.", head, kinds),
				say(80, "Open and cancelled orders were not delivered.", sum(north, early, delivered)),
				say(70, "The total is 4258.10, from 21 orders."),
			}},
			{name: "forgets the status", odds: wrongUsual, turns: []simmodel.Play{
				say(40, "First the columns.", head),
				say(60, "", sum(north, early)),
				say(40, "The total is 5141.05."),
			}},
			{name: "guesses a column", odds: hastyUsual, right: true, stumbles: 1, turns: []simmodel.Play{
				say(35, "", use("query_csv", with{"path": "orders.csv", "where": []with{condition("state", "=", "delivered"), north},
					"aggregate": []with{{"op": "sum", "column": "amount"}}})),
				say(35, "There is no such column; I look.", head),
				say(35, "The column is called status. I total the region north in the quarter.", sum(north, early)),
				say(35, "That has all kinds of status in it. Let me see which there are.", kinds),
				say(35, "I take the cancelled ones and the open ones off.", sum(north, early, condition("status", "=", "cancelled")),
					sum(north, early, condition("status", "=", "open"))),
				say(35, "", use("calculate", with{"expression": "5141.05 - 581.00 - 301.95"})),
				say(35, "The same again, asked for directly.", sum(north, early, delivered)),
				say(40, "The total is **4,258.10**. It is what is left of 5,141.05 without the orders that were cancelled and without those that "+
					"are still open."),
			}},
			{name: "adds the months up again", odds: secondLook, right: true, turns: []simmodel.Play{
				say(50, "First the columns and the kinds of status.", head, kinds),
				say(80, "Open and cancelled orders were not delivered.", sum(north, early, delivered)),
				say(60, "I check it by month.", use("query_csv", with{"path": "orders.csv", "where": []with{north, early, delivered},
					"select": []string{"date", "amount"}})),
				say(50, "The total is 4258.10."),
			}},
		},
	}
}
