package tasks

import (
	"context"
	"os"
	"regexp"
	"time"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

// failingTest needs a POSIX shell: the suite is a shell script.
func failingTest() Task {
	run := use("run_command", with{"command": "sh", "args": []string{"run-tests.sh"}})
	right := "The test tests/cart.sh fails. The cause is lib/price.sh:9: the price is divided by 100 before it is multiplied, so the cents are lost."
	return Task{
		Name: "failing-test",
		Prompt: "One test of the suite in this folder fails. Run the suite with the command sh and the argument run-tests.sh, then find the line of " +
			"the library that is the cause. Answer with the test's file and the line to be fixed, as path:line.",
		Tools:    []string{"run_command", "read_file", "search_text", "list_files"},
		Commands: []string{"sh"},
		Pause:    time.Second, // a test
		Verify: func(_ context.Context, answer string, _ *os.Root) (bool, string) {
			return mentions(answer, "tests/cart.sh") && priceLine.MatchString(answer), "tests/cart.sh fails because of lib/price.sh:9"
		},
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(50, "I run the suite first.", run),
				say(60, "The cart is wrong for an odd price. I read the test and what it uses.",
					read("tests/cart.sh"), read("lib/cart.sh"), read("lib/price.sh")),
				say(80, right),
			}},
			{name: "blames the caller", odds: wrongUsual, turns: []simmodel.Play{
				say(40, "I run the suite first.", run),
				say(50, "I read the test and the cart.", read("tests/cart.sh"), read("lib/cart.sh")),
				say(70, "The test tests/cart.sh fails. The cause is lib/cart.sh:6: the discount is taken from the sum and not from each price."),
			}},
			{name: "reads the wrong file first", odds: hastyUsual, right: true, stumbles: 1, turns: []simmodel.Play{
				say(35, "I run the suite first.", run),
				say(35, "The test of the cart fails, and the two others do not, so I look at the cart.", read("cart.sh")),
				say(35, "There is no such file here. It must be in another folder; let me see what there is.", use("list_files", with{"recursive": true})),
				say(35, "I read the test and what it calls first, and run the suite once more to see whether it fails every time.",
					read("tests/cart.sh"), run),
				say(35, "It does, and with the odd price only: it got 1710 and wants 1799. I follow the call into the library.", read("lib/cart.sh"),
					read("lib/price.sh"), read("lib/check.sh")),
				say(35, "The cart only passes the discount on; it is computed with the price. I look who else uses it, in the library and in the tests.",
					use("search_text", with{"pattern": "discounted"})),
				say(50, right+" The tests of the price itself do not show it, because all of their prices are round, and a round price divided by "+
					"100 loses nothing."),
			}},
			{name: "tries the line by itself", odds: secondLook, right: true, turns: []simmodel.Play{
				say(60, "I run the suite first.", run),
				say(70, "The cart is wrong for an odd price. I read the test and what it uses.",
					read("tests/cart.sh"), read("lib/cart.sh"), read("lib/price.sh")),
				say(70, "I check the suspicion.",
					use("run_command", with{"command": "sh", "args": []string{"-c", ". lib/price.sh; discounted 1999 10; echo $((1999 * 90 / 100))"}})),
				say(50, right),
			}},
		},
	}
}

var priceLine = regexp.MustCompile(`(?i)\bprice\.sh\W{0,4}(?::|#L|\bline\b|,)\W*(?:line\W*)?9\b|\bline\W{0,4}9\W{0,4}(?:of|in)\W{0,4}(?:lib/)?price\.sh\b`)
