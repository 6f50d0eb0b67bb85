package tasks

import (
	"testing"
)

func TestVerifiersAcceptAnyPhrasingOfTheRightAnswerAndNoOther(t *testing.T) {
	cases := []struct {
		task, answer string
		want         bool
	}{
		{"csv-total", "4258.10", true},
		{"csv-total", "The total is **4,258.10**.", true},
		{"csv-total", "4258.1 (21 orders)", true},
		{"csv-total", "€4.258,10", true},
		{"csv-total", "4 258,10 €", true},
		{"csv-total", "From 21 orders: $4’258.10", true},
		{"csv-total", `\boxed{4258.10}`, true},
		{"csv-total", "4258", false},
		{"csv-total", "5141.05", false},
		{"csv-total", "42581.0", false},
		{"csv-total", "", false},
		{"energy-cost", "959.48", true},
		{"energy-cost", "It costs 959,48.", true},
		{"energy-cost", "959.4767, rounded 959.48", true},
		{"energy-cost", "959.47", false},
		{"site-prices", "Total: 370.30", true},
		{"site-prices", "370.3", true},
		{"site-prices", "360.50", false},
		{"failing-test", "tests/cart.sh fails; fix lib/price.sh:9", true},
		{"failing-test", "**Test:** `tests/cart.sh`\n**Line:** `lib/price.sh:9`", true},
		{"failing-test", "tests/cart.sh, because of lib/price.sh, line 9.", true},
		{"failing-test", "tests/cart.sh, because of line 9 of `lib/price.sh`", true},
		{"failing-test", "tests/cart.sh, lib/price.sh:90", false},
		{"failing-test", "tests/price.sh, lib/price.sh:9", false},
		{"failing-test", "tests/cart.sh, lib/cart.sh:6", false},
		{"reference-chain", "amber falcon granite harbour willow", true},
		{"reference-chain", "1. Amber\n2. Falcon\n3. Granite\n4. Harbour\n5. Willow", true},
		{"reference-chain", "`amber-falcon-granite-harbour-willow`", true},
		{"reference-chain", "amber falcon granite willow harbour", false},
		{"reference-chain", "amber falcon marble willow amber", false},
		{"search-facts", "Ines leads it. It is done by May 8, 2026 and costs 415 per month.", true},
		{"search-facts", "Lead: Ines; deadline: 8th of May; price: €415/month", true},
		{"search-facts", "Ines, 2026-05-08, 415.00", true},
		{"search-facts", "Ines leads it, done by 24 April, 415 a month", false},
		{"search-facts", "Yusuf leads it, done by 8 May, 415 a month", false},
		{"search-facts", "Ines leads it, done by 8 May, 340 a month", false},
		{"search-facts", "Ines leads it, done by 18 May, 415 a month", false},
		{"compare-json", "image.tag, features.dunning, database.pool.timeout_ms", true},
		{"compare-json", "- `database.pool.timeout_ms`\n- `features.dunning`\n- `image.tag`", true},
		{"compare-json", "image.tag, features.dunning", false},
		{"compare-json", "image.tag, features.dunning, database.pool.timeout_ms, limits.memory", false},
		{"first-error", "stock, E4107, nightly-recount", true},
		{"first-error", "The *stock* service failed with `E4107` since job \"nightly-recount\" held the lock.", true},
		{"first-error", "orders, E2003, nightly-recount", false},
		{"fix-config", "I changed everything as it should be.", false},
	}
	all := map[string]Task{}
	for _, task := range All() {
		all[task.Name] = task
	}
	for _, c := range cases {
		w := open(t, all[c.task])
		if got, says := w.Verify(t.Context(), c.answer); got != c.want {
			t.Errorf("%s: the verifier says %v (%s) of %q", c.task, got, says, c.answer)
		}
	}
}

func TestAConfigIsJudgedByTheFile(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          bool
	}{
		{"another log level that is allowed will do", serviceConfig("8080", `, "weight": 20`, "warn"), true},
		{"the layout does not matter", `{"log":{"file":"orders.log","level":"info"},"name":"orders","listen":{"port":8080.0,"address":"127.0.0.1"},` +
			`"timeouts":{"idle_ms":60000,"request_ms":30000},"backends":[{"address":"10.0.0.11:9000","weight":50},` +
			`{"address":"10.0.0.12:9000","weight":30},{"weight":20,"address":"10.0.0.13:9000"}]}`, true},
		{"the port must be a number", serviceConfig(`"8080"`, `, "weight": 20`, "info"), false},
		{"the port must be kept", serviceConfig("8081", `, "weight": 20`, "info"), false},
		{"the weights must add up", serviceConfig("8080", `, "weight": 10`, "info"), false},
		{"a log level that is not allowed will not do", serviceConfig("8080", `, "weight": 20`, "verbose"), false},
		{"broken JSON will not do", serviceConfig("8080", ` "weight": 20`, "info"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := fixConfig()
			task.Files = folder("files/fix-config")
			w := open(t, task)
			if err := w.Root.WriteFile("service.json", []byte(c.content), 0o644); err != nil {
				t.Fatal(err)
			}
			if got, says := w.Verify(t.Context(), "done"); got != c.want {
				t.Errorf("the verifier says %v: %s", got, says)
			}
		})
	}
}

func FuzzNumbersNeverPanic(f *testing.F) {
	for _, seed := range []string{"1,234.56", "1 234 567", "−3", "1.2.3,4", "٣", "1\u00a0000"} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, text string) { numbers(text); plainWords(text) })
}
