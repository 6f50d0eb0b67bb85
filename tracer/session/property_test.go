package session_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/traces"
)

var rounds = flag.Int("rounds", 300, "random traffics to try")

// Whatever comes, each exchange is one attempt, spans nest, phases tile attempts, and the critical path tiles the run.
func TestAnyTrafficMakesSoundRuns(t *testing.T) {
	for seed := range *rounds {
		reqs := randomTraffic(rand.New(rand.NewPCG(uint64(seed), 7)))
		for _, one := range []bool{true, false} {
			observe(t, session.Options{OneRun: one}, traffic(reqs)...)
			if t.Failed() {
				for _, r := range reqs {
					t.Logf("%+v", r)
				}
				t.Fatalf("seed %d, one run %t", seed, one)
			}
		}
	}
}

// A talk is a conversation that a random client goes on with, or does something odd with.
type talk struct {
	last  req
	asked []string // ids whose results are due
}

func randomTraffic(r *rand.Rand) []req {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var (
		reqs  []req
		talks []*talk
		now   = 0
		ids   = 0
		paths = []string{"", "/v1/responses", "/v1/messages", "/api/chat"}
	)
	for range 1 + r.IntN(40) {
		now += []int{0, 1, 16, 300, 1500, 40_000}[r.IntN(6)]
		var x *talk
		if len(talks) == 0 || r.IntN(4) == 0 {
			x = &talk{last: req{says: "sys:" + pick("s", "t") + " user:" + pick("u", "v"), model: pick("big", "mini"), tools: r.IntN(3) - 1, path: paths[r.IntN(4)],
				session: pick("", "", "s1"), subagent: pick("", "", "", "scout"), schema: r.IntN(5) == 0, whole: r.IntN(3) == 0, agent: pick("agent/1", "codex/2")}}
			talks = append(talks, x)
		} else {
			x = talks[r.IntN(len(talks))]
			switch r.IntN(6) {
			case 0: // the same again
			case 1:
				x.last.says += " user:more"
			case 2:
				x.last.says += " bot:half"
			case 3:
				x.last.tools = -1
				x.last.says += " bot:text user:sum-up"
			default:
				x.bring(r)
			}
		}
		q := x.last
		q.at, q.end = now, now+1+r.IntN(2000)
		q.last = q.at + r.IntN(q.end-q.at+1)
		q.conn = int64(r.IntN(4))
		q.retry = pick("", "0", "1")
		q.status, q.outcome = 200, traces.OK
		switch r.IntN(6) {
		case 0:
			q.status = 429
		case 1:
			q.outcome = []traces.Outcome{traces.Truncated, traces.Cancelled, traces.Timeout, traces.Error}[r.IntN(4)]
		}
		q.asks, q.id = "", fmt.Sprint("resp", len(reqs))
		x.asked = nil
		for range r.IntN(3) {
			id := ""
			if r.IntN(5) > 0 {
				ids++
				id = fmt.Sprint("id", ids/(1+r.IntN(2))) // some twice
			}
			q.asks += " " + id + "=" + pick("ls", "task")
			x.asked = append(x.asked, id)
		}
		x.last.previous = ""
		if r.IntN(4) == 0 {
			x.last.previous = q.id
		}
		x.last.thread = r.IntN(3) == 0
		reqs = append(reqs, q)
	}
	return reqs
}

// bring goes on with the results that are due, or some of them.
func (x *talk) bring(r *rand.Rand) {
	var named []string
	for _, id := range x.asked {
		if id != "" {
			named = append(named, id)
		}
	}
	if len(named) == 0 {
		x.last.says += " bot:called user:results"
		return
	}
	x.last.says += " call:" + strings.Join(named, ",")
	for _, id := range named {
		if r.IntN(4) > 0 {
			x.last.says += " result:" + id
		}
	}
}
