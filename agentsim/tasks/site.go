package tasks

import (
	"context"
	"os"
	"regexp"
	"time"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

func sitePrices() Task {
	sum := func(expression string) simmodel.Call { return use("calculate", with{"expression": expression}) }
	order := say(30, "", read("order.txt"), read("site.txt"))
	verify := number("the order with shipping", 370.30, 2)
	return Task{
		Name: "site-prices",
		Prompt: "order.txt says what is wanted and site.txt the address of a shop, whose first page names the others. What does the whole order cost, " +
			"shipping included? Answer with the number, two decimals.",
		Tools: []string{"read_file", "fetch_url", "calculate"},
		Site: &Site{Pages: folder("sites/site-prices"), Delay: map[string]time.Duration{
			"index.txt": 600 * time.Millisecond, "saw.txt": 900 * time.Millisecond, "drill.txt": 800 * time.Millisecond,
			"clamp.txt": 2600 * time.Millisecond, "shipping.txt": 700 * time.Millisecond,
		}},
		Verify: func(_ context.Context, answer string, _ *os.Root) (bool, string) { return verify(answer) },
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				order,
				fetch(30, "", "index.txt"),
				fetch(40, "", "saw.txt", "drill.txt", "clamp.txt", "shipping.txt"),
				say(40, "", sum("4*44 + 129.90 + ceil(10/4)*18.20"), sum("4*44 + 129.90 + ceil(10/4)*18.20 + 9.80")),
				say(40, "The goods are 360.50, which is below 400, so shipping is added: 370.30."),
			}},
			{name: "forgets the shipping", odds: wrongUsual, turns: []simmodel.Play{
				order,
				fetch(40, "", "index.txt"),
				fetch(40, "", "saw.txt", "drill.txt", "clamp.txt"),
				say(50, "", sum("4*44 + 129.90 + 3*18.20")),
				say(40, "The order costs 360.50."),
			}},
			{name: "guesses a page", odds: hastyUsual, right: true, stumbles: 1, turns: []simmodel.Play{
				say(30, "I read what is wanted, and the address at which the shop is.", read("order.txt"), read("site.txt")),
				fetch(30, "I try whether the shop has one list of all its prices.", "prices.txt"),
				fetch(30, "There is no such page, so I begin with the first one and see which there are.", "index.txt"),
				fetch(30, "There are four pages. I get those of what is wanted and leave out the one about shipping.", "saw.txt", "drill.txt", "clamp.txt"),
				say(35, "Now four saws, one drill and ten clamps, each at the price on its page.", sum("4*48.50 + 129.90 + 10*18.20")),
				fetch(35, "That is a lot for ten clamps. Was their price for one or for a pack? I read the pages again, and the one about shipping.",
					"saw.txt", "clamp.txt", "shipping.txt"),
				say(35, "Saws are cheaper from three pieces on, and the price of the clamps was for a pack of four, so that ten clamps are three "+
					"packs. The goods are below 400, and shipping is added.",
					sum("4*44 + 129.90 + 3*18.20"), sum("4*44 + 129.90 + 3*18.20 + 9.80")),
				say(35, "The whole order costs 370.30: four saws at 44.00, the drill at 129.90, three packs of clamps at 18.20, and 9.80 for shipping."),
			}},
			{name: "one page after the other", odds: secondLook, right: true, turns: []simmodel.Play{
				order,
				fetch(40, "", "index.txt"),
				fetch(40, "", "saw.txt", "drill.txt", "clamp.txt"),
				fetch(40, "", "shipping.txt"),
				say(50, "", sum("4*44 + 129.90 + 3*18.20 + 9.80")),
				say(40, "The order costs 370.30."),
			}},
		},
	}
}

var siteAddress = regexp.MustCompile(`http://[^\s"]+`)

// fetch is a turn that says text and asks for pages of the site, whose address is in the results of earlier calls.
func fetch(think int, text string, pages ...string) simmodel.Play {
	return func(t simmodel.Turn) simmodel.Reply {
		var address string
		for _, m := range t.Messages {
			if m.Role == "tool" && address == "" {
				address = siteAddress.FindString(m.Content)
			}
		}
		reply := simmodel.Reply{ReasoningTokens: think, Text: text}
		for _, p := range pages {
			reply.Calls = append(reply.Calls, use("fetch_url", with{"url": address + "/" + p}))
		}
		return reply
	}
}
