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

// write returns a path as text: "span from-to component", times in the drawing's columns, a tool's name and a quality other
// than measured behind the component.
func write(p *critpath.Path) string {
	var parts []string
	for _, s := range p.Segments {
		text := fmt.Sprintf("%s %d-%d %s", s.Span.ID, s.From/time.Millisecond, s.To/time.Millisecond, s.Component)
		if s.Tool != "" {
			text += ":" + s.Tool
		}
		if s.Quality != "measured" {
			text += " " + string(s.Quality)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

type drawing struct {
	name, run, want string
}

func checkDrawings(t *testing.T, drawings []drawing) {
	t.Helper()
	for _, d := range drawings {
		t.Run(d.name, func(t *testing.T) {
			p := critpath.Find(tracetest.Parse(t, d.run))
			checkTiling(t, p)
			if got := write(p); got != d.want {
				t.Errorf("path is\n%s\nwant\n%s\n%s", got, d.want, tracetest.String(p.Run))
			}
		})
	}
}

func TestComponents(t *testing.T) {
	checkDrawings(t, []drawing{
		{
			name: "an agent's own time is startup until the first model request, then agent",
			run: `
				run    ===========
				 ls      ==
				 chat       wwo
				 cat            ==`,
			want: "run 0-2 startup, ls 2-4 tool:ls, run 4-5 startup, chat/wait 5-7 wait, chat/output 7-8 output, run 8-9 agent, cat 9-11 tool:cat",
		},
		{
			name: "a run that never asked a model has no startup",
			run: `
				run  =====
				 ls    ==`,
			want: "run 0-2 agent, ls 2-4 tool:ls, run 4-5 agent",
		},
		{
			name: "startup ends when a model is asked beside the agent's own work",
			run: `
				run    ========
				 chat    ===     background`,
			want: "run 0-2 startup, run 2-8 agent",
		},
		{
			name: "a hole between phases and a call without phases are response",
			run: `
				run    =========
				 chat  ww=oo
				 chat       ====`,
			want: "chat/wait 0-2 wait, chat 2-3 response, chat/output 3-5 output, chat.2 5-9 response",
		},
		{
			name: "a failed attempt is retry with all its phases, then comes backoff, then what went well",
			run: `
				run        ==================
				 chat       ================
				  attempt1  wwo                longpole.attempt=1 outcome:truncated
				  attempt2       wx            longpole.attempt=2
				  attempt3           wwrooa    longpole.attempt=3`,
			want: "run 0-1 startup, attempt1/wait 1-3 retry, attempt1/output 3-4 retry, chat 4-6 backoff, attempt2/wait 6-7 retry, attempt2 7-8 retry, " +
				"chat 8-10 backoff, attempt3/wait 10-12 wait, attempt3/reasoning 12-13 reasoning, attempt3/output 13-15 output, " +
				"attempt3/tool_args 15-16 tool_args, chat 16-17 response, run 17-18 agent",
		},
		{
			name: "a backoff span and what is left of the gap around it are backoff",
			run: `
				run        ============
				 chat      ============
				  attempt1 ==x             longpole.attempt=1
				  backoff      ===
				  attempt2         wwoo    longpole.attempt=2`,
			want: "attempt1 0-3 retry, chat 3-4 backoff, backoff 4-7 backoff, chat 7-8 backoff, attempt2/wait 8-10 wait, attempt2/output 10-12 output",
		},
		{
			name: "an attempt that another followed was given up, even if its span shows nothing wrong",
			run: `
				run        ==========
				 chat      ==========
				  attempt1 ===           longpole.attempt=1
				  attempt2      =====    longpole.attempt=2 outcome:error`,
			want: "attempt1 0-3 retry, chat 3-5 backoff, attempt2 5-10 retry",
		},
		{
			name: "the last attempt of a call is retry too if it failed",
			run: `
				run        ========
				 chat      =====     outcome:error
				  attempt  wwoox     outcome:error`,
			want: "attempt/wait 0-2 retry, attempt/output 2-4 retry, attempt 4-5 retry, run 5-8 agent",
		},
		{
			name: "a failed call without attempts is one",
			run: `
				run   =======
				 chat  wwox`,
			want: "run 0-1 startup, chat/wait 1-3 retry, chat/output 3-4 retry, chat 4-5 retry, run 5-7 agent",
		},
		{
			name: "a tool that failed is still the tool",
			run: `
				run    ======
				 grep  =====x`,
			want: "grep 0-6 tool:grep",
		},
		{
			name: "waiting for a person is approval, inside a tool too; the rest of the tool is the tool",
			run: `
				run        ===========
				 rm        ==========
				  approval  =====`,
			want: "rm 0-1 tool:rm, approval 1-6 approval, rm 6-10 tool:rm, run 10-11 agent",
		},
		{
			name: "waiting for a rate limit is backoff; other waits are the tool's below one, else the agent's",
			run: `
				run          =============
				 rate_limit  ===
				 sandbox:wait   ===          longpole.wait=other
				 make              ====
				  lock:wait         ==       longpole.wait=other`,
			want: "rate_limit 0-3 backoff, sandbox 3-6 agent, make 6-7 tool:make, lock 7-9 tool:make, make 9-10 tool:make, run 10-13 agent",
		},
		{
			name: "where two calls back off at a time it is backoff once",
			run: `
				run       ============
				 step     ===========
				  try     =x             op:a
				  try           ====     op:a
				  try     ==x            op:b
				  try            ====    op:b`,
			want: "try.3 0-3 retry, step 3-7 backoff, try.4 7-11 response, run 11-12 agent",
		},
		{
			name: "spans without a role are booked like what they are part of",
			run: `
				run              ==============
				 plan:internal   ==
				 chat              =====
				  http:client       ==
				   parse:internal    =
				 fetch                  =====
				  get:client             ==
				   serve:server          ==`,
			want: "plan 0-2 startup, chat 2-3 response, http 3-4 response, parse 4-5 response, chat 5-7 response, fetch 7-8 tool:fetch, " +
				"serve 8-10 tool:fetch, fetch 10-12 tool:fetch, run 12-14 agent",
		},
		{
			name: "a sub-agent's own time is the agent's, also below a tool, and its calls are theirs",
			run: `
				run         ============
				 chat       ==
				 delegate     =========
				  agent        =======
				   chat         wwo
				   cat              ==`,
			want: "chat 0-2 response, delegate 2-3 tool:delegate, agent 3-4 agent, chat.2/wait 4-6 wait, chat.2/output 6-7 output, " +
				"agent 7-8 agent, cat 8-10 tool:cat, delegate 10-11 tool:delegate, run 11-12 agent",
		},
		{
			name: "between several roots nothing was traced",
			run: `
				run1    ====
				run2           ====`,
			want: "run1 0-4 agent, @trace 4-7 untraced, run2 7-11 agent",
		},
		{
			name: "how a time is known comes from its span",
			run: `
				run         =======
				 grep       ===       bound
				 chat          ====
				  reasoning    ==     inferred`,
			want: "grep 0-3 tool:grep bound, reasoning 3-5 reasoning inferred, chat 5-7 response",
		},
		{
			name: "a first-token time splits a call into wait and response",
			run: `
				run    ========
				 chat  ======    ttft:2`,
			want: "chat#wait 0-2 wait, chat#response 2-6 response, run 6-8 agent",
		},
		{
			name: "a phase of an unknown name is response",
			run: `
				run             =====
				 chat           =====
				  warm-up:phase ===`,
			want: "warm-up 0-3 response, chat 3-5 response",
		},
	})
}

func TestReasonOfAWaitMayBeItsName(t *testing.T) {
	var list []caseSpan
	list = append(list, caseSpan{ID: "r", Name: "run", Kind: "agent", End: 6})
	for i, name := range []string{"Approval", "permission", "backoff", "rate_limit", "rate limit", "sandbox start"} {
		list = append(list, caseSpan{ID: name, Parent: "r", Name: name, Kind: "wait", Start: int64(i), End: int64(i) + 1})
	}
	var got []traces.Component
	for _, s := range critpath.Find(build(t, records(list))).Segments {
		got = append(got, s.Component)
	}
	equal(t, "components", []traces.Component{traces.Approval, traces.Approval, traces.Backoff, traces.Backoff, traces.Backoff, traces.Agent}, got)
}
