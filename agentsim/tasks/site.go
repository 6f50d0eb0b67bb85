package tasks

import (
	"os"
	"regexp"
	"time"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

func sitePrices() Task {
	sum := func(expression string) simmodel.Call { return use("calculate", with{"expression": expression}) }
	order := say(70, "", read("order.txt"), read("site.txt"))
	verify := number("the order with shipping", 370.30, 2)
	return Task{
		Name: "site-prices",
		Prompt: "order.txt says what is wanted and site.txt the address of a shop, whose first page names the others. What does the whole order cost, " +
			"shipping included? Answer with the number, two decimals.",
		Tools: []string{"read_file", "fetch_url", "calculate"},
		Site: &Site{Pages: folder("sites/site-prices"), Delay: map[string]time.Duration{
			"index.txt": 600 * time.Millisecond, "saw.txt": 900 * time.Millisecond, "drill.txt": 800 * time.Millisecond,
			"clamp.txt": 3200 * time.Millisecond, "shipping.txt": 700 * time.Millisecond,
		}},
		Verify: func(answer string, _ *os.Root) (bool, string) { return verify(answer) },
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				order,
				fetch(90, "index.txt"),
				fetch(140, "saw.txt", "drill.txt", "clamp.txt", "shipping.txt"),
				say(360, "", sum("4*44 + 129.90 + ceil(10/4)*18.20"), sum("4*44 + 129.90 + ceil(10/4)*18.20 + 9.80")),
				say(190, "The goods are 360.50, which is below 400, so shipping is added: 370.30."),
			}},
			{name: "forgets the shipping", odds: wrongUsual, turns: []simmodel.Play{
				order,
				fetch(60, "index.txt"),
				fetch(70, "saw.txt", "drill.txt", "clamp.txt"),
				say(150, "", sum("4*44 + 129.90 + 3*18.20")),
				say(70, "The order costs 360.50."),
			}},
			{name: "guesses a page", odds: detourUsual, right: true, stumbles: 1, turns: []simmodel.Play{
				order,
				fetch(60, "prices.txt"),
				fetch(70, "index.txt"),
				fetch(70, "saw.txt", "drill.txt", "clamp.txt", "shipping.txt"),
				say(210, "", sum("4*44 + 129.90 + 3*18.20 + 9.80")),
				say(90, "It costs 370.30 with shipping."),
			}},
			{name: "one page after the other", odds: simmodel.Odds{"low": 0.10, "medium": 0.10, "high": 0.06}, right: true, turns: []simmodel.Play{
				order,
				fetch(70, "index.txt"),
				fetch(80, "saw.txt", "drill.txt"),
				fetch(90, "clamp.txt"),
				fetch(90, "shipping.txt"),
				say(280, "", sum("4*44 + 129.90 + 3*18.20 + 9.80")),
				say(150, "The order costs 370.30."),
			}},
		},
	}
}

var siteAddress = regexp.MustCompile(`http://[^\s"]+`)

// fetch is a turn that asks for pages of the site, whose address is in the results of earlier calls.
func fetch(think int, pages ...string) simmodel.Play {
	return func(t simmodel.Turn) simmodel.Reply {
		var address string
		for _, m := range t.Messages {
			if m.Role == "tool" && address == "" {
				address = siteAddress.FindString(m.Content)
			}
		}
		reply := simmodel.Reply{ReasoningTokens: think}
		for _, p := range pages {
			reply.Calls = append(reply.Calls, use("fetch_url", with{"url": address + "/" + p}))
		}
		return reply
	}
}
