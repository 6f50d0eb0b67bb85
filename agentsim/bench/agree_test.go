package bench

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/agentsim/tasks"
	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// oneCall draws a run of one model call with an attempt.
const oneCall = `
	run       ====================
	 model    ====================   gen_ai.response.id=a
	  attempt cwwwwrrrrroooosssstt   `

// truth is what a server says that spent so many milliseconds on each phase, in order.
func truth(id string, phases ...any) simmodel.Truth {
	t := simmodel.Truth{ID: id, Finish: "stop"}
	for i := 0; i < len(phases); i += 2 {
		end := t.End + time.Duration(phases[i+1].(float64)*float64(time.Millisecond))
		t.Phases = append(t.Phases, simmodel.TruthPhase{Phase: phases[i].(traces.Component), Start: t.End, End: end})
		t.End = end
	}
	return t
}

func TestAgree(t *testing.T) {
	exact := truth("a", traces.Queue, 1.0, traces.Prefill, 3.0, traces.Reasoning, 5.0, traces.Output, 4.0, traces.Stall, 4.0, traces.Tail, 2.0)
	ended := func(how string) simmodel.Truth {
		other := exact
		other.Finish = how
		return other
	}
	// A token came late: 4 ms, which the server has as output.
	late := truth("a", traces.Queue, 4.0, traces.Reasoning, 5.0, traces.Output, 8.0, traces.Tail, 2.0)
	lateChunks := late
	for _, c := range []struct {
		ms   int
		kind traces.Component
	}{{4, traces.Reasoning}, {6, traces.Reasoning}, {9, traces.Reasoning}, {11, traces.Output}, {13, traces.Output}, {17, traces.Output}} {
		lateChunks.Chunks = append(lateChunks.Chunks, simmodel.TruthChunk{At: time.Duration(c.ms) * time.Millisecond, Kind: c.kind, Tokens: 1})
	}
	for _, c := range []struct {
		name   string
		run    string
		truths []simmodel.Truth
		want   Agreement
	}{
		{
			name: "both say the same; connect is the client's alone, queue and prefill are its wait",
			run:  oneCall, truths: []simmodel.Truth{exact},
			want: Agreement{Responses: 1, Phases: 5, Within: 5},
		}, {
			name: "the worst and the middle of the differences; to 1 ms and no further is within",
			run:  oneCall,
			truths: []simmodel.Truth{truth("a", traces.Queue, 4.0, traces.Reasoning, 5.5, traces.Output, 3.0, traces.Stall, 2.0,
				traces.Tail, 2.2)},
			want: Agreement{Responses: 1, Phases: 5, Median: 500 * time.Microsecond, Worst: 2 * time.Millisecond, WorstOf: traces.Stall, Within: 4},
		}, {
			name: "1 % of a long phase is within, 2 % of it is not",
			run: `
				run       =========================   longpole.time_scale=0.01
				 model    =========================   gen_ai.response.id=a
				  attempt cooooooooooooooooooooooot`,
			truths: []simmodel.Truth{truth("a", traces.Output, 2323.0, traces.Tail, 102.0)},
			want:   Agreement{Responses: 1, Phases: 2, Median: 23 * time.Millisecond, Worst: 23 * time.Millisecond, WorstOf: traces.Output, Within: 1},
		}, {
			name: "a phase that one side does not have counts whole",
			run:  oneCall, truths: []simmodel.Truth{truth("a", traces.Queue, 4.0, traces.Reasoning, 5.0, traces.Output, 4.0, traces.ToolArgs, 4.0, traces.Tail, 2.0)},
			want: Agreement{Responses: 1, Phases: 6, Median: 0, Worst: 4 * time.Millisecond, WorstOf: traces.ToolArgs, Within: 4},
		}, {
			name: "differences are real time under a time scale",
			run:  strings.Replace(oneCall, "====\n", "====  longpole.time_scale=10\n", 1),
			truths: []simmodel.Truth{truth("a", traces.Prefill, 0.4, traces.Reasoning, 0.5, traces.Output, 0.4, traces.Stall, 0.4,
				traces.Tail, 0.5)},
			want: Agreement{Responses: 1, Phases: 5, Worst: 300 * time.Microsecond, WorstOf: traces.Tail, Within: 5},
		}, {
			name: "a late token is a stall on both sides if the server lists its chunks",
			run:  oneCall + "longpole.stall_threshold_ns=3500000", truths: []simmodel.Truth{lateChunks},
			want: Agreement{Responses: 1, Phases: 5, Within: 5},
		}, {
			name: "a late token within the threshold is none",
			run:  oneCall + "longpole.stall_threshold_ns=4000000", truths: []simmodel.Truth{lateChunks},
			want: Agreement{Responses: 1, Phases: 5, Worst: 4 * time.Millisecond, WorstOf: traces.Output, Within: 3},
		}, {
			name: "without its chunks the server's own phases are taken",
			run:  oneCall + "longpole.stall_threshold_ns=3500000", truths: []simmodel.Truth{late},
			want: Agreement{Responses: 1, Phases: 5, Worst: 4 * time.Millisecond, WorstOf: traces.Output, Within: 3},
		}, {
			name: "of a call that was made again the last attempt counts",
			run: `
				run        ==========================
				 model     ==========================   gen_ai.response.id=a
				  attempt1 cwwwx                        status:500
				  attempt2       cwwwwrrrrroooosssstt`,
			truths: []simmodel.Truth{exact},
			want:   Agreement{Responses: 1, Phases: 5, Within: 5},
		}, {
			name: "a call that failed is left out",
			run:  strings.Replace(oneCall, "response.id=a", "response.id=a error", 1), truths: []simmodel.Truth{exact},
		}, {
			name: "a response that the server does not know is left out",
			run:  oneCall, truths: []simmodel.Truth{truth("b", traces.Queue, 4.0)},
		}, {
			name: "a response that the server gave twice is left out",
			run:  oneCall, truths: []simmodel.Truth{exact, exact},
		}, {
			name: "what the server did not finish is not its response",
			run:  oneCall, truths: []simmodel.Truth{ended("cut"), exact, ended("cancelled"), ended("error"), truth("", traces.Queue, 1.0)},
			want: Agreement{Responses: 1, Phases: 5, Within: 5},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Agree([]*traces.Run{tracetest.Parse(t, c.run)}, c.truths)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnAgreementIsOneLine(t *testing.T) {
	if got := (Agreement{}).String(); got != "" {
		t.Errorf("nothing was compared, but it says %q", got)
	}
	a := Agreement{Responses: 3, Phases: 16, Median: 41234, Worst: 1234567, WorstOf: traces.Wait, Within: 15}
	want := "16 phases of 3 responses against the server's own log: half differ by less than 41µs, the worst by 1.23ms (wait), real time; 93.8 % within 1 ms or 1 %"
	if got := a.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A witness collects truths.
type witness struct {
	mu   sync.Mutex
	list []simmodel.Truth
}

func (w *witness) see(t simmodel.Truth) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, t)
}

func TestEveryPhaseAgreesToTheNanosecond(t *testing.T) {
	const latency = 7 * time.Millisecond
	for _, c := range []struct {
		name   string
		link   simnet.Link
		speed  float64
		wait   time.Duration // by how much waits differ; nothing else does
		within int           // of 100
	}{
		{"on a perfect wire", simnet.Link{}, 1, 0, 100},
		{"at ten times the speed", simnet.Link{}, 10, 0, 100},
		{"on a wire with latency, but for the way there and back", simnet.Link{Latency: latency}, 1, 2 * latency, 75},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p Plan) {
				network := simnet.New()
				defer network.Close()
				port := 1000
				p.listen = func() (net.Listener, error) {
					port++
					host := fmt.Sprintf("127.0.0.1:%d", port)
					network.SetLink(host, c.link)
					return network.Listen(host), nil
				}
				p.dial = network.DialContext
				var server witness
				p.Sim.Truth = server.see
				p.Sim.Faults = simmodel.Faults{RateLimit: 0.1, Cut: 0.1, Stall: 0.3}
				p.Speed, p.Trials, p.Loads = c.speed, 1, nil
				p.Tasks = slices.DeleteFunc(p.Tasks, func(t tasks.Task) bool { return t.Site != nil })
				made, err := p.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				var runs []*traces.Run
				for _, m := range made {
					runs = append(runs, load(t, p.Store, m.ID))
				}
				a := Agree(runs, server.list)
				if a.Responses < 60 || a.Median != 0 || a.Worst != c.wait || a.Within < a.Phases*c.within/100 {
					t.Errorf("%+v: %s", a, a)
				}
				stalls := 0
				for i := range server.list {
					truth := &server.list[i]
					if truth.Phase(traces.Stall) > 0 {
						stalls++
					}
					truth.Chunks = nil // what remains are the server's own names
				}
				if own := Agree(runs, server.list); own != a || stalls < 10 {
					t.Errorf("by the server's own phases, with %d stalls: %s", stalls, own)
				}
			})
		})
	}
}
