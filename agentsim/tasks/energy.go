package tasks

import (
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
		Verify: func(answer string, _ *os.Root) (bool, string) { return verify(answer) },
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(100, "", read("tariff.md"), use("list_files", with{"path": "meters"})),
				say(130, "", meters...),
				say(480, "", sum(hall), sum(office), sum(workshop), sum("9*11.90")),
				say(190, "", sum("round("+hall+" + "+office+" + "+workshop+" + 9*11.90, 2)")),
				say(160, "The quarter costs 959.48."),
			}},
			{name: "misses the higher rate", odds: wrongHard, turns: []simmodel.Play{
				say(70, "", read("tariff.md"), use("list_files", with{"path": "meters"})),
				say(60, "", meters...),
				say(190, "", sum("round((412.6 + 388.1 + 371.9 + 506.4 + 463.7 + 440.2 + 129.3 + 118.8 + 120.5)*0.2875 + 9*11.90, 2)")),
				say(60, "The quarter costs 955.66."),
			}},
			{name: "writes a formula that the tool does not know", odds: detourUsual, right: true, stumbles: 1, turns: []simmodel.Play{
				say(70, "", read("tariff.md"), use("list_files", with{"path": "meters"})),
				say(60, "", meters...),
				say(180, "", sum("total(412.6, 388.1, 371.9) * 0.2875")),
				say(160, "", sum(hall), sum(office), sum(workshop)),
				say(110, "", sum("round("+hall+" + "+office+" + "+workshop+" + 9*11.90, 2)")),
				say(60, "959.48"),
			}},
			{name: "adds up in another way", odds: secondLook, right: true, turns: []simmodel.Play{
				say(100, "", read("tariff.md"), use("list_files", with{"path": "meters"})),
				say(130, "", meters...),
				say(480, "", sum("round("+hall+" + "+office+" + "+workshop+" + 9*11.90, 2)")),
				say(240, "I check it from the sum of all.", sum("2951.5*0.2875 + 70.1*(0.3420 - 0.2875) + 9*11.90"),
					use("query_csv", with{"path": "meters/workshop.csv", "where": []with{{"column": "kwh", "op": ">", "value": "450"}}})),
				say(130, "The quarter costs 959.48."),
			}},
		},
	}
}
