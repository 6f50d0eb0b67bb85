package tasks

import (
	"context"
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
		Verify: func(_ context.Context, answer string, _ *os.Root) (bool, string) {
			day := mentions(answer, "8 May") || mentions(answer, "May 8") || mentions(answer, "8th May") || mentions(answer, "8th of May") ||
				mentions(answer, "May 8th") || mentions(answer, "2026-05-08")
			return day && mentions(answer, "Ines") && states(answer, 415, 0), "Ines leads it, done by 8 May, 415 a month"
		},
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(50, "", search, use("list_files", with{"path": "minutes"})),
				say(60, "", minutes("2026-03-10"), minutes("2026-03-24"), minutes("2026-04-07")),
				say(90, right),
			}},
			{name: "stops at the decision", odds: wrongUsual, turns: []simmodel.Play{
				say(40, "", search),
				say(50, "", minutes("2026-02-03"), minutes("2026-03-10")),
				say(60, "Yusuf leads the move to Harbor, which is done by 24 April. It costs 340 a month."),
			}},
			{name: "searches too widely first", odds: hastyUsual, right: true, turns: []simmodel.Play{
				say(35, "I search for everything that has to do with a queue, a move or a harbour.",
					use("search_text", with{"pattern": "queue|move|release|harbou?r", "regexp": true, "ignore_case": true})),
				say(35, "That is nearly every line of all of them. I read the minutes in which it was first spoken of, up to the one that decides it.",
					minutes("2026-02-03"),
					minutes("2026-02-17"), minutes("2026-03-10")),
				say(35, "Yusuf leads it and it is done by 24 April, at an estimate of 340 a month. I look whether later minutes change that.", search),
				say(35, "The date and the price have changed. I read the meeting in which that was decided, and what the folder holds.",
					minutes("2026-03-24"),
					use("list_files", with{"path": "minutes"})),
				say(35, "It is 415 a month now, and 8 May. There is one more meeting after that, so I read it too.", minutes("2026-04-07")),
				say(35, "Ines leads it from then on, and the date stays. I go over all of those that name it again, in case I mixed something up.",
					minutes("2026-03-10"), minutes("2026-03-24"), read("readme.txt")),
				say(60, right+" The estimate of 340 a month and the first date, 24 April, no longer hold."),
			}},
			{name: "reads all of them", odds: secondLook, right: true, turns: []simmodel.Play{
				say(50, "", search, use("list_files", with{"path": "minutes"})),
				say(60, "", minutes("2026-03-10"), minutes("2026-03-24"), minutes("2026-04-07")),
				say(60, "I read the rest too, to be sure of the order.", minutes("2026-02-03"), minutes("2026-02-17"), read("readme.txt")),
				say(70, right),
			}},
		},
	}
}
