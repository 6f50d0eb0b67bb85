package activity_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/activity"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// instants are notes of the drawings below that stand for instants, in milliseconds since the run began.
var instants = map[string]string{"@seen": traces.KeyCheckpoint, "@byte": traces.KeyLastByte, "@event": traces.KeyLastEvent,
	"@token": traces.KeyLastToken, "@hidden": traces.KeyHiddenSince}

// recorded builds the run that text draws, one column a millisecond, of which the root ends with "…" if it is open.
func recorded(t *testing.T, text string, chunks *traces.Chunks) *traces.Run {
	t.Helper()
	records := tracetest.Records(t, text)
	for i := range records {
		r := &records[i]
		for k, a := range r.Attrs {
			if key := instants[a.Key]; key != "" {
				r.Attrs[k].Value = tracetest.Epoch.UnixNano() + a.Value.(int64)*1e6
				r.Attrs[k].Key = key
			}
		}
		if chunks != nil && r.Attrs.Has(traces.KeyLastToken) {
			r.Attrs = append(r.Attrs, traces.Attr{Key: traces.KeyChunks, Value: chunks.Encode()})
		}
	}
	runs, problems := traces.BuildWith(records, traces.Options{Now: tracetest.Epoch.Add(time.Hour)})
	if len(runs) != 1 || len(problems) > 0 {
		t.Fatalf("%d runs, problems %v", len(runs), problems)
	}
	return runs[0]
}

// words says a state in one line, what is unknown left out.
func words(s activity.State) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v", s.Kind, s.For)
	say := func(format string, args ...any) { fmt.Fprintf(&b, " "+format, args...) }
	if s.Was != "" {
		say("was %s", s.Was)
	}
	if s.Step > 0 {
		say("step %d", s.Step)
	}
	if s.Tool != "" {
		say("tool %s", s.Tool)
	}
	if s.Others > 0 {
		say("+%d", s.Others)
	}
	if s.AtMost {
		say("at most")
	}
	if s.Status > 0 {
		say("status %d", s.Status)
	}
	if s.Attempt > 1 {
		say("attempt %d", s.Attempt)
	}
	if s.Hidden {
		say("hidden")
	}
	if s.Whole {
		say("whole")
	}
	for _, age := range []struct {
		of string
		d  *time.Duration
	}{{"byte", s.Byte}, {"event", s.Event}, {"token", s.Token}, {"of", s.Planned}} {
		if age.d != nil {
			say("%s %v", age.of, *age.d)
		}
	}
	if s.Rate != nil {
		say("%.0f %s/s of %s", s.Rate.PerSecond, map[bool]string{true: "chunks", false: "chars"}[s.Rate.Chunks], s.Rate.Of)
	}
	if s.Why != "" {
		say("why %s", s.Why)
	}
	if s.Outcome != "" {
		say("%s", s.Outcome)
	}
	return b.String()
}

