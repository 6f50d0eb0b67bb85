package critpath_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// replayed writes when the spans without phases' names take place, in columns, after parts were changed.
func replayed(run *traces.Run, edges critpath.Edges, change func(critpath.Part) float64) string {
	r := critpath.Find(run).Replay(edges)
	lengths := r.Lengths()
	for i, p := range r.Parts {
		lengths[i] = time.Duration(float64(lengths[i]) * change(p))
	}
	timing := r.Play(lengths)
	var list []string
	for i, s := range run.Spans {
		if s.Role != traces.RolePhase {
			list = append(list, fmt.Sprintf("%s %d-%d", s.ID, timing.Start[i]/time.Millisecond, timing.End[i]/time.Millisecond))
		}
	}
	return strings.Join(list, ", ")
}

func TestReplay(t *testing.T) {
	none := func(critpath.Part) float64 { return 1 }
	of := func(factor float64, ids ...string) func(critpath.Part) float64 {
		return func(p critpath.Part) float64 {
			for _, id := range ids {
				if p.Span.ID == id {
					return factor
				}
			}
			return 1
		}
	}
	for _, test := range []struct {
		name   string
		run    string
		edges  critpath.Edges
		change func(critpath.Part) float64
		want   string
	}{
		{
			name: "what came after waits, with the agent's own time kept",
			run: `
				run    ============
				 chat  ====
				 read       ====`,
			change: of(2, "chat"),
			want:   "run 0-16, chat 0-8, read 9-13",
		},
		{
			name: "the slower of two parallel tools decides when the next call starts",
			run: `
				run    ==============
				 read  ===
				 grep  =======
				 chat          ======`,
			change: of(3, "read"),
			want:   "run 0-16, grep 0-7, read 0-9, chat 10-16",
		},
		{
			name: "a tool that was streamed starts at the same position in the model's output",
			run: `
				run    ==================
				 chat  wwoooooooo
				 read        ===========`,
			change: of(0.5, "chat/output"),
			want:   "run 0-16, chat 0-6, read 4-15",
		},
		{
			name: "a longer end of the output does not hold up a tool that was streamed",
			run: `
				run    ==================
				 chat  wwooaaaatt
				 read        ===========`,
			change: of(3, "chat/tail"),
			want:   "run 0-18, chat 0-14, read 6-17",
		},
		{
			name: "a tool that outlives its step starts in the step and holds up the run",
			run: `
				run     ===============
				 step1  =====
				  ls    ==
				  make    ==========
				 step2               ==`,
			change: of(2, "ls"),
			want:   "run 0-17, step1 0-7, ls 0-4, make 4-14, step2 15-17",
		},
		{
			name: "a child after its parent's end is handed on at the end of the parent",
			run: `
				run     ===============
				 agent1 ====
				  ls    ===
				  agent2    =====`,
			change: of(2, "ls"),
			want:   "run 0-18, agent1 0-7, ls 0-6, agent2 7-12",
		},
		{
			name: "a declared dependency takes the place of all that finished before",
			run: `
				run    ==============
				 ls    ===
				 cat   =====
				 wc         =========    link:ls`,
			change: of(2, "cat"),
			want:   "run 0-14, cat 0-10, ls 0-3, wc 5-14",
		},
		{
			name: "background work holds up only what declares to have waited for it",
			run: `
				run      ==============
				 index   =======          background
				 push    ====             background
				 search          ====     link:index`,
			change: of(2, "index", "push"),
			want:   "run 0-21, index 0-14, push 0-8, search 15-19",
		},
		{
			name: "the loser of a race releases nobody, and the hedge starts when it was tired of waiting",
			run: `
				run        ===========
				 chat      =========
				  attempt1 =========     cancelled longpole.attempt=1
				  attempt2    =====      longpole.attempt=2`,
			change: of(2, "attempt1"),
			want:   "run 0-14, chat 0-12, attempt1 0-18, attempt2 6-11",
		},
		{
			name: "work that outlives the run starts after what it waited for and does not lengthen the run",
			run: `
				run     =======
				 ls     ===
				 flush     =======`,
			change: of(2, "ls", "flush"),
			want:   "run 0-10, ls 0-6, flush 6-20",
		},
		{
			name: "where structure alone counts, tools wait for their model only and the next model for all of them",
			run: `
				run    ================
				 chat  ===                asks:a,b
				 ls       ==              call:a
				 cat        ====          call:b
				 chat             =====`,
			edges:  critpath.Edges{Structural: true},
			change: of(4, "ls"),
			want:   "run 0-18, chat 0-3, ls 3-11, cat 5-9, chat.2 13-18",
		},
		{
			name: "where structure alone counts, nothing but the run's end waits for a side call",
			run: `
				run            ============
				 plan:internal =
				 chat           ==           side
				 chat               =====`,
			edges:  critpath.Edges{Structural: true},
			change: of(2, "chat"),
			want:   "run 0-12, plan 0-1, chat 1-5, chat.2 5-10",
		},
		{
			name: "the tools of one message start at once, the next model after the last of them",
			run: `
				run    ==================
				 chat  ===                  asks:a,b,c
				 ls        ===              call:a
				 cat           ====         call:b
				 wc                ==       call:c
				 chat                 ===`,
			edges:  critpath.Edges{ToolsAtOnce: true},
			change: none,
			want:   "run 0-12, chat 0-3, ls 4-7, cat 4-8, wc 3-5, chat.2 9-12",
		},
		{
			name: "the tools of one message start each when its arguments are complete",
			run: `
				run    ==================
				 chat  wwaaoaat             asks:a,b
				 ls            ====         call:a
				 cat               ====     call:b
				 chat                  ==`,
			edges:  critpath.Edges{ToolsEarly: true},
			change: none,
			want:   "run 0-13, chat 0-8, ls 4-8, cat 7-11, chat.2 11-13",
		},
		{
			name: "arguments in one piece are taken to be of one length",
			run: `
				run    ==================
				 chat  wwaaaat              asks:a,b
				 ls           =====         call:a
				 cat               ====     call:b
				 chat                  ==`,
			edges:  critpath.Edges{ToolsEarly: true},
			change: none,
			want:   "run 0-12, chat 0-7, ls 4-9, cat 6-10, chat.2 10-12",
		},
		{
			name: "tools of different messages still wait for each other",
			run: `
				run    ==================
				 chat  ==                  asks:a
				 ls      ===               call:a
				 chat       ==             asks:b
				 cat          ====         call:b`,
			edges:  critpath.Edges{ToolsEarly: true},
			change: none,
			want:   "run 0-18, chat 0-2, ls 2-5, chat.2 5-7, cat 7-11",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := tracetest.Parse(t, test.run)
			if got := replayed(run, test.edges, test.change); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
