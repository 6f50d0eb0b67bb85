package bench

import (
	"fmt"
	"math"
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
//
// What is compared is instants, so both sides are cut into phases by one rule. A server that was late, because the
// machine was busy, has the pause in its log as a late token; to the client it is a stall if it was longer than the
// threshold. Where a truth lists its chunks (simmodel.Config.Chunks), they are cut at the attempt's own threshold;
// else the truth's phases are taken, in which only a fault makes a stall.
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
			got, want := measured(call.Final(), run.TimeScale), served(truth, call.Final(), run.TimeScale)
			for _, c := range compared {
				if got[c] == 0 && want[c] == 0 {
					continue
				}
				d := max(got[c]-want[c], want[c]-got[c])
				differences = append(differences, d)
				if d > a.Worst {
					a.Worst, a.WorstOf = d, c
				}
				if d <= max(time.Millisecond, want[c]/100) {
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

// spent is how long each component took, real time; wait is together with its halves.
type spent map[traces.Component]time.Duration

func (s spent) add(c traces.Component, d time.Duration) {
	if c == traces.Queue || c == traces.Prefill {
		c = traces.Wait
	}
	s[c] += d
}

// measured is what an attempt was recorded to have spent.
func measured(attempt *traces.Attempt, scale float64) spent {
	s := spent{}
	for _, p := range attempt.Phases {
		s.add(p.Component, p.End-p.Start)
	}
	for c, d := range s {
		s[c] = time.Duration(math.Round(float64(d) / scale))
	}
	return s
}

// served is what the server says that it spent on the response to an attempt.
func served(t *simmodel.Truth, attempt *traces.Attempt, scale float64) spent {
	s := spent{}
	threshold, known := attempt.Span.Attrs().Int(traces.KeyStallThreshold)
	if !known || len(t.Chunks) == 0 {
		for _, p := range t.Phases {
			s.add(p.Phase, p.End-p.Start)
		}
		return s
	}
	var chunks traces.Chunks
	for _, c := range t.Chunks {
		chunks.Add(c.At, c.Kind, 0)
	}
	for _, p := range chunks.Stretches(0, t.End, time.Duration(float64(threshold)/scale), traces.Response) {
		s.add(p.Component, p.To-p.From)
	}
	return s
}

// String says it in one line, "" if nothing was compared.
func (a Agreement) String() string {
	if a.Phases == 0 {
		return ""
	}
	return fmt.Sprintf("%d phases of %d responses against the server's own log: half differ by less than %v, the worst by %v (%s), real time; %.1f %% within 1 ms or 1 %%",
		a.Phases, a.Responses, a.Median.Round(time.Microsecond), a.Worst.Round(10*time.Microsecond), a.WorstOf, 100*float64(a.Within)/float64(a.Phases))
}
