package join_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/join"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// A column of the drawings is 100 ms, so the tolerance is half a column.
const column = 100

// sides returns the two sides that a drawing shows: spans of trace "t" were seen on the wire, those of other traces are the agent's. Trace
// "below" stands for spans of an agent that put itself below the run. skew=MS moves a span.
func sides(t testing.TB, text string) (wire, spans []traces.Record) {
	t.Helper()
	for _, rec := range tracetest.Records(t, text) {
		rec.Start, rec.End = stretch(rec.Start), stretch(rec.End)
		if skew, ok := rec.Attrs.Int("skew"); ok { // in milliseconds
			rec.Start, rec.End = rec.Start+skew*1e6, rec.End+skew*1e6
		}
		switch rec.TraceID {
		case "t":
			wire = append(wire, rec)
			continue
		case "below":
			rec.TraceID = "t"
			if rec.ParentID == "" {
				rec.ParentID = "run"
			}
		}
		spans = append(spans, rec)
	}
	return wire, spans
}

var zero = tracetest.Epoch.UnixNano()

func stretch(at int64) int64 {
	if at == 0 {
		return 0
	}
	return zero + (at-zero)*column
}

func shrink(records []traces.Record) []traces.Record {
	records = slices.Clone(records)
	for i := range records {
		for _, at := range []*int64{&records[i].Start, &records[i].End} {
			if *at != 0 {
				*at = zero + (*at-zero)/column
			}
		}
	}
	return records
}

