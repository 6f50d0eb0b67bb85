package measure

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
)

const ms = int64(time.Millisecond)

// A stream is one attempt of a model call to build a run from; times in milliseconds since the attempt began.
type stream struct {
	chunks  string // "400r5 520o12": at 400 ms a reasoning delta of 5 characters, …
	end     int64
	sent    int64
	attrs   traces.Attrs // of the attempt
	call    traces.Attrs // of the model call
	phases  []traces.Record
	retried bool // before it came a 429 of 125 ms and a backoff of 2,025 ms
	odd     bool // problems are expected
	whole   bool // not streamed
}

func tokens(out, reasoning int64) traces.Attrs {
	a := traces.Attrs{{Key: traces.KeyOutputTokens, Value: out}}
	if reasoning >= 0 {
		a = append(a, traces.Attr{Key: traces.KeyReasoningTokens, Value: reasoning})
	}
	return a
}

func attr(key string, value any) traces.Attr { return traces.Attr{Key: key, Value: value} }

// measured builds the stream's run and returns its one model call.
func measured(t *testing.T, s stream) Call {
	t.Helper()
	const epoch = 1_700_000_000_000_000_000
	lead := int64(0)
	if s.retried {
		lead = 2150
	}
	record := func(id, parent string, role traces.Role, from, to int64, attrs ...traces.Attr) traces.Record {
		return traces.Record{TraceID: "t", SpanID: id, ParentID: parent, Name: id, Start: epoch + from*ms, End: epoch + to*ms,
			Attrs: append(traces.Attrs{attr(traces.KeyRole, string(role))}, attrs...)}
	}
	call := append(traces.Attrs{attr(traces.KeyRequestStream, !s.whole)}, s.call...)
	recs := []traces.Record{
		record("run", "", traces.RoleAgent, 0, lead+s.end),
		record("chat", "run", traces.RoleModel, 0, lead+s.end, call...),
	}
	if s.retried {
		recs = append(recs, record("try1", "chat", traces.RoleAttempt, 0, 125, attr(traces.KeyHTTPStatus, int64(429)), attr(traces.KeyOutcome, "error")))
	}
	attrs := append(traces.Attrs{attr(traces.KeyOutcome, "ok"), attr(traces.KeySentTime, s.sent*ms)}, s.attrs...)
	if s.chunks != "" {
		var c traces.Chunks
		for _, word := range strings.Fields(s.chunks) {
			var at, chars int
			var kind rune
			if _, err := fmt.Sscanf(word, "%d%c%d", &at, &kind, &chars); err != nil {
				t.Fatalf("chunk %q: %v", word, err)
			}
			c.Add(time.Duration(at)*time.Millisecond, map[rune]traces.Component{'r': traces.Reasoning, 'o': traces.Output, 'a': traces.ToolArgs}[kind], chars)
		}
		attrs = append(attrs, attr(traces.KeyChunks, c.Encode()))
	}
	recs = append(recs, record("try", "chat", traces.RoleAttempt, lead, lead+s.end, attrs...))
	for i, p := range s.phases {
		p.TraceID, p.ParentID, p.SpanID = "t", "try", fmt.Sprint("phase", i)
		p.Start, p.End = epoch+(lead+p.Start)*ms, epoch+(lead+p.End)*ms
		p.Attrs = append(p.Attrs, attr(traces.KeyRole, "phase"), attr(traces.KeyPhase, p.Name))
		recs = append(recs, p)
	}
	runs, problems := traces.Build(recs)
	if len(runs) != 1 || len(problems) > 0 {
		t.Fatalf("got %d runs, problems %v", len(runs), problems)
	}
	r := Of(runs[0])
	if len(r.Calls) != 1 || len(r.Problems) > 0 != s.odd {
		t.Fatalf("got %d calls, problems %v", len(r.Calls), r.Problems)
	}
	return r.Calls[0]
}

