package measure_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// A reply is a model call: the first token after a second, the others evenly until it ends.
type reply struct {
	input, output int64   // tokens; output below 0: nobody counted
	seconds       float64 // from the first to the last token
	chars         int64   // of visible text, as much in each token
	failed, side  bool
}

// replies is a run that asked a model several times; it began so many seconds after others.
func replies(t *testing.T, begin float64, tags string, scale float64, list ...reply) *measure.Run {
	t.Helper()
	start := int64(1_700_000_000_000_000_000) + int64(begin*1e9)
	at := start
	id := func(s string, i int) string { return fmt.Sprint(s, i) }
	root := traces.Record{TraceID: "t", SpanID: "run", Name: "run", Start: start, Attrs: traces.Attrs{{Key: traces.KeyRole, Value: "agent"}, {Key: traces.KeyOutcome, Value: "ok"}, {Key: traces.KeyTimeScale, Value: scale}}}
	for _, tag := range strings.Fields(tags) {
		key, value, _ := strings.Cut(tag, "=")
		root.Attrs = append(root.Attrs, traces.Attr{Key: traces.KeyGroupPrefix + key, Value: value})
	}
	recs := []traces.Record{root}
	for i, r := range list {
		end := at + int64((1+r.seconds)*1e9)
		outcome := "ok"
		if r.failed {
			outcome = "error"
		}
		call := traces.Attrs{{Key: traces.KeyRole, Value: "model"}, {Key: traces.KeyRequestStream, Value: true}, {Key: traces.KeySide, Value: r.side},
			{Key: traces.KeyInputTokens, Value: r.input}, {Key: traces.KeyReasoningTokens, Value: int64(0)}, {Key: traces.KeyOutcome, Value: outcome}}
		if r.output >= 0 {
			call = append(call, traces.Attr{Key: traces.KeyOutputTokens, Value: r.output})
		}
		var chunks traces.Chunks
		n := max(2, r.output)
		for k := range n {
			chunks.Add(time.Second+time.Duration(float64(k)/float64(n-1)*r.seconds*1e9), traces.Output, int(r.chars/n))
		}
		recs = append(recs,
			traces.Record{TraceID: "t", SpanID: id("chat", i), ParentID: "run", Name: "chat", Start: at, End: end, Attrs: call},
			traces.Record{TraceID: "t", SpanID: id("try", i), ParentID: id("chat", i), Name: "try", Start: at, End: end, Attrs: traces.Attrs{{Key: traces.KeyRole, Value: "attempt"},
				{Key: traces.KeyOutcome, Value: outcome}, {Key: traces.KeyChunks, Value: chunks.Encode()}, {Key: traces.KeyChars, Value: r.chars}}})
		at = end
	}
	recs[0].End = at
	runs, problems := traces.Build(recs)
	if len(runs) != 1 || len(problems) > 0 {
		t.Fatalf("got %d runs, problems %v", len(runs), problems)
	}
	return measure.Of(runs[0])
}

func spread[T ~int64 | ~float64](s measure.Spread[T]) string {
	switch {
	case s.Median == nil:
		return "?"
	case s.Low == nil:
		return fmt.Sprintf("%.4g of %d", float64(*s.Median), s.N)
	}
	return fmt.Sprintf("%.4g (%.4g–%.4g) of %d", float64(*s.Median), float64(*s.Low), float64(*s.High), s.N)
}

