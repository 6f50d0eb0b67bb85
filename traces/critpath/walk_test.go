package critpath_test

import "testing"

func TestWhoIsWaitedFor(t *testing.T) {
	checkDrawings(t, []drawing{
		{
			name: "the slower of two parallel tools holds up the run",
			run: `
				run     ============
				 chat   ====
				 read       ===
				 grep       ======`,
			want: "chat 0-4 response, grep 4-10 tool:grep, run 10-12 agent",
		},
		{
			name: "a span whose end is cut off is entered where the run was then",
			run: `
				run      ==============
				 chat    wwwooooooo
				 fetch        =========`,
			want: "chat/wait 0-3 wait, chat/output 3-5 output, fetch 5-14 tool:fetch",
		},
		{
			name: "a tool call's id tells which of several open calls released it",
			run: `
				run      ==============
				 chat    wwwooooooo       asks:a
				 chat    wwoooooo         asks:b
				 fetch        =========   call:b`,
			want: "chat.2/wait 0-2 wait, chat.2/output 2-5 output, fetch 5-14 tool:fetch",
		},
		{
			name: "a tool call's id does not keep other tools from having been waited for",
			run: `
				run      ==============
				 chat    ====             asks:a,b
				 ls          ====         call:a
				 cat             ======   call:b`,
			want: "chat 0-4 response, ls 4-8 tool:ls, cat 8-14 tool:cat",
		},
		{
			name: "a declared dependency beats a later end",
			run: `
				run      ==============
				 ls      ===
				 cat     ======
				 wc             =======   link:ls`,
			want: "ls 0-3 tool:ls, run 3-7 agent, wc 7-14 tool:wc",
		},
		{
			name: "declared dependencies elsewhere leave the question to the times",
			run: `
				run      ==============
				 step1   =======
				  ls     ===
				  cat    ======
				 step2          =======
				  wc            =======   link:ls`,
			want: "cat 0-6 tool:cat, step1 6-7 agent, wc 7-14 tool:wc",
		},
		{
			name: "background work that was waited for shows what was in it",
			run: `
				run       ==============
				 index    =======          background
				  fetch    ====
				 search          =====     link:index
				 agent1    ===`,
			want: "index 0-1 tool:index, fetch 1-5 tool:fetch, index 5-7 tool:index, search 7-12 tool:search, run 12-14 agent",
		},
		{
			name: "a hedge's wait is the slow attempt's, and the loser's end is nobody's reason",
			run: `
				run        ===========
				 chat      =========
				  attempt1 =========     cancelled longpole.attempt=1
				  attempt2    =====      longpole.attempt=2`,
			want: "attempt1 0-3 retry, attempt2 3-8 response, chat 8-9 response, run 9-11 agent",
		},
		{
			name: "a server that ran on after its client gave up is cut off there",
			run: `
				run             ==========
				 post:client     =====
				  serve:server    =======`,
			want: "run 0-1 agent, post 1-2 agent, serve 2-6 agent, run 6-10 agent",
		},
		{
			name: "what goes through a queue is not waited for",
			run: `
				run               ==========
				 publish:producer  ==
				  index:consumer    ======`,
			want: "run 0-1 agent, publish 1-3 agent, run 3-10 agent",
		},
		{
			name: "an open run is waiting for what is open, as of now",
			run: `
				run     ==========>
				 chat   www
				 grep      =======>
				 read      ===`,
			want: "chat/wait 0-3 wait, grep 3-10 tool:grep",
		},
	})
}