// figures writes what is known of a call, in milliseconds; what is nil is not there.
func figures(c Call) string {
	var words []string
	say := func(name string, v any) { words = append(words, fmt.Sprint(name, " ", v)) }
	for _, f := range []struct {
		name string
		d    *time.Duration
	}{
		{"headers", c.Headers}, {"ttft", c.TTFT}, {"reasoning", c.FirstReasoning}, {"–", c.LastReasoning}, {"visible", c.FirstVisible}, {"–", c.LastVisible},
		{"args", c.FirstToolCall}, {"–", c.LastToolCall}, {"last", c.LastToken}, {"end", c.End}, {"felt", c.FeltTTFT},
		{"tpot", c.TPOT}, {"flowing", c.TPOTFlowing}, {"visible tpot", c.VisibleTPOT}, {"estimate", c.ReasoningEstimate},
	} {
		if f.d != nil {
			say(f.name, float64(*f.d)/1e6)
		}
	}
	if w := c.ReasoningWindow; w != nil {
		say("window", fmt.Sprintf("%d-%d %s", w.Start.Milliseconds(), w.End.Milliseconds(), w.Quality))
	}
	if c.OutputRate != nil {
		say("rate", fmt.Sprintf("%.4g", *c.OutputRate))
	}
	if c.CharsPerSecond != nil {
		say("chars/s", fmt.Sprintf("%.4g", *c.CharsPerSecond))
	}
	for _, s := range c.Stalls {
		say("stall", fmt.Sprintf("%d-%d", s.Start.Milliseconds(), s.End.Milliseconds()))
	}
	if c.Visibility != "" {
		say("shown", c.Visibility)
	}
	if c.Delivery != "" {
		say("as", c.Delivery)
	}
	return strings.Join(words, ", ")
}

