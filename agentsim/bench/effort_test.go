package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
)

func TestTheFasterCallsAreNotTheSoonerAnswers(t *testing.T) {
	for _, model := range []string{"sim-moe-13b", "sim-dense-70b"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, p Plan) {
				p.Models, p.Trials, p.Loads = []string{model}, 4, []Load{{Users: 6}}
				p.Sim = &simmodel.Config{}
				made, err := p.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				var runs []*measure.Run
				for _, m := range made {
					runs = append(runs, measure.Of(load(t, p.Store, m.ID)))
				}
				groups := measure.GroupBy(runs, "effort")
				var table strings.Builder
				if err := report.WriteGroups(&table, groups, report.TextOptions{Width: 120}); err != nil {
					t.Error(err)
				}
				t.Log(table.String())

				answer, call := map[string]time.Duration{}, map[string]time.Duration{}
				for _, g := range groups {
					answer[g.Key["effort"]], call[g.Key["effort"]] = *g.TimeToCorrect.Median, *g.Calls.Time
				}
				for _, c := range []struct { // with eight seeds, the least factors were 1.39, 1.68, 1.23 and 2.24
					says       string
					less, more time.Duration
					times      float64 // more ÷ less, at least
				}{
					{"medium is right sooner than low", answer["medium"], answer["low"], 1.2},
					{"medium is right sooner than high", answer["medium"], answer["high"], 1.4},
					{"a call at low is shorter than one at medium", call["low"], call["medium"], 1.1},
					{"a call at low is shorter than one at high", call["low"], call["high"], 2},
				} {
					if got := float64(c.more) / float64(c.less); got < c.times {
						t.Errorf("%s by a factor of %.2f only, want %.2f or more", c.says, got, c.times)
					}
				}
				low := compare.Of(groups, compare.Options{Pairs: compare.All}).Pairs[0] // medium against low
				if *low.Ratio >= 1 {
					t.Errorf("medium takes %.2f of low's time", *low.Ratio)
				}
				causes := map[string]time.Duration{}
				for _, cause := range low.Causes {
					causes[cause.Name] = cause.Time
				}
				if causes["steps"] > -4*time.Second || causes["reasoning tokens per call"] < 3*time.Second {
					t.Errorf("medium − low by cause: %v; want much less by steps, less of that lost by reasoning", causes)
				}
			})
		})
	}
}
