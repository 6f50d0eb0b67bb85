package tasks

import (
	"context"
	"os"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

func energyCost() Task {
	sum := func(expression string) simmodel.Call { return use("calculate", with{"expression": expression}) }
	meters := []simmodel.Call{read("meters/hall.csv"), read("meters/office.csv"), read("meters/workshop.csv")}
	const (
		hall     = "(412.6 + 388.1 + 371.9)*0.2875"
		office   = "(129.3 + 118.8 + 120.5)*0.2875"
		workshop = "(450 + 450 + 440.2)*0.2875 + (56.4 + 13.7)*0.3420"
	)
	verify := number("the cost", 959.48, 2)
	return Task{
		Name: "energy-cost",
		Prompt: "meters/ holds what three meters counted in the first quarter, tariff.md how energy is paid for. What does the quarter cost for all " +
			"three together? Answer with the number, rounded to two decimals.",
		Tools:  []string{"read_file", "list_files", "calculate", "query_csv"},
		Verify: func(_ context.Context, answer string, _ *os.Root) (bool, string) { return verify(answer) },
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(30, "", read("tariff.md"), use("list_files", with{"path": "meters"})),
				say(30, "", meters...),
				say(60, "The workshop was above 450 in two months.", sum(hall), sum(office), sum(workshop)),
				say(30, "", sum("round(337.1225 + 105.9725 + 409.2817 + 9*11.90, 2)")),
				say(40, "The quarter costs 959.48."),
			}},
			{name: "misses the higher rate", odds: wrongHard, turns: []simmodel.Play{
				say(40, "", read("tariff.md"), use("list_files", with{"path": "meters"})),
				say(40, "", meters...),
				say(60, "", sum("round((412.6 + 388.1 + 371.9 + 506.4 + 463.7 + 440.2 + 129.3 + 118.8 + 120.5)*0.2875 + 9*11.90, 2)")),
				say(40, "The quarter costs 955.66."),
			}},
			{name: "writes a formula that the tool does not know", odds: hastyHard, right: true, stumbles: 1, turns: []simmodel.Play{
				say(35, "I read how energy is paid for and see which meters there are.", read("tariff.md"), use("list_files", with{"path": "meters"})),
				say(35, "I read them one after the other and begin with the hall.", read("meters/hall.csv")),
				say(35, "", sum("total(412.6, 388.1, 371.9) * 0.2875")),
				say(35, "There is no such function, so I add them up with signs. Then the two others as well.", sum(hall), read("meters/office.csv"),
					read("meters/workshop.csv")),
				say(35, "The office and the workshop are done in the same way.", sum(office), sum("(506.4 + 463.7 + 440.2)*0.2875")),
				say(35, "Two months of the workshop are above 450, and what is above costs more. I look which, and do it again.",
					use("query_csv", with{"path": "meters/workshop.csv", "where": []with{{"column": "kwh", "op": ">", "value": "450"}}}), sum(workshop)),
				say(35, "Now all of it, with the base fee of three meters in three months, which is counted by itself too.", sum("9*11.90"),
					sum("round("+hall+" + "+office+" + "+workshop+" + 9*11.90, 2)")),
				say(35, "The three meters cost 959.48 in the quarter. The base fee of nine months is in it, and the higher rate for what the "+
					"workshop used above "+
					"450 in January and in February."),
			}},
			{name: "adds up in another way", odds: secondLook, right: true, turns: []simmodel.Play{
				say(40, "", read("tariff.md"), use("list_files", with{"path": "meters"})),
				say(40, "", meters...),
				say(60, "The workshop was above 450 in two months.", sum("round("+hall+" + "+office+" + "+workshop+" + 9*11.90, 2)")),
				say(60, "I check it from the sum of all.", sum("2951.5*0.2875 + 70.1*(0.3420 - 0.2875) + 9*11.90"),
					use("query_csv", with{"path": "meters/workshop.csv", "where": []with{{"column": "kwh", "op": ">", "value": "450"}}})),
				say(40, "The quarter costs 959.48."),
			}},
		},
	}
}