func TestCall(t *testing.T) {
	phase := func(name string, from, to int64, attrs ...traces.Attr) traces.Record {
		return traces.Record{Name: name, Start: from, End: to, Attrs: attrs}
	}
	for _, c := range []struct {
		name string
		s    stream
		want string
	}{
		{
			"a role-only first chunk is no token: it is not in the series",
			stream{chunks: "900o3 930o2", end: 961, attrs: traces.Attrs{attr(traces.KeyHeadersTime, 38*ms)}},
			"headers 38, ttft 900, visible 900, – 930, last 930, end 961, felt 900, chars/s 66.67, as stream",
		},
		{
			"instants count from the request sent, the felt one from the call's start",
			stream{sent: 100, chunks: "500o3 530o2 560o4", end: 600, call: tokens(3, 0)},
			"ttft 400, visible 400, – 460, last 460, end 500, felt 500, tpot 30, visible tpot 30, rate 33.33, chars/s 100, shown none, as stream",
		},
		{
			"several tokens a chunk: a chunk gap is no time per token",
			stream{chunks: "400o4 520o16 640o16 760o12", end: 770, call: tokens(12, -1)},
			"ttft 400, visible 400, – 760, last 760, end 770, felt 400, tpot 32.727273, visible tpot 32.727273, rate 30.56, chars/s 122.2, as stream",
		},
		{
			"a stall is in the time per token, and beside it is the time without",
			stream{chunks: "800o1 850o1 900o1 42300o1 42350o1", end: 42361, call: tokens(5, -1), attrs: traces.Attrs{attr(traces.KeyStallThreshold, 10_000*ms)}},
			"ttft 800, visible 800, – 42350, last 42350, end 42361, felt 800, tpot 10387.5, flowing 50, visible tpot 10387.5, rate 0.09627, chars/s 0.09627, stall 900-42300, as stream",
		},
		{
			"a burst has no rates",
			stream{chunks: "38400o2000 38404o2000 38412o2500", end: 38415, call: tokens(1640, -1), attrs: traces.Attrs{attr(traces.KeyHeadersTime, 11_900*ms)}},
			"headers 11900, ttft 38400, visible 38400, – 38412, last 38412, end 38415, felt 38400, as burst",
		},
		{
			"a burst is seen without token counts too",
			stream{chunks: "38400o2000 38404o2000 38412o2500", end: 38415},
			"ttft 38400, visible 38400, – 38412, last 38412, end 38415, felt 38400, as burst",
		},
		{
			"a fast model is no burst: its output takes its share of the time",
			stream{chunks: "100o4 300o2000 500o2000", end: 501, call: tokens(1001, -1)},
			"ttft 100, visible 100, – 500, last 500, end 501, felt 100, tpot 0.4, visible tpot 0.4, rate 2500, chars/s 1e+04, as stream",
		},
		{
			"one token has no time per token",
			stream{chunks: "400o4", end: 410, call: tokens(1, -1)},
			"ttft 400, visible 400, – 400, last 400, end 410, felt 400, as stream",
		},
		{
			"a whole answer in one chunk came as a burst",
			stream{chunks: "4000o800", end: 4010, call: tokens(200, -1)},
			"ttft 4000, visible 4000, – 4000, last 4000, end 4010, felt 4000, as burst",
		},
		{
			"hidden reasoning is never divided by the visible window; its estimate is at most the wait",
			stream{chunks: "6230o3 6260o2", end: 6300, call: tokens(310, 300)},
			"ttft 6230, visible 6230, – 6260, last 6260, end 6300, felt 6230, visible tpot 3.333333, estimate 1000, chars/s 66.67, shown hidden, as stream",
		},
		{
			"the estimate of hidden reasoning is cut to the wait",
			stream{chunks: "600o3 900o2", end: 910, call: tokens(310, 300)},
			"ttft 600, visible 600, – 900, last 900, end 910, felt 600, visible tpot 33.333333, estimate 600, chars/s 6.667, shown hidden, as stream",
		},
		{
			"a window of hidden reasoning is inferred, and replaces the estimate",
			stream{chunks: "6230o3 6260o2", end: 6300, call: tokens(310, 300), attrs: traces.Attrs{attr(traces.KeyVisibility, "hidden")}, phases: []traces.Record{
				phase("wait", 0, 160), phase("reasoning", 160, 6200, attr(traces.KeyQuality, "inferred")), phase("wait", 6200, 6230), phase("output", 6230, 6260), phase("tail", 6260, 6300)}},
			"ttft 6230, visible 6230, – 6260, last 6260, end 6300, felt 6230, visible tpot 3.333333, window 160-6200 inferred, chars/s 66.67, shown hidden, as stream",
		},
		{
			"a summary of reasoning has no rate either",
			stream{chunks: "2000r30 2500r30 3000o4 3500o4", end: 3510, call: tokens(900, 890), attrs: traces.Attrs{attr(traces.KeyVisibility, "summary")}},
			"ttft 2000, reasoning 2000, – 2500, visible 3000, – 3500, last 3500, end 3510, felt 2000, visible tpot 55.555556, window 2000-2500 measured, chars/s 8, shown summary, as stream",
		},
		{
			"interleaved thinking: each kind keeps its own first and last, visible time per token would mislead",
			stream{chunks: "520r6 1000r6 1500r6 1610o8 1800o6 1920r6 3400r6 3500a9 3600a9", end: 3611, call: tokens(140, 60)},
			"ttft 520, reasoning 520, – 3400, visible 1610, – 1800, args 3500, – 3600, last 3600, end 3611, felt 520, tpot 22.158273, window 520-3400 measured, rate 45.13, chars/s 46.67, as stream",
		},
		{
			"a turn that is only a tool call has a TTFT and nothing visible",
			stream{chunks: "700a9 760a14", end: 771, call: append(tokens(20, -1), attr(traces.KeyToolCallIDs, []any{"call_1"}))},
			"ttft 700, args 700, – 760, last 760, end 771, felt 700, tpot 3.157895, rate 316.7, as stream",
		},
		{
			"without token counts nothing per token is known",
			stream{chunks: "500o4 540o1", end: 551},
			"ttft 500, visible 500, – 540, last 540, end 551, felt 500, chars/s 25, as stream",
		},
		{
			"after a 429 the felt TTFT holds the wait, the TTFT is the final attempt's",
			stream{retried: true, chunks: "400o4 450o4 500o4", end: 510, call: tokens(3, -1)},
			"ttft 400, visible 400, – 500, last 500, end 510, felt 2550, tpot 50, visible tpot 50, rate 20, chars/s 80, as stream",
		},
		{
			"a response that was not streamed has no TTFT",
			stream{whole: true, end: 4000, call: tokens(200, 0)},
			"end 4000, as whole",
		},
		{
			"without series or phases the reported TTFT is all",
			stream{end: 4000, call: append(tokens(200, 0), attr(traces.KeyTTFT, 0.7))},
			"ttft 700, end 4000, felt 700, shown none",
		},
		{
			"from phases alone the first of a kind is known only where nothing else can have come before",
			stream{end: 2000, call: tokens(100, 60), phases: []traces.Record{
				phase("connect", 0, 10), phase("wait", 10, 500), phase("reasoning", 500, 1200), phase("output", 1200, 1900), phase("tail", 1900, 2000)}},
			"ttft 490, reasoning 490, – 1190, – 1890, last 1890, end 1990, felt 500, tpot 14.141414, window 500-1200 measured, rate 70.71, as stream",
		},
		{
			"phases of an earlier time than the request are no answer to it",
			stream{sent: 1000, end: 2000, call: tokens(100, 0), odd: true, phases: []traces.Record{
				phase("wait", 0, 500), phase("output", 500, 1500), phase("output", 1500, 1900), phase("tail", 1900, 2000)}},
			"ttft 500, visible 500, – 900, last 900, end 1000, felt 1500, tpot 4.040404, visible tpot 4.040404, rate 247.5, shown none, as stream",
		},
		{
			"phases of output alone tell its first",
			stream{end: 2000, call: tokens(100, 0), phases: []traces.Record{phase("wait", 0, 500), phase("output", 500, 1900), phase("tail", 1900, 2000)}},
			"ttft 500, visible 500, – 1900, last 1900, end 2000, felt 500, tpot 14.141414, visible tpot 14.141414, rate 70.71, shown none, as stream",
		},
		{
			"a reader that sets the pace hides the model's",
			stream{chunks: "400o4 450o4 500o4", end: 510, call: tokens(3, -1), attrs: traces.Attrs{attr(traces.KeyPaced, "consumer")}},
			"ttft 400, visible 400, – 500, last 500, end 510, felt 400, as stream",
		},
		{
			"a truncated stream keeps its instants",
			stream{chunks: "500r4 1000r4 2500r4", end: 2600, attrs: traces.Attrs{attr(traces.KeyOutcome, "truncated"), attr(traces.KeyStallThreshold, 10_000*ms)}},
			"ttft 500, reasoning 500, – 2500, last 2500, end 2600, felt 500, window 500-2500 measured, as stream",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := figures(measured(t, c.s)); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestGaps(t *testing.T) {
	known := func(g Gaps) string {
		var words []string
		for name, d := range map[string]*time.Duration{"p50": g.P50, "p95": g.P95, "p99": g.P99, "max": g.Max} {
			if d != nil {
				words = append(words, fmt.Sprint(name, " ", *d))
			}
		}
		return strings.Join(words, " ")
	}
	series := func(n int) string {
		var b strings.Builder
		for i := range n + 1 {
			fmt.Fprintf(&b, "%do1 ", 400+20*i+i*i/10)
		}
		return b.String()
	}
	for _, c := range []struct {
		name   string
		chunks string
		want   int // figures known
	}{
		{"one chunk has no gap", series(0), 0},
		{"one gap is a maximum", series(1), 1},
		{"a few gaps have a median", series(19), 2},
		{"twenty gaps have a p95", series(20), 3},
		{"a hundred gaps have a p99", series(100), 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := known(measured(t, stream{chunks: c.chunks, end: 9000}).Gaps)
			if n := len(strings.Fields(got)) / 2; n != c.want {
				t.Errorf("got %q, want %d figures", got, c.want)
			}
		})
	}
	carried := measured(t, stream{end: 900, attrs: traces.Attrs{attr(traces.KeyChunkCount, int64(7)), attr(traces.KeyChunkGapMax, 41*ms)}})
	if *carried.Chunks != 7 || *carried.Gaps.Max != 41*time.Millisecond || carried.Gaps.P50 != nil {
		t.Errorf("without a series the attempt's own summary counts: got %v chunks, %v", *carried.Chunks, carried.Gaps)
	}
}
