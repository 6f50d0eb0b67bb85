package tasks

import (
	"os"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

func searchFacts() Task {
	search := use("search_text", with{"pattern": "harbor", "ignore_case": true})
	minutes := func(day string) simmodel.Call { return read("minutes/" + day + ".md") }
	right := "The group moves its queue to Harbor, decided on 10 March 2026. Ines leads the move (since 7 April, Yusuf before), it is to be done by " +
		"8 May, and Harbor costs 415 a month."
	return Task{
		Name: "search-facts",
		Prompt: "What holds today about the move to Harbor? Search the minutes, and mind that later ones overrule earlier ones. Answer in two sentences " +
			"that name who leads the move, by which day it is done, and what it costs a month.",
		Tools: []string{"search_text", "read_file", "list_files"},
		Verify: func(answer string, _ *os.Root) (bool, string) {
			day := mentions(answer, "8 May") || mentions(answer, "May 8") || mentions(answer, "8th May") || mentions(answer, "8th of May") ||
				mentions(answer, "May 8th") || mentions(answer, "2026-05-08")
			return day && mentions(answer, "Ines") && states(answer, 415, 0), "Ines leads it, done by 8 May, 415 a month"
		},
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(110, "", search, use("list_files", with{"path": "minutes"})),
				say(200, "", minutes("2026-03-10"), minutes("2026-03-24"), minutes("2026-04-07")),
				say(340, right),
			}},
			{name: "stops at the decision", odds: wrongUsual, turns: []simmodel.Play{
				say(60, "", search),
				say(90, "", minutes("2026-02-03"), minutes("2026-03-10")),
				say(150, "Yusuf leads the move to Harbor, which is done by 24 April. It costs 340 a month."),
			}},
			{name: "searches too narrowly first", odds: detourUsual, right: true, turns: []simmodel.Play{
				say(60, "", use("search_text", with{"pattern": "move to harbour"})),
				say(80, "Nothing; perhaps it is spelled differently.", search),
				say(110, "", minutes("2026-03-10"), minutes("2026-03-24")),
				say(120, "There are later minutes.", minutes("2026-04-07"), read("readme.txt")),
				say(220, right),
			}},
			{name: "reads all of them", odds: secondLook, right: true, turns: []simmodel.Play{
				say(110, "", search, use("list_files", with{"path": "minutes"})),
				say(200, "", minutes("2026-03-10"), minutes("2026-03-24"), minutes("2026-04-07")),
				say(210, "I read the rest too, to be sure of the order.", minutes("2026-02-03"), minutes("2026-02-17"), read("readme.txt")),
				say(260, right),
			}},
		},
	}
}
