package bench

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/traces"
)

// An Agreement is how well the recorded phases of responses agree with what the simulated model says it did. Differences
// are real time, not scaled: what the two clocks, the sockets and the scheduler add.
type Agreement struct {
	Responses int           // finished responses that both sides know
	Phases    int           // compared: wait, reasoning, output, tool_args, stall and tail of each response, where either has them
	Median    time.Duration // of the absolute differences
	Worst     time.Duration
	WorstOf   traces.Component
	Within    int // phases that differ by no more than 1 ms or 1 %
}

// compared are the phases that both sides see; connect is the client's alone.
var compared = []traces.Component{traces.Wait, traces.Reasoning, traces.Output, traces.ToolArgs, traces.Stall, traces.Tail}

// Agree compares the final attempts of the runs' model calls with the truths of the same responses, matched by response id.
// A response that several truths share (the same request answered twice) is left out.
func Agree(runs []*traces.Run, truths []simmodel.Truth) Agreement {
	byID := map[string]*simmodel.Truth{}
	for i := range truths {
		t := &truths[i]
		if t.ID == "" || t.Finish == "cut" || t.Finish == "cancelled" || t.Finish == "error" {
			continue
		}
		if _, twice := byID[t.ID]; twice {
			byID[t.ID] = nil
			continue
		}
		byID[t.ID] = t
	}
	var a Agreement
	var differences []time.Duration
	for _, run := range runs {
		for _, call := range run.ModelCalls {
			truth := byID[call.Span.Attrs().String(traces.KeyResponseID)]
			if truth == nil || call.Outcome != traces.OK {
				continue
			}
			a.Responses++
			for _, c := range compared {
				got, want := measured(call.Final(), c, run.TimeScale), served(truth, c)
				if got == 0 && want == 0 {
					continue
				}
				d := max(got-want, want-got)
				differences = append(differences, d)
				if d > a.Worst {
					a.Worst, a.WorstOf = d, c
				}
				if d <= max(time.Millisecond, want/100) {
					a.Within++
				}
			}
		}
	}
	a.Phases = len(differences)
	if a.Phases > 0 {
		slices.Sort(differences)
		a.Median = differences[len(differences)/2]
	}
	return a
}

// measured returns the real time that an attempt spent in a component; wait is together with its halves.
func measured(attempt *traces.Attempt, c traces.Component, scale float64) time.Duration {
	var sum time.Duration
	for _, p := range attempt.Phases {
		if p.Component == c || c == traces.Wait && (p.Component == traces.Queue || p.Component == traces.Prefill) {
			sum += p.End - p.Start
		}
	}
	return time.Duration(float64(sum) / scale)
}

func served(t *simmodel.Truth, c traces.Component) time.Duration {
	if c == traces.Wait {
		return t.Phase(traces.Wait) + t.Phase(traces.Queue) + t.Phase(traces.Prefill)
	}
	return t.Phase(c)
}

// String says it in one line, "" if nothing was compared.
func (a Agreement) String() string {
	if a.Phases == 0 {
		return ""
	}
	return fmt.Sprintf("%d phases of %d responses against the server's own log: half differ by less than %v, the worst by %v (%s), real time; %.1f %% within 1 ms or 1 %%",
		a.Phases, a.Responses, a.Median.Round(time.Microsecond), a.Worst.Round(10*time.Microsecond), a.WorstOf, 100*float64(a.Within)/float64(a.Phases))
}