func TestRates(t *testing.T) {
	ten := make([]*measure.Run, 10)
	for i := range ten {
		ten[i] = replies(t, 0, "", 1, reply{output: 101, seconds: 1 + float64(i), chars: 404})
	}
	for _, c := range []struct {
		name string
		runs []*measure.Run
		want string // output rate; end to end; characters per second; per token
	}{
		{"no runs have no rates", nil, "?; ?; ?; ?"},
		{"the output rate leaves the wait out, the end-to-end rate does not", []*measure.Run{replies(t, 0, "", 1, reply{output: 101, seconds: 4, chars: 404})}, "25 of 1; 20.2 of 1; 100 of 1; 4 of 1"},
		{"without a count only characters have a rate", []*measure.Run{replies(t, 0, "", 1, reply{output: -1, seconds: 2, chars: 800})}, "?; ?; 200 of 1; ?"},
		{"a run counts once, with its median call", []*measure.Run{replies(t, 0, "", 1, reply{output: 101, seconds: 1, chars: 404}, reply{output: 101, seconds: 2, chars: 404}, reply{output: 101, seconds: 10, chars: 404})},
			"50 of 1; 33.67 of 1; 200 of 1; 4 of 1"},
		{"failed and side calls do not count", []*measure.Run{replies(t, 0, "", 1, reply{output: 101, seconds: 1, side: true}, reply{output: 101, seconds: 4, chars: 404}, reply{output: 101, seconds: 2, failed: true})},
			"25 of 1; 20.2 of 1; 100 of 1; 4 of 1"},
		{"ten runs have an interval", ten, "18.33 (11.11–50) of 10; 15.63 (10.1–33.67) of 10; 73.33 (44.44–200) of 10; 4 (4–4) of 10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r measure.Rates
			if len(c.runs) > 0 {
				r = measure.RatesOf(measure.GroupBy(c.runs))[0]
			}
			got := strings.Join([]string{spread(r.Output), spread(r.EndToEnd), spread(r.CharsPerSecond), spread(r.CharsPerToken)}, "; ")
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Two models give the same text in different numbers of tokens: the one with more tokens a second is the slower to read.
func TestModelsWithDifferentTokenizers(t *testing.T) {
	groups := measure.GroupBy([]*measure.Run{ // one token more than the figures, as the first one takes no time
		replies(t, 0, "model=acme-large-1", 1, reply{output: 301, seconds: 6, chars: 1204}),
		replies(t, 0, "model=quill-2", 1, reply{output: 521, seconds: 8, chars: 521 * 2}),
	}, "model")
	rates := measure.RatesOf(groups)
	for i, want := range []string{"50 of 1; 200 of 1; 4 of 1", "65 of 1; 130 of 1; 2 of 1"} {
		if got := strings.Join([]string{spread(rates[i].Output), spread(rates[i].CharsPerSecond), spread(rates[i].CharsPerToken)}, "; "); got != want {
			t.Errorf("%s: got %s, want %s", groups[i].Label(), got, want)
		}
	}
}

func TestThroughput(t *testing.T) {
	r := reply{output: 100, seconds: 9}
	for _, c := range []struct {
		name string
		runs []*measure.Run
		want string
	}{
		{"no runs have none", nil, "none"},
		{"one user alone", []*measure.Run{replies(t, 0, "", 1, r)}, "100 tokens in 10 s, 10/s, 1 users"},
		{"two at once", []*measure.Run{replies(t, 0, "", 1, r), replies(t, 0, "", 1, r)}, "200 tokens in 10 s, 20/s, 2 users"},
		{"two that overlap", []*measure.Run{replies(t, 0, "", 1, r), replies(t, 5, "", 1, r)}, "200 tokens in 15 s, 13.33/s, 1.333 users"},
		{"an hour between them is no time of the load", []*measure.Run{replies(t, 3600, "", 1, r), replies(t, 0, "", 1, r)}, "200 tokens in 20 s, 10/s, 1 users"},
		{"one inside the other", []*measure.Run{replies(t, 0, "", 1, r, r), replies(t, 5, "", 1, r)}, "300 tokens in 20 s, 15/s, 1.5 users"},
		{"tokens that nobody counted make it a lower bound", []*measure.Run{replies(t, 0, "", 1, r, reply{output: -1, seconds: 9})}, "100 tokens in 20 s, 5/s, 1 users, 1 uncounted"},
		{"without any count there is none", []*measure.Run{replies(t, 0, "", 1, reply{output: -1, seconds: 9})}, "none"},
		{"at a time scale of 10, runs that began half a second apart began 5 s apart", []*measure.Run{replies(t, 0, "", 10, r), replies(t, 0.5, "", 10, r)}, "200 tokens in 15 s, 13.33/s, 1.333 users"},
		{"runs of different time scales have none together", []*measure.Run{replies(t, 0, "", 10, r), replies(t, 0, "", 1, r)}, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := "none"
			if th := measure.ThroughputOf(c.runs); th != nil {
				got = fmt.Sprintf("%d tokens in %.4g s, %.4g/s, %.4g users", th.Tokens, th.Wall.Seconds(), th.TokensPerSecond, th.Users)
				if th.Uncounted > 0 {
					got += fmt.Sprintf(", %d uncounted", th.Uncounted)
				}
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestGroupsThatShareTheServer(t *testing.T) {
	r := reply{output: 100, seconds: 9}
	for _, c := range []struct {
		name   string
		begins map[string]float64 // when a group's run of 10 s begins
		want   string
	}{
		{"one after the other they do not", map[string]float64{"1": 0, "2": 10, "3": 20}, "1 false, 2 false, 3 false"},
		{"at once they do", map[string]float64{"1": 0, "2": 0, "3": 20}, "1 true, 2 true, 3 false"},
		{"a moment is enough", map[string]float64{"1": 0, "2": 9.9, "3": 20}, "1 true, 2 true, 3 false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var runs []*measure.Run
			for g, begin := range c.begins {
				runs = append(runs, replies(t, begin, "concurrency="+g, 1, r), replies(t, begin, "concurrency="+g, 1, r))
			}
			groups := measure.GroupBy(runs, "concurrency")
			var got []string
			for i, rates := range measure.RatesOf(groups) {
				got = append(got, fmt.Sprint(groups[i].Values(), " ", rates.Shared))
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
		})
	}
}

// A model that writes 100 tokens a second, and 2 fewer for each 1,000 tokens of context, is found out, also where another one
// that is twice as fast got the short contexts.
func TestRateByContext(t *testing.T) {
	var runs []*measure.Run
	for i := range 6 {
		var list []reply
		for k := range 4 {
			context := float64(1000*(1+k) + 10*i)
			rate := 100 - 2*context/1000
			if i%2 == 0 {
				context, rate = context+10000, 200-2*context/1000
			}
			list = append(list, reply{input: int64(context), output: 101, seconds: 100 / rate})
		}
		runs = append(runs, replies(t, 0, "", 1, list...))
	}
	s := measure.RatesOf(measure.GroupBy(runs))[0].ByContext
	if s == nil || s.PerThousand < -2.001 || s.PerThousand > -1.999 || s.Calls != 24 || s.Runs != 6 || s.Low > s.PerThousand || s.High < s.PerThousand {
		t.Errorf("got %+v, want -2 tokens/s for each 1,000 of context", s)
	}
	if s := measure.RatesOf(measure.GroupBy(runs[:1]))[0].ByContext; s != nil {
		t.Errorf("four calls of one run are too few for an interval: got %+v", s)
	}
}