func TestJoin(t *testing.T) {
	for _, c := range []struct {
		name     string
		in       string
		want     string
		problems string // of Join, one a line
	}{
		{
			name: "the agent's span is the call, and the attempts lie below it",
			in: `
				run           ====================
				 step         ==============
				  chat        ========
				   try        cwwx
				   backoff        =
				   try2            wrr
				  grep                ======       call:1 bound
				agent         ===================  trace:below
				 model        ==========
				 read                  ===         call:1`,
			want: `
				run        ====================
				 agent     ===================
				  model    ========
				   try     cwwx
				   backoff     =
				   try2         wrr
				  read              ===`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls, 1 steps, 1 tool round trips`,
		},
		{
			name: "steps and tools that the agent knows replace those of the wire",
			in: `
				run           ========================
				 step1        ==========
				  chat1       =====
				   try1       cwwoo
				  grep             =====                 call:1 bound
				  read             =====                 bound
				 step2                  ======
				  chat2                 ======           link:grep link:read
				   try2                 wwoooo
				agent         ========================   trace:below
				 turn:step    ==========
				  model1      ======
				  find:tool         ==                   call:1
				  read              ===
				 turn2:step             =======
				  model2                ======`,
			want: `
				run          ========================
				 agent       ========================
				  turn:step  ==========
				   model1    =====
				    try1     cwwoo
				   find            ==
				   read            ===
				  turn2:step           =======
				   model2              ======  link:find link:read.2
				    try2               wwoooo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 2 model calls, 2 steps, 2 tool round trips`,
		},
		{
			name: "what the agent did not record stays where it happened, and the wire's step does not stay around it within the agent's",
			in: `
				run           ========================
				 step1        ==========
				  chat1       =====
				   try1       wwooo
				  tool1            =====                 call:1 bound
				 step2                  ======
				  chat2                 ======           link:tool1
				   try2                 wwoooo
				agent         ========================   trace:below
				 turn:step    ===========
				 sub:agent               ==========`,
			want: `
				run         ========================
				 agent      ========================
				  turn:step ===========
				   chat1    =====
				    try1    wwooo
				   tool1         =====  bound
				  step2               ======
				   chat2              ======  link:tool1
				    try2              wwoooo
				  sub:agent            ==========`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 steps
unmatched: only one side shows 2 model calls of the wire; they stay`,
		},
		{
			name: "what only the agent shows stays",
			in: `
				run           ========================
				 step1        =====
				  chat1       =====
				   try1       wwooo
				agent         ========================   trace:below
				 model1       =====
				 grep              =====                 call:1
				 model2                 =====
				  http:client           =====            http.request.method=POST
				 embed:model                  =          gen_ai.operation.name=embeddings`,
			want: `
				run             ========================
				 agent          ========================
				  model1        =====
				   try1         wwooo
				  grep               =====
				  model2                  =====
				   http:attempt           =====
				  embed:model                   =`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls, 1 steps
unmatched: only one side shows 1 model calls of the agent; they stay`,
		},
		{
			name: "of parallel calls the first to begin is the agent's first, whatever ends first",
			in: `
				run           ========================
				 chat1        ============
				  try1        wwoooooooooo
				 chat2         =====
				  try2         woooo
				agent         ========================   trace:below
				 model1       =============
				 model2        ======`,
			want: `
				run      ========================
				 agent   ========================
				  model1 ============
				   try1  wwoooooooooo
				  model2  =====
				   try2   woooo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 2 model calls`,
		},
		{
			name: "a call of another model is another call",
			in: `
				run           ========================
				 chat1        ========                   model:gpt-5
				  try1        wwoooooo
				agent         ========================   trace:below
				 model1       ========                   model:claude-5`,
			want: `
				run      ========================
				 agent   ========================
				  chat1  ========
				   try1  wwoooooo
				  model1 ========`,
			problems: `unmatched: only one side shows 1 model calls of the wire, 1 model calls of the agent; they stay`,
		},
		{
			name: "a dated model is the same model",
			in: `
				run           ========================
				 chat1        ========                   model:gpt-5-2026-01-02
				  try1        wwoooooo
				agent         ========================   trace:below
				 model1       ========                   model:gpt-5`,
			want: `
				run      ========================
				 agent   ========================
				  model1 ========
				   try1  wwoooooo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls`,
		},
		{
			name: "the id of the response counts more than the time, and begins with retries",
			in: `
				run           ========================
				 chat1        =======                    gen_ai.response.id=r1
				  try1        wx
				  try2             wo
				 chat2             ====                  gen_ai.response.id=r2
				  try3             oooo
				agent         ========================   trace:below
				 model2            =====                 gen_ai.response.id=r2
				 model1            =====                 gen_ai.response.id=r1`,
			want: `
				run      ========================
				 agent   ========================
				  model1 =======
				   try1  wx
				   try2       wo
				  model2      ====
				   try3       oooo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 2 model calls`,
		},
		{
			name: "attempts that the wire took for calls are attempts of the agent's one call",
			in: `
				run           ========================
				 chat1        ==
				  try1        wx
				 chat2            ====
				  try2            wwoo
				agent         ========================   trace:below
				 model        ==========`,
			want: `
				run     ========================
				 agent  ========================
				  model ========
				   try1 wx
				   try2     wwoo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 2 model calls`,
		},
		{
			name: "an answered call is not taken for an attempt of the next",
			in: `
				run           ========================
				 chat1        ==
				  try1        wo
				 chat2            ====
				  try2            wwoo
				agent         ========================   trace:below
				 model        ==========`,
			want: `
				run     ========================
				 agent  ========================
				  model ==
				   try1 wo
				  chat2     ====
				   try2     wwoo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls
unmatched: only one side shows 1 model calls of the wire; they stay`,
		},
		{
			name: "the agent's spans of single attempts become part of the call",
			in: `
				run           ========================
				 chat         =========
				  try1        wwx
				  backoff        ==
				  try2             wwoo
				agent         ========================   trace:below
				 model1       ===x
				 model2            =====`,
			want: `
				run                ========================
				 agent             ========================
				  model2           =========
				   model1:internal ===
				    try1           wwx
				   backoff            ==
				   try2                 wwoo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls`,
		},
		{
			name: "of model spans within each other the outer one is the call",
			in: `
				run           ========================
				 chat         =========
				  try1        wwx
				  try2             wwoo
				agent         ========================   trace:below
				 model        ===========
				  chat:model  ===x
				  chat2:model      =====`,
			want: `
				run               ========================
				 agent            ========================
				  model           =========
				   chat:internal  ===
				    try1          wwx
				   chat2:internal      ====
				    try2               wwoo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls`,
		},
		{
			name: "a model span around several calls is none",
			in: `
				run           ========================
				 chat1        ====
				  try1        wwoo
				 chat2             ====
				  try2             wwoo
				agent         ========================   trace:below
				 model        ===========
				  model1      =====
				  model2           =====`,
			want: `
				run              ========================
				 agent           ========================
				  model:internal ===========
				   model1        ====
				    try1         wwoo
				   model2             ====
				    try2              wwoo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 2 model calls`,
		},
		{
			name: "the agent's requests give way to the attempts, and one that the wire does not show stays an attempt",
			in: `
				run           ========================
				 chat             ====
				  try             wwoo                   status:200
				agent         ========================   trace:below
				 model        ===========
				  GET:client   ==x                       http.request.method=POST
				  POST:client     =====                  status:200
				   dns:internal   =`,
			want: `
				run              ========================
				 agent           ========================
				  model           =======
				   GET:attempt    ==x
				   try               wwoo
				    dns:internal     =  background`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls; of the agent 1 requests
joined: 1 spans of the agent are details of its model calls, whose time the wire explains; marked as nothing that is waited for`,
		},
		{
			name: "an attempt by the agent's account with its request inside is one request",
			in: `
				run           ========================
				 chat             ====
				  try             wwoo
				agent         ========================   trace:below
				 model        ===========
				  try1           ======
				   POST:client    =====                  http.request.method=POST`,
			want: `
				run              ========================
				 agent           ========================
				  model              ====
				   try1:internal    ======  background
				   try               wwoo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls; of the agent 1 requests
joined: 1 spans of the agent are details of its model calls, whose time the wire explains; marked as nothing that is waited for`,
		},
		{
			name: "phases and details of the agent's calls give way to the wire's phases, tools go beside the call",
			in: `
				run           ========================
				 chat            ====
				  try            wwoo
				agent         ========================   trace:below
				 step         =============
				  model       ===========
				   p:internal ==
				   wait          ====
				   stream:internal =====
				    grep             ======              call:1
				   after:internal      ==`,
			want: `
				run                 ========================
				 agent              ========================
				  step              =============
				   p:internal       ==
				   model               ====
				    try                wwoo
				    stream:internal      =====  background
				   grep                    ======
				   after:internal            ==`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls; of the agent 1 phases
joined: 1 spans of the agent are details of its model calls, whose time the wire explains; marked as nothing that is waited for`,
		},
		{
			name: "an agent that records its requests only has its calls from the wire",
			in: `
				run           ========================
				 step         =========
				  chat        ====
				   try        wwoo                       status:200
				  tool            =====                  bound call:1
				agent         ========================   trace:below
				 turn:step    ==========
				  POST:client ====                       status:200
				  POST2:client    ==                     status:200`,
			want: `
				run             ========================
				 agent          ========================
				  turn:step     ==========
				   chat         ====
				    try         wwoo
				   POST2:client     ==
				   tool             =====  bound`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 steps; of the agent 1 requests
unmatched: only one side shows 1 model calls of the wire; they stay`,
		},
		{
			name: "what is open stays open",
			in: `
				run           ========================>
				 step         ==>
				  chat        ==>
				   try        wwo>
				agent         =>                         trace:below
				 model        =>`,
			want: `
				run     ========================>
				 agent  ========================>
				  model ========================>
				   try  wwo=====================>`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls, 1 steps`,
		},
		{
			name: "round trips without ids give way by name and time, in order",
			in: `
				run           ========================
				 grep             =========              bound
				 read             =========              bound
				 other            =========              bound call:7
				 approval              ===
				agent         ========================   trace:below
				 read1:tool       ====                   gen_ai.tool.name=read
				 grep1:tool         ====                 gen_ai.tool.name=grep
				 grep2:tool         ==                   gen_ai.tool.name=grep
				 approval              ==`,
			want: `
				run        ========================
				 agent     ========================
				  other        =========  bound
				  read1        ====
				  grep1          ====
				  grep2          ==
				  approval          ==`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 2 tool round trips, 1 waits`,
		},
		{
			name: "sub-agents of the wire stay below the tool that they work for, and go where the agent shows them",
			in: `
				run           ==========================
				 task1        ===========                 bound call:1
				  sub1:agent   =======
				   step1       =======
				    chat1      =======                    model:a
				     try1      wwooooo
				 task2        ===========                 bound call:2
				  sub2:agent   =======
				   step2       =======
				    chat2      =======                    model:b
				     try2      wwooooo
				agent         ========================    trace:below
				 work1:tool   ===========                 call:1
				 work2:tool   ===========                 call:2
				  agent2       =======
				   model2      =======                    model:b`,
			want: `
				run           ==========================
				 agent        ========================
				  work1       ===========
				   sub1:agent  =======
				    step1      =======
				     chat1     =======
				      try1     wwooooo
				  work2       ===========
				   agent2      =======
				    model2     =======
				     try2      wwooooo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls, 1 steps, 1 sub-agents, 2 tool round trips
unmatched: only one side shows 1 model calls of the wire; they stay`,
		},
		{
			name: "a call that two libraries show is there once",
			in: `
				run           ========================
				 chat         ========                   gen_ai.response.id=r1
				  try         wwoooooo
				agent         ========================   trace:below
				 model1       ========                   gen_ai.response.id=r1
				other:internal ==========                trace:b
				 model2       =========                  gen_ai.response.id=r1`,
			want: `
				run               ========================
				 agent            ========================
				  model1          ========
				   try            wwoooooo
				 other:internal    ==========
				  model2:internal =========  background`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls
joined: 1 spans of the agent are details of its model calls, whose time the wire explains; marked as nothing that is waited for
joined: the agent's spans came in 1 traces of their own; put into the run's, below its root`,
		},
		{
			name: "spans that are each other's parents are cut apart",
			in: `
				run           ========================
				x:internal      ====                     trace:b parent:z
				 y:internal     ===
				  z:internal    ==`,
			want: `
				run           ========================
				 x:internal     ====
				  y:internal    ===
				   z:internal   ==`,
			problems: `joined: the agent's spans came in 1 traces of their own; put into the run's, below its root
parent_cycle: 1 times spans of the agent were each other's parents; cut, and put below the run's root`,
		},
		{
			name: "an agent that records with longpole itself is joined like any other",
			in: `
				run           ========================
				 step1        =========
				  chat1       =========
				   try1       wwx
				   backoff       ==
				   try2            wwoo
				agent         ========================   trace:mine longpole.run.id=mine longpole.group.task=csv longpole.outcome=ok
				 step         =========
				  model       =========
				   try3       wwx
				   backoff2      ==
				   try4            wwoo`,
			want: `
				run          ========================
				 agent       ========================
				  step       =========
				   model     =========
				    try1     wwx
				    backoff2    ==
				    try2          wwoo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls, 1 steps, 1 waits; of the agent 2 requests, 3 phases
joined: the agent's spans came in 1 traces of their own; put into the run's, below its root`,
		},
		{
			name: "a request that begins within 50 ms of the agent's span belongs to it",
			in: `
				run           ========================
				 chat         ====
				  try         wwoo
				agent         ========================   trace:below
				 model        =====                      skew=50`,
			want: `
				run     ========================
				 agent  ========================
				  model ====
				   try  wwoo`,
			problems: `joined: left out what the agent's spans and the wire both show: of the wire 1 model calls`,
		},
		{
			name: "a request that begins more than 50 ms before the agent's span does not",
			in: `
				run           ========================
				 chat         ====
				  try         wwoo
				agent         ========================   trace:below
				 model        =====                      skew=51`,
			want: `
				run     ========================
				 agent  ========================
				  chat  ====
				   try  wwoo
				  model =====`,
			problems: `unmatched: only one side shows 1 model calls of the wire, 1 model calls of the agent; they stay`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			wire, spans := sides(t, c.in)
			got, problems := join.Join(wire, spans)
			runs, more := traces.Build(shrink(got))
			if len(runs) != 1 || len(more) > 0 {
				t.Fatalf("%d runs, problems %v", len(runs), more)
			}
			if diff := cmp.Diff(outdent(c.want), tracetest.String(runs[0])); diff != "" {
				t.Errorf("run (-want +got):\n%s\n%s", diff, tracetest.String(runs[0]))
			}
			var said []string
			for _, p := range problems {
				said = append(said, string(p.Code)+": "+p.Message)
			}
			if diff := cmp.Diff(c.problems, strings.Join(said, "\n")); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// outdent takes away what all lines are indented by.
func outdent(text string) string {
	return strings.TrimPrefix(strings.ReplaceAll(text+"\n", "\n\t\t\t\t", "\n"), "\n")
}