// Each case is a recording as it is at an instant, in milliseconds since the run began. A gap of 4 ms is a stall in them.
func TestWhatARunIsDoing(t *testing.T) {
	threshold := fmt.Sprintf("%s=%d", traces.KeyStallThreshold, 4*time.Millisecond)
	cases := []struct {
		name, run string
		chunks    *traces.Chunks
		now       int
		dead      bool // nobody writes it
		want      string
	}{
		{
			name: "before its first call it starts",
			run:  `run >`,
			now:  3, want: "starting 3ms",
		},
		{
			name: "a call that has made no request yet connects",
			run: `
				run     >
				 step   >
				  chat  >`,
			now: 5, want: "connecting 5ms step 1",
		},
		{
			name: "a request that has not been sent completely connects",
			run: `
				run         >
				 step       >
				  chat      >
				   attempt  >`,
			now: 5, want: "connecting 5ms step 1",
		},
		{
			name: "one that was sent waits for its first token",
			run: `
				run        >
				 chat      >
				  attempt  ==>  longpole.sent_ns=1000000`,
			now: 9, want: "waiting 8ms step 1",
		},
		{
			name: "headers and pings are no token",
			run: `
				run        >
				 chat      >
				  attempt  =====>  longpole.sent_ns=1000000 status:200 @byte=4 @event=3`,
			now: 9, want: "waiting 8ms step 1 status 200 byte 1ms event 2ms",
		},
		{
			name: "an answer that is not streamed says so",
			run: `
				run        >
				 chat      >  gen_ai.request.stream=false
				  attempt  ==>  longpole.sent_ns=1000000`,
			now: 9, want: "waiting 8ms step 1 whole",
		},
		{
			name: "reasoning tokens are thinking, as long as they come, at the rate of the last seconds",
			run: `
				run        >
				 chat      >
				  attempt  =============>  longpole.sent_ns=1000000 @byte=12 @event=12 @token=12 longpole.last_token.kind=reasoning ` + threshold,
			chunks: chunks("o4 r6x10 r8x10 r12x20"),
			now:    14, want: "thinking 10ms step 1 byte 1ms event 1ms token 1ms 5000 chars/s of reasoning",
		},
		{
			name: "text is writing",
			run: `
				run        >
				 chat      >
				  attempt  =============>  @byte=12 @event=12 @token=12 longpole.last_token.kind=output ` + threshold,
			chunks: chunks("r4 o8 o12"),
			now:    13, want: "writing 9ms step 1 byte 1ms event 1ms token 1ms 250 chunks/s of output",
		},
		{
			name: "arguments are calling",
			run: `
				run        >
				 chat      >
				  attempt  =============>  @byte=12 @event=12 @token=12 longpole.last_token.kind=tool_args ` + threshold,
			now: 13, want: "calling 1ms step 1 byte 1ms event 1ms token 1ms",
		},
		{
			name: "no token for half the threshold is silence, whatever else comes",
			run: `
				run        >
				 chat      >
				  attempt  =============>  @byte=12 @event=11 @token=10 longpole.last_token.kind=output ` + threshold,
			now: 15, want: "silent 5ms was writing step 1 byte 3ms event 4ms token 5ms",
		},
		{
			name: "no token for longer than the threshold is a stall, which goes on with the clock",
			run: `
				run        >
				 chat      >
				  attempt  =============>  @byte=8 @event=8 @token=8 longpole.last_token.kind=output ` + threshold,
			now: 900, want: "stalled 892ms was writing step 1 byte 892ms event 892ms token 892ms",
		},
		{
			name: "reasoning that does not show is thinking, not silence",
			run: `
				run        >
				 chat      >
				  attempt  =============>  @byte=12 @event=12 @hidden=3 longpole.sent_ns=1000000 ` + threshold,
			now: 14, want: "thinking 11ms step 1 hidden byte 1ms event 1ms",
		},
		{
			name: "a refused attempt is repeated, after as long as the server said",
			run: `
				run        >
				 chat      >
				  attempt   ==x  status:429 longpole.retry_after_ns=20000000`,
			now: 7, want: "retrying 3ms step 1 of 20ms why 429",
		},
		{
			name: "a stream that broke off is repeated, after nobody knows how long",
			run: `
				run        >
				 chat      >
				  attempt   ==x  status:200 outcome:truncated error.type=eof`,
			now: 7, want: "retrying 3ms step 1 why eof",
		},
		{
			name: "a request that was refused for good is not",
			run: `
				run        >
				 chat      >
				  attempt   ==x  status:401`,
			now: 7, want: "between 3ms step 1 why 401",
		},
		{
			name: "nor one that the agent gave up",
			run: `
				run        >
				 chat      >
				  attempt   ===  outcome:cancelled`,
			now: 7, want: "between 3ms step 1 why cancelled",
		},
		{
			name: "the second attempt is told",
			run: `
				run        >
				 chat      >
				  attempt   ==x  status:503
				  attempt      ==>  longpole.sent_ns=0 longpole.attempt=2`,
			now: 7, want: "waiting 3ms step 1 attempt 2",
		},
		{
			name: "a declared wait for a rate limit is a retry",
			run: `
				run          >
				 rate_limit  >`,
			now: 7, want: "retrying 7ms why rate limit",
		},
		{
			name: "after its answer the agent's own code runs",
			run: `
				run         >
				 step       >
				  chat      =====
				   attempt  =====`,
			now: 9, want: "between 4ms step 1",
		},
		{
			name: "after one that asks for no tool it is mostly the user's turn",
			run: `
				run      >
				 step    =====
				  ls     =
				  chat   =====  gen_ai.response.finish_reasons=end_turn`,
			now: 9, want: "answered 4ms step 1",
		},
		{
			name: "not after what that brought about",
			run: `
				run      >
				 step    =====
				  chat   ===    gen_ai.response.finish_reasons=stop asks:a
				 step      ==
				  chat     ==    gen_ai.response.finish_reasons=stop
				 ls      =======`,
			now: 9, want: "between 2ms step 2",
		},
		{
			name: "and while the call has not been closed",
			run: `
				run         >
				 step       >
				  chat      >
				   attempt  =====`,
			now: 9, want: "between 4ms step 1",
		},
		{
			name: "a tool runs; others beside it are counted, those that ended are not",
			run: `
				run     >
				 step   >
				  chat  ==
				  grep    >
				  bash   >
				  ls     =`,
			now: 9, want: "tool 8ms step 1 tool bash +1",
		},
		{
			name: "a round trip is told from an execution",
			run: `
				run    >
				 bash   >  bound`,
			now: 9, want: "tool 8ms tool bash at most",
		},
		{
			name: "a person who is asked comes first",
			run: `
				run         >
				 grep       >
				 bash        >
				  approval    >`,
			now: 9, want: "approval 7ms tool bash +1",
		},
		{
			name: "inside a sub-agent its call is what goes on, in the step of the run",
			run: `
				run            >
				 step          ==
				 step          >
				  task          >
				   agent        >
				    step        >
				     chat       >
				      attempt   ==>  longpole.sent_ns=0`,
			now: 9, want: "waiting 8ms step 2 tool task",
		},
		{
			name: "a side call counts where nothing else is open",
			run: `
				run        >
				 chat      >  side
				  attempt  ==>  longpole.sent_ns=0`,
			now: 9, want: "waiting 9ms",
		},
		{
			name: "and not beside the main chain",
			run: `
				run        >
				 chat      >  side
				  attempt  ==>  longpole.sent_ns=0
				 bash       >`,
			now: 9, want: "tool 8ms tool bash",
		},
		{
			name: "nor does what goes on in the background, with all below it",
			run: `
				run     >
				 chat   ==
				 watch   >  background
				  chat   >`,
			now: 9, want: "between 7ms step 1",
		},
		{
			name: "a run that has ended has, also if something of it goes on",
			run: `
				run     =====  outcome:ok
				 watch   >  background`,
			now: 9, dead: true, want: "ended 4ms ok",
		},
		{
			name: "without checkpoints of an open attempt it is lost after five seconds",
			run: `
				run        >
				 chat      >
				  attempt  ==>  longpole.sent_ns=0`,
			now: 5003, want: "lost 5.001s was waiting step 1",
		},
		{
			name: "not before",
			run: `
				run        >
				 chat      >
				  attempt  ==>  longpole.sent_ns=0`,
			now: 5002, want: "waiting 5.002s step 1",
		},
		{
			name: "a tool has no checkpoints",
			run: `
				run    >
				 bash  >`,
			now: 60_000, want: "tool 1m0s tool bash",
		},
		{
			name: "but is lost when nobody writes the recording any more",
			run: `
				run    >
				 bash   >`,
			now: 60_000, dead: true, want: "lost 59.999s was tool tool bash",
		},
		{
			name: "where the recording's clock goes ten times faster, times are the recording's, and signs of life those of this machine",
			run: `
				run        >  longpole.time_scale=10
				 chat      >
				  attempt  ==>  longpole.sent_ns=0`,
			now: 5000, want: "waiting 50s step 1",
		},
		{
			name: "and it is lost as early as others",
			run: `
				run        >  longpole.time_scale=10
				 chat      >
				  attempt  >  longpole.sent_ns=0 @seen=20`,
			now: 5010, want: "lost 5.008s was waiting step 1",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			run := recorded(t, c.run, c.chunks)
			a := activity.Of(run, 0)
			if got := words(a.At(tracetest.Epoch.Add(time.Duration(c.now)*time.Millisecond), !c.dead)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// chunks reads a series: the kind's letter, milliseconds since the attempt's start, and characters behind an x.
func chunks(text string) *traces.Chunks {
	c := &traces.Chunks{}
	for word := range strings.FieldsSeq(text) {
		var at, chars int
		fmt.Sscanf(word[1:], "%dx%d", &at, &chars)
		kind := map[byte]traces.Component{'r': traces.Reasoning, 'o': traces.Output, 'a': traces.ToolArgs}[word[0]]
		c.Add(time.Duration(at)*time.Millisecond, kind, chars)
	}
	return c
}

// Whatever a run looks like, it is doing one thing, not for less than no time, and ends up lost when nobody writes it.
func TestAnyRunDoesOneThing(t *testing.T) {
	for seed := range uint64(300) {
		runs, _ := traces.Build(tracetest.Random(seed))
		for _, run := range runs {
			a := activity.Of(run, 0)
			for _, after := range []time.Duration{-time.Hour, 0, run.Wall, run.Wall + time.Minute} {
				s := a.At(run.Start.Add(after), true)
				if s.Kind == "" || s.For < 0 || s.Kind == activity.Lost && s.Was == "" {
					t.Fatalf("seed %d: %s", seed, words(s))
				}
				for _, age := range []*time.Duration{s.Byte, s.Event, s.Token} {
					if age != nil && *age < 0 {
						t.Fatalf("seed %d: %s", seed, words(s))
					}
				}
				if dead := a.At(run.Start.Add(after), false); s.Kind != activity.Ended && dead.Kind != activity.Lost {
					t.Fatalf("seed %d: nobody writes it and it is %s", seed, words(dead))
				}
			}
		}
	}
}

func TestUsualIsTheMedianOfTheLatestRuns(t *testing.T) {
	var u activity.Usual
	if _, ok := u.Tool("bash"); ok {
		t.Error("an empty Usual knows a time")
	}
	for i, text := range []string{
		"run =====\n bash ===\n bash  =",
		"run =====\n bash ==\n grep =>", // the open one does not count
		"run =====\n chat === ttft:2",
	} {
		u.Add(fmt.Sprint(i), tracetest.Parse(t, text))
	}
	bash, _ := u.Tool("bash")
	_, grep := u.Tool("grep")
	wait, _ := u.Wait("")
	if bash != 2*time.Millisecond || grep || wait != 2*time.Millisecond {
		t.Errorf("bash %v, grep known %t, wait %v", bash, grep, wait)
	}
	u.Add("0", tracetest.Parse(t, "run =====\n bash ====="))
	if bash, _ := u.Tool("bash"); bash != 2*time.Millisecond { // of 2 and 5
		t.Errorf("bash %v after the first run was read anew", bash)
	}
	runs := func(what string, n int, start time.Time) {
		for i := range n {
			run := tracetest.Parse(t, "run =========\n bash "+what)
			run.Start = start.Add(time.Duration(i) * time.Second)
			u.Add(what+fmt.Sprint(i), run)
		}
	}
	runs("=========", 300, tracetest.Epoch.Add(time.Hour))
	runs("====", 300, tracetest.Epoch.Add(-time.Hour)) // older ones that are read later
	if bash, _ := u.Tool("bash"); bash != 9*time.Millisecond {
		t.Errorf("bash %v after 300 later runs of 9ms", bash)
	}
}
