package report_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// slow stretches a drawing so that a column stands for d.
func slow(recs []traces.Record, d time.Duration) []traces.Record {
	epoch := tracetest.Epoch.UnixNano()
	stretch := func(t int64) int64 { return epoch + (t-epoch)*int64(d/time.Millisecond) }
	for i := range recs {
		recs[i].Start = stretch(recs[i].Start)
		if recs[i].End != 0 {
			recs[i].End = stretch(recs[i].End)
		}
	}
	return recs
}

// drawn measures a run drawn with 200 ms a column; attrs go to its root.
func drawn(t *testing.T, text string, attrs ...traces.Attr) *measure.Run {
	t.Helper()
	recs := slow(tracetest.Records(t, text), 200*time.Millisecond)
	recs[0].Attrs = append(recs[0].Attrs, attrs...)
	runs, problems := traces.Build(recs)
	if len(runs) != 1 || len(problems) > 0 {
		t.Fatalf("got %d runs, problems %v", len(runs), problems)
	}
	return measure.Of(runs[0])
}

// fixConfig is a run with a bit of everything: parallel tools, a 429 with backoff, a stall, hidden waits.
const fixConfig = `
	run       =======================================================================
	 step1     ======================
	  chat1    cwwrrrrrrrrrroaa                                                        model:glm-sim asks:c1,c2 gen_ai.usage.input_tokens=2048 gen_ai.usage.output_tokens=310 gen_ai.usage.reasoning.output_tokens=250
	  read_file                ==                                                      call:c1
	  search                   ======                                                  call:c2
	 step2                             ============================
	  chat2                            =================                               model:glm-sim asks:c3 gen_ai.usage.input_tokens=2400 gen_ai.usage.cache_read.input_tokens=2048 gen_ai.usage.output_tokens=190 gen_ai.usage.reasoning.output_tokens=120
	   try1                            cw                                              status:429 error
	   backoff                           =====
	   try2                                   cwwrrrrraat                              status:200
	  run_tests                                           ==========x                  call:c3
	   approval                                           ===
	 step3                                                           ==========
	  chat3                                                          wwoossssoot      model:glm-sim gen_ai.usage.input_tokens=2700 gen_ai.usage.cache_read.input_tokens=2400 gen_ai.usage.output_tokens=64 gen_ai.usage.reasoning.output_tokens=0
`

// tags are those of a run of bench.
func tags(effort, trial string, outcome traces.Outcome) []traces.Attr {
	return []traces.Attr{
		{Key: traces.KeyGroupPrefix + "effort", Value: effort}, {Key: traces.KeyGroupPrefix + "trial", Value: trial},
		{Key: traces.KeyRunName, Value: "fix-config"}, {Key: traces.KeyOutcome, Value: string(outcome)}, {Key: traces.KeyAnswerCheck, Value: "timeout is 30 s as asked"},
	}
}

// Three efforts of one task. Low thinks little and needs a second try.
const (
	low = `
	run     ==========================================================
	 chat1  wwroa                                                      model:glm-sim gen_ai.usage.output_tokens=60 gen_ai.usage.reasoning.output_tokens=20
	 edit        ===========
	 chat2                  wwroa                                      model:glm-sim gen_ai.usage.output_tokens=70 gen_ai.usage.reasoning.output_tokens=22
	 edit2                       ===========
	 chat3                                  ww                         model:glm-sim status:429 error
	 chat4                                     wwroooa                 model:glm-sim gen_ai.usage.output_tokens=90 gen_ai.usage.reasoning.output_tokens=18
	 test                                             ======
`
	medium = `
	run     ========================================
	 chat1  wwrrrrrrroa                              model:glm-sim gen_ai.usage.output_tokens=180 gen_ai.usage.reasoning.output_tokens=140
	 edit              ===========
	 chat2                        wwrrroo            model:glm-sim gen_ai.usage.output_tokens=120 gen_ai.usage.reasoning.output_tokens=60
	 test                                ====
`
	high = `
	run     ===================================================================
	 chat1  wwrrrrrrrrrrrrrrrrrrrrrrroa                                         model:glm-sim gen_ai.usage.output_tokens=480 gen_ai.usage.reasoning.output_tokens=440
	 edit                              ===========
	 chat2                                        wwrrrrrrrrroo                 model:glm-sim gen_ai.usage.output_tokens=260 gen_ai.usage.reasoning.output_tokens=200
	 test                                                      =====
`
)

// bench measures trials of each effort, each a little longer than the one before; low is wrong in every third and cut off
// once, high cut off once.
func bench(t *testing.T, trials int) []*measure.Run {
	t.Helper()
	var runs []*measure.Run
	for trial := range trials {
		for _, effort := range []struct{ word, text string }{{"high", high}, {"low", low}, {"medium", medium}} {
			outcome := traces.OK
			switch {
			case effort.word == "low" && trial%3 == 1:
				outcome = traces.FailedCheck
			case effort.word == "low" && trial == 6, effort.word == "high" && trial == 9:
				outcome = traces.Timeout
			}
			recs := slow(tracetest.Records(t, effort.text), time.Duration(180+7*trial)*time.Millisecond)
			recs[0].Attrs = append(recs[0].Attrs, tags(effort.word, strconv.Itoa(trial+1), outcome)...)
			built, problems := traces.Build(recs)
			if len(built) != 1 || len(problems) > 0 {
				t.Fatalf("got %d runs, problems %v", len(built), problems)
			}
			runs = append(runs, measure.Of(built[0]))
		}
	}
	return runs
}

const (
	// open was killed while its second call streamed.
	open = `
	run      ==============>
	 step1   ======
	  chat1  wwooot           model:glm-sim
	 step2         ========>
	  chat2        cwwooooo>  model:glm-sim
`
	// hidden has reasoning that was billed but not streamed, and a tool of which only the round trip is known.
	hidden = `
	run     ================================
	 chat1  wwwwwwwwwwoooot                   model:quill-2 asks:c1 longpole.reasoning.visibility=hidden gen_ai.usage.output_tokens=141 gen_ai.usage.reasoning.output_tokens=100
	 ask                   ============       call:c1 bound longpole.tool.may_wait=true
	 title:model               ===            side model:tiny
`
)
