package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/traces"
)

func TestTracker(t *testing.T) {
	const command = true
	tests := []struct {
		name string
		one  bool
		reqs []req
		want string
	}{
		{
			name: "results that come in different requests end different round trips",
			reqs: []req{
				{at: 0, end: 100, says: "sys:s user:u", asks: "a=ls b=sleep"},
				{at: 150, end: 250, says: "sys:s user:u call:a,b result:a", asks: "c=ls"},
				{at: 400, end: 500, says: "sys:s user:u call:a,b result:a call:c result:c result:b"},
			},
			want: `
				invoke_agent agent 0-500
				 step 1 0-400
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-150
				  execute_tool sleep 100-400
				 step 2 150-400
				  chat big 150-250
				   attempt 1 150-250
				  execute_tool ls 250-400
				 step 3 400-500
				  chat big 400-500
				   attempt 1 400-500`,
		},
		{
			name: "agents that begin with the same bytes are told apart by what the server minted",
			reqs: []req{
				{at: 0, end: 100, says: "sys:s user:u", asks: "a=ls"},
				{at: 16, end: 120, says: "sys:s user:u", asks: "b=ls"},
				{at: 200, end: 300, says: "sys:s user:u call:b result:b"},
				{at: 210, end: 310, says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent agent 0-310
				 step 1 0-210
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-210
				 step 2 210-310
				  chat big 210-310
				   attempt 1 210-310
				invoke_agent agent 16-300
				 step 1 16-200
				  chat big 16-120
				   attempt 1 16-120
				  execute_tool ls 120-200
				 step 2 200-300
				  chat big 200-300
				   attempt 1 200-300`,
		},
		{
			name: "where the server mints the same ids for two, the connection tells them apart",
			reqs: []req{
				{at: 0, end: 100, conn: 1, says: "sys:s user:u", asks: "a=ls"},
				{at: 16, end: 120, conn: 2, says: "sys:s user:u", asks: "a=ls"},
				{at: 200, end: 300, conn: 2, says: "sys:s user:u call:a result:a"},
				{at: 210, end: 310, conn: 1, says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent agent 0-310
				 step 1 0-210
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-210
				 step 2 210-310
				  chat big 210-310
				   attempt 1 210-310
				invoke_agent agent 16-300
				 step 1 16-200
				  chat big 16-120
				   attempt 1 16-120
				  execute_tool ls 120-200
				 step 2 200-300
				  chat big 200-300
				   attempt 1 200-300`,
		},
		{
			name: "agents that share what looks like a session stay apart",
			reqs: []req{
				{at: 0, end: 100, session: "app", says: "sys:s user:u", asks: "a=ls"},
				{at: 16, end: 120, session: "app", says: "sys:s user:u", asks: "b=ls"},
				{at: 200, end: 300, session: "app", says: "sys:s user:u call:b result:b"},
				{at: 210, end: 310, session: "app", says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent agent 0-310
				 step 1 0-210
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-210
				 step 2 210-310
				  chat big 210-310
				   attempt 1 210-310
				invoke_agent agent 16-300
				 step 1 16-200
				  chat big 16-120
				   attempt 1 16-120
				  execute_tool ls 120-200
				 step 2 200-300
				  chat big 200-300
				   attempt 1 200-300`,
		},
		{
			name: "two equal agents of one command are two agents of one run",
			one:  command,
			reqs: []req{
				{at: 0, end: 100, conn: 1, says: "sys:s user:u", asks: "a=ls"},
				{at: 16, end: 120, conn: 2, says: "sys:s user:u", asks: "b=ls"},
				{at: 200, end: 300, conn: 2, says: "sys:s user:u call:b result:b"},
				{at: 210, end: 310, conn: 1, says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent agent 0-310
				 step 1 0-210
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-210
				 invoke_agent 16-300
				  step 1 16-200
				   chat big 16-120
				    attempt 1 16-120
				   execute_tool ls 120-200
				  step 2 200-300
				   chat big 200-300
				    attempt 1 200-300
				 step 2 210-310
				  chat big 210-310
				   attempt 1 210-310`,
		},
		{
			name: "a marked retry is an attempt of the call, with the wait that the server asked for",
			reqs: []req{
				{at: 0, end: 125, status: 429, after: 2 * time.Second, retry: "0", says: "sys:s user:u"},
				{at: 2150, end: 3060, retry: "1", says: "sys:s user:u"},
			},
			want: `
				invoke_agent agent 0-3060
				 step 1 0-3060
				  chat big 0-3060
				   attempt 1 0-125 error
				   backoff 125-2150 planned 2000 after 429
				   attempt 2 2150-3060`,
		},
		{
			name: "an unmarked retry is known by its body, whatever connection it takes",
			reqs: []req{
				{at: 0, end: 100, conn: 1, status: 500, says: "sys:s user:u"},
				{at: 300, end: 400, conn: 2, outcome: traces.Truncated, says: "sys:s user:u"},
				{at: 600, end: 700, conn: 3, says: "sys:s user:u"},
			},
			want: `
				invoke_agent agent 0-700
				 step 1 0-700
				  chat big 0-700
				   attempt 1 0-100 error
				   backoff 100-300 after 500
				   attempt 2 300-400 truncated
				   backoff 400-600 after truncated
				   attempt 3 600-700`,
		},
		{
			name: "a retry that adds words or changes settings is an attempt all the same",
			reqs: []req{
				{at: 0, end: 100, outcome: traces.Truncated, says: "sys:s user:u"},
				{at: 300, end: 400, outcome: traces.Error, says: "sys:s user:u user:go-on"},
				{at: 600, end: 700, says: "sys:s user:u user:go-on", model: "mini", seed: 7},
			},
			want: `
				invoke_agent agent 0-700
				 step 1 0-700
				  chat big 0-700
				   attempt 1 0-100 truncated
				   backoff 100-300 after truncated
				   attempt 2 300-400 error
				   backoff 400-600 after _OTHER
				   attempt 3 600-700`,
		},
		{
			name: "a marked retry may come before the proxy knows that the first was given up",
			reqs: []req{
				{at: 0, end: 500, outcome: traces.Timeout, retry: "0", says: "sys:s user:u"},
				{at: 400, end: 700, retry: "1", says: "sys:s user:u", asks: "a=ls"},
				{at: 800, end: 900, says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent agent 0-900
				 step 1 0-800
				  chat big 0-700
				   attempt 1 0-500 timeout
				   attempt 2 400-700
				  execute_tool ls 700-800
				 step 2 800-900
				  chat big 800-900
				   attempt 1 800-900`,
		},
		{
			name: "of two attempts that both are answered, one asks for the tools",
			reqs: []req{
				{at: 0, end: 500, says: "sys:s user:u", asks: "a=ls"},
				{at: 400, end: 700, retry: "1", says: "sys:s user:u", asks: "b=ls"},
				{at: 800, end: 900, says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent agent 0-900
				 step 1 0-800
				  chat big 0-700
				   attempt 1 0-500
				   attempt 2 400-700
				  execute_tool ls 500-800
				 step 2 800-900
				  chat big 800-900
				   attempt 1 800-900`,
		},
		{
			name: "a conversation without ids whose first message changes is known by its task",
			reqs: []req{
				{at: 0, end: 100, conn: 1, path: "/api/chat", says: "sys:noon user:u", asks: "=ls"},
				{at: 150, end: 250, conn: 1, path: "/api/chat", says: "sys:later user:u bot:calls user:results"},
			},
			want: `
				invoke_agent agent 0-250
				 step 1 0-150
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-150
				 step 2 150-250
				  chat big 150-250
				   attempt 1 150-250`,
		},
		{
			name: "a request with the partial answer is a new call",
			reqs: []req{
				{at: 0, end: 100, outcome: traces.Truncated, says: "sys:s user:u"},
				{at: 130, end: 230, says: "sys:s user:u bot:half"},
			},
			want: `
				invoke_agent agent 0-230
				 step 1 0-100
				  chat big 0-100 truncated
				   attempt 1 0-100 truncated
				 step 2 130-230
				  chat big 130-230
				   attempt 1 130-230`,
		},
		{
			name: "the same body after a good answer is another run",
			reqs: []req{
				{at: 0, end: 100, says: "sys:s user:u"},
				{at: 200, end: 300, says: "sys:s user:u"},
			},
			want: `
				invoke_agent agent 0-100
				 step 1 0-100
				  chat big 0-100
				   attempt 1 0-100
				invoke_agent agent 200-300
				 step 1 200-300
				  chat big 200-300
				   attempt 1 200-300`,
		},
		{
			name: "a client that hangs up with the tool call has asked for it",
			reqs: []req{
				{at: 0, end: 100, outcome: traces.Cancelled, says: "sys:s user:u", asks: "a=ls"},
				{at: 200, end: 300, says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent agent 0-300
				 step 1 0-200
				  chat big 0-100 cancelled
				   attempt 1 0-100 cancelled
				  execute_tool ls 100-200
				 step 2 200-300
				  chat big 200-300
				   attempt 1 200-300`,
		},
		{
			name: "a title that overlaps the first step is a side call, found late, and nothing waits for it",
			one:  command,
			reqs: []req{
				{at: 0, end: 90, model: "mini", tools: -1, says: "sys:title user:u"},
				{at: 20, end: 100, says: "sys:s user:u", asks: "a=ls"},
				{at: 150, end: 200, says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent agent 0-200
				 chat mini 0-90 side background
				  attempt 1 0-90
				 step 1 20-150
				  chat big 20-100
				   attempt 1 20-100
				  execute_tool ls 100-150
				 step 2 150-200
				  chat big 150-200
				   attempt 1 150-200`,
		},
		{
			name: "a title belongs to the run of its session",
			reqs: []req{
				{at: 0, end: 100, session: "s1", conn: 1, says: "sys:s user:u", asks: "a=ls"},
				{at: 5, end: 90, session: "s1", conn: 2, model: "mini", tools: -1, says: "sys:title user:u"},
				{at: 150, end: 200, session: "s1", conn: 1, says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent agent 0-200
				 step 1 0-150
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-150
				 chat mini 5-90 side background
				  attempt 1 5-90
				 step 2 150-200
				  chat big 150-200
				   attempt 1 150-200`,
		},
		{
			name: "a router on the connection of the agent comes before the first step",
			reqs: []req{
				{at: 0, end: 90, conn: 1, model: "mini", tools: -1, whole: true, schema: true, says: "sys:route user:u"},
				{at: 100, end: 200, conn: 1, says: "sys:s user:u", asks: "a=ls"},
				{at: 250, end: 300, conn: 1, says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent agent 0-300
				 chat mini 0-90 side
				  attempt 1 0-90
				 step 1 100-250
				  chat big 100-200
				   attempt 1 100-200
				  execute_tool ls 200-250
				 step 2 250-300
				  chat big 250-300
				   attempt 1 250-300`,
		},
		{
			name: "a sub-agent works for the tool that is under way, if need be the one named so",
			one:  command,
			reqs: []req{
				{at: 0, end: 100, conn: 1, says: "sys:s user:u", asks: "a=bash b=task"},
				{at: 120, end: 200, conn: 1, tools: 1, says: "sys:sub user:v", asks: "c=ls"},
				{at: 220, end: 300, conn: 1, tools: 1, says: "sys:sub user:v call:c result:c"},
				{at: 350, end: 400, conn: 1, says: "sys:s user:u call:a,b result:a result:b"},
			},
			want: `
				invoke_agent agent 0-400
				 step 1 0-350
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool bash 100-350
				  execute_tool task 100-350
				   invoke_agent 120-300
				    step 1 120-220
				     chat big 120-200 side
				      attempt 1 120-200
				     execute_tool ls 200-220
				    step 2 220-300
				     chat big 220-300 side
				      attempt 1 220-300
				 step 2 350-400
				  chat big 350-400
				   attempt 1 350-400`,
		},
		{
			name: "a sub-agent that outlives its tool goes on in the background",
			one:  command,
			reqs: []req{
				{at: 0, end: 100, says: "sys:s user:u", asks: "a=task"},
				{at: 120, end: 250, tools: 1, subagent: "scout", says: "sys:sub user:v"},
				{at: 150, end: 300, says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent agent 0-300
				 step 1 0-150
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool task 100-150
				 invoke_agent scout 120-250 background
				  step 1 120-250
				   chat big 120-250 side
				    attempt 1 120-250
				 step 2 150-300
				  chat big 150-300
				   attempt 1 150-300`,
		},
		{
			name: "the server keeps the history: previous_response_id, and only outputs are sent",
			reqs: []req{
				{at: 0, end: 100, path: "/v1/responses", says: "user:u", asks: "a=ls", id: "r1"},
				{at: 150, end: 160, path: "/v1/responses", previous: "r1", status: 500, says: "result:a"},
				{at: 200, end: 300, path: "/v1/responses", previous: "r1", says: "result:a", asks: "b=ls", id: "r2"},
				{at: 350, end: 400, path: "/v1/responses", previous: "r2", says: "result:b", tools: -1, id: "r3"},
			},
			want: `
				invoke_agent agent 0-400
				 step 1 0-150
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-150
				 step 2 150-350
				  chat big 150-300
				   attempt 1 150-160 error
				   backoff 160-200 after 500
				   attempt 2 200-300
				  execute_tool ls 300-350
				 step 3 350-400
				  chat big 350-400
				   attempt 1 350-400`,
		},
		{
			name: "threads of the Messages API bring neither history nor tools",
			reqs: []req{
				{at: 0, end: 100, path: "/v1/messages", says: "user:u", asks: "a=ls", id: "m1"},
				{at: 150, end: 200, path: "/v1/messages", thread: true, previous: "m1", tools: -1, says: "result:a", id: "m2"},
			},
			want: `
				invoke_agent agent 0-200
				 step 1 0-150
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-150
				 step 2 150-200
				  chat big 150-200
				   attempt 1 150-200`,
		},
		{
			name: "a warm-up is no call, but what follows it goes on with what it went on with",
			reqs: []req{
				{at: 0, end: 100, path: "/v1/responses", says: "user:u", asks: "=ls", id: "r1"},
				{at: 110, end: 120, path: "/v1/responses", previous: "r1", prewarm: true, id: "w1"},
				{at: 150, end: 200, path: "/v1/responses", previous: "w1", says: "result:a"},
			},
			want: `
				invoke_agent agent 0-200
				 step 1 0-150
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-150
				 step 2 150-200
				  chat big 150-200
				   attempt 1 150-200`,
		},
		{
			name: "one command may use two upstreams",
			one:  command,
			reqs: []req{
				{at: 0, end: 100, conn: 1, upstream: "a:443", says: "sys:s user:u", asks: "a=ls"},
				{at: 150, end: 200, conn: 1, upstream: "a:443", says: "sys:s user:u call:a result:a"},
				{at: 230, end: 300, conn: 2, upstream: "b:443", path: "/v1/messages", model: "judge", says: "user:check", asks: "t=grade"},
				{at: 320, end: 400, conn: 2, upstream: "b:443", path: "/v1/messages", model: "judge", says: "user:check call:t result:t"},
			},
			want: `
				invoke_agent agent 0-400
				 step 1 0-150
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-150
				 step 2 150-200
				  chat big 150-200
				   attempt 1 150-200
				 step 3 230-320
				  chat judge 230-300
				   attempt 1 230-300
				  execute_tool grade 300-320
				 step 4 320-400
				  chat judge 320-400
				   attempt 1 320-400`,
		},
		{
			name: "history that is written anew is the same conversation by its ids",
			reqs: []req{
				{at: 0, end: 100, says: "sys:s user:u", asks: "a=ls"},
				{at: 150, end: 250, says: "sys:s user:u call:a result:a", asks: "b=ls"},
				{at: 300, end: 400, says: "sys:s user:u call:a,b result:a result:b"},
			},
			want: `
				invoke_agent agent 0-400
				 step 1 0-150
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-150
				 step 2 150-300
				  chat big 150-250
				   attempt 1 150-250
				  execute_tool ls 250-300
				 step 3 300-400
				  chat big 300-400
				   attempt 1 300-400`,
		},
		{
			name: "tools without ids end when the conversation goes on",
			reqs: []req{
				{at: 0, end: 100, path: "/api/chat", says: "sys:s user:u", asks: "=ls =cat"},
				{at: 150, end: 250, path: "/api/chat", says: "sys:s user:u bot:calls user:results"},
			},
			want: `
				invoke_agent agent 0-250
				 step 1 0-150
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool cat 100-150
				  execute_tool ls 100-150
				 step 2 150-250
				  chat big 150-250
				   attempt 1 150-250`,
		},
		{
			name: "the user's next message is another run",
			reqs: []req{
				{at: 0, end: 100, says: "sys:s user:u"},
				{at: 20000, end: 20100, says: "sys:s user:u bot:answer user:more"},
			},
			want: `
				invoke_agent agent 0-100
				 step 1 0-100
				  chat big 0-100
				   attempt 1 0-100
				invoke_agent agent 20000-20100
				 step 1 20000-20100
				  chat big 20000-20100
				   attempt 1 20000-20100`,
		},
		{
			name: "within one command the user's time is a wait, not a tool",
			one:  command,
			reqs: []req{
				{at: 0, end: 100, says: "sys:s user:u"},
				{at: 20000, end: 20100, says: "sys:s user:u bot:answer user:more"},
			},
			want: `
				invoke_agent agent 0-20100
				 step 1 0-100
				  chat big 0-100
				   attempt 1 0-100
				 wait approval 100-20000
				 step 2 20000-20100
				  chat big 20000-20100
				   attempt 1 20000-20100`,
		},
		{
			name: "a round trip long enough for a person is marked, not dropped",
			reqs: []req{
				{at: 0, end: 100, says: "sys:s user:u", asks: "a=rm"},
				{at: 5400100, end: 5400200, says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent agent 0-5400200
				 step 1 0-5400100
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool rm 100-5400100 may-wait
				 step 2 5400100-5400200
				  chat big 5400100-5400200
				   attempt 1 5400100-5400200`,
		},
		{
			name: "codex starts a tool before the answer ends",
			reqs: []req{
				{at: 0, end: 200, agent: "codex_exec/0.169", says: "sys:s user:u", asks: "a=shell", last: 90},
				{at: 300, end: 400, agent: "codex_exec/0.169", says: "sys:s user:u call:a result:a"},
			},
			want: `
				invoke_agent codex_exec 0-400
				 step 1 0-300
				  chat big 0-200
				   attempt 1 0-200
				  execute_tool shell 90-300
				 step 2 300-400
				  chat big 300-400
				   attempt 1 300-400`,
		},
		{
			name: "a tool whose result never comes ended when the agent went on without it",
			one:  command,
			reqs: []req{
				{at: 0, end: 100, says: "sys:s user:u", asks: "a=rm"},
				{at: 300, end: 400, says: "sys:s user:u bot:stopped user:no"},
			},
			want: `
				invoke_agent agent 0-400
				 step 1 0-300
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool rm 100-300
				 step 2 300-400
				  chat big 300-400
				   attempt 1 300-400`,
		},
		{
			name: "a summary without tools is beside the conversation that it uses, and what begins with it goes on",
			one:  command,
			reqs: []req{
				{at: 0, end: 100, says: "sys:s user:u", asks: "a=ls"},
				{at: 150, end: 200, says: "sys:s user:u call:a result:a"},
				{at: 210, end: 300, tools: -1, says: "sys:s user:u call:a result:a bot:x user:sum-up"},
				{at: 310, end: 400, says: "sys:s user:summary"},
			},
			want: `
				invoke_agent agent 0-400
				 step 1 0-150
				  chat big 0-100
				   attempt 1 0-100
				  execute_tool ls 100-150
				 step 2 150-200
				  chat big 150-200
				   attempt 1 150-200
				 chat big 210-300 side
				  attempt 1 210-300
				 step 3 310-400
				  chat big 310-400
				   attempt 1 310-400`,
		},
		{
			name: "a conversation without tools is the main chain if there is no other",
			one:  command,
			reqs: []req{
				{at: 0, end: 100, tools: -1, says: "sys:s user:u"},
				{at: 150, end: 250, tools: -1, says: "sys:s user:u bot:act user:seen"},
			},
			want: `
				invoke_agent agent 0-250
				 step 1 0-100
				  chat big 0-100
				   attempt 1 0-100
				 step 2 150-250
				  chat big 150-250
				   attempt 1 150-250`,
		},
		{
			name: "requests without tools that go on with nothing are all steps, but for one that answers in a schema",
			one:  command,
			reqs: []req{
				{at: 0, end: 50, tools: -1, schema: true, says: "sys:route user:u"},
				{at: 60, end: 100, tools: -1, says: "sys:plan user:u"},
				{at: 150, end: 250, tools: -1, says: "sys:write user:u"},
			},
			want: `
				invoke_agent agent 0-250
				 chat big 0-50 side
				  attempt 1 0-50
				 step 1 60-100
				  chat big 60-100
				   attempt 1 60-100
				 step 2 150-250
				  chat big 150-250
				   attempt 1 150-250`,
		},
		{
			name: "other endpoints are not model calls",
			reqs: []req{
				{at: 0, end: 100, says: "sys:s user:u"},
				{at: 10, end: 20, path: "/v1/analytics/codex/turn-costs", says: "user:u"},
				{at: 30, end: 40, path: "/v1/embeddings", says: "user:u"},
			},
			want: `
				invoke_agent agent 0-100
				 step 1 0-100
				  chat big 0-100
				   attempt 1 0-100`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := drawAll(observe(t, session.Options{OneRun: tt.one}, traffic(tt.reqs)...))
			if want := outdent(tt.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func outdent(s string) string {
	return strings.ReplaceAll(strings.TrimPrefix(s, "\n"), "\t", "") + "\n"
}
