package report

import (
	"io"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/ceiling"
	"github.com/seed46266073/longpole/traces/cost"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/pace"
)

// The fields of a group that hold it against yardsticks; those that were not asked for are null. Amounts of money are decimal
// numbers, in the currency that is named beside them.
type (
	groupYardsticksJSON struct {
		Rates   ratesJSON      `json:"rates"`
		Pace    paceJSON       `json:"pace"`
		Ceiling *boundedJSON   `json:"ceiling"`
		Cost    *groupCostJSON `json:"cost"`
	}
	ratesJSON struct {
		Calls          int                       `json:"calls"`
		Output         spreadJSON[float64]       `json:"output_tokens_per_second"`     // of a request, after the first token
		EndToEnd       spreadJSON[float64]       `json:"end_to_end_tokens_per_second"` // of a request, the wait included
		CharsPerSecond spreadJSON[float64]       `json:"chars_per_second"`
		CharsPerToken  spreadJSON[float64]       `json:"chars_per_token"`
		TTFT           spreadJSON[time.Duration] `json:"ttft_ns"`
		TTFTTail       *time.Duration            `json:"ttft_p95_ns"`
		Aggregate      *aggregateJSON            `json:"aggregate"` // of all requests together
		ByContext      *slopeJSON                `json:"output_rate_by_context"`
	}
	spreadJSON[T ~int64 | ~float64] struct { // over runs
		N      int `json:"runs"`
		Median *T  `json:"median"`
		Low    *T  `json:"low"`
		High   *T  `json:"high"`
	}
	aggregateJSON struct {
		TokensPerSecond float64       `json:"tokens_per_second"`
		Tokens          int64         `json:"tokens"`
		Uncounted       int           `json:"uncounted_calls"` // above 0 the tokens are a lower bound
		Wall            time.Duration `json:"wall_ns"`
		Users           float64       `json:"users"`
		Shared          bool          `json:"shared"` // runs of other groups took their part of the server
	}
	slopeJSON struct {
		PerThousand float64 `json:"per_1000_tokens"` // tokens per second
		Low         float64 `json:"low"`
		High        float64 `json:"high"`
		Calls       int     `json:"calls"`
		Runs        int     `json:"runs"`
	}

	paceJSON struct {
		Uses       []useJSON      `json:"uses"` // null: none was judged
		Streams    int            `json:"streams"`
		Stalled    int            `json:"streams_stalled"`
		Stalls     int            `json:"stalls"`
		WorstGap   *time.Duration `json:"worst_gap_ns"`
		StallShare *float64       `json:"stalled_share"`
		ToReading  *float64       `json:"times_reading_speed"`
	}
	useJSON struct {
		Use     string       `json:"use"`
		Verdict pace.Verdict `json:"verdict"`
		Share   *float64     `json:"share_wanted"`
		Limits  []limitJSON  `json:"limits"`
	}
	limitJSON struct {
		What    pace.Measure `json:"limit"`
		Lowest  *float64     `json:"lowest"`  // tokens per second
		Highest *float64     `json:"highest"` // seconds, a share, or tokens per second
		Median  *float64     `json:"median"`
		N       int          `json:"n"`
		Kept    int          `json:"kept"`
		Share   rateJSON     `json:"share_kept"`
		Verdict pace.Verdict `json:"verdict"`
		Beyond  bool         `json:"more_than_needed"`
	}

	boundedJSON struct {
		TokensPerSecond float64         `json:"tokens_per_second"` // of one stream without context
		Calls           int             `json:"calls"`
		Over            int             `json:"calls_above"`
		Share           *float64        `json:"median_share"`
		Highest         *assessmentJSON `json:"highest"`
	}
	assessmentJSON struct {
		Published  *string      `json:"published"` // as it was given
		Rate       float64      `json:"tokens_per_second"`
		Comparable bool         `json:"comparable"`
		Missing    []string     `json:"missing"`
		Ceiling    *float64     `json:"ceiling_tokens_per_second"`
		Over       *bool        `json:"above"`
		Reasons    []reasonJSON `json:"reasons"`
	}
	reasonJSON struct {
		Name string `json:"reason"`
		Text string `json:"text"`
	}

	costJSON struct {
		Currency       string       `json:"currency"`
		Date           string       `json:"prices_of"`
		Total          *cost.Amount `json:"total"` // null: unknown
		AtLeast        bool         `json:"at_least"`
		AtMost         bool         `json:"at_most"`
		Batch          *cost.Amount `json:"in_batches"`
		Known          cost.Amount  `json:"known"` // of the calls that could be charged
		Calls          int          `json:"calls"`
		Unpriced       int          `json:"unpriced_calls"`
		UnpricedTokens int64        `json:"unpriced_tokens"`
		Uncounted      int          `json:"uncounted_calls"`
		Notes          []noteJSON   `json:"notes"`
	}
	noteJSON struct {
		Text  string `json:"text"`
		Calls int    `json:"calls"`
	}
	groupCostJSON struct {
		costJSON
		PerRun      *cost.Amount      `json:"mean_per_run"` // of the counted runs, if most are
		Counted     int               `json:"counted_runs"`
		RunAtLeast  bool              `json:"per_run_at_least"`
		RunAtMost   bool              `json:"per_run_at_most"`
		Run         amountsJSON       `json:"per_run"`
		PerCorrect  *cost.Amount      `json:"per_correct_answer"`
		UnknownRuns int               `json:"unknown_runs"`
		Front       *bool             `json:"front"`     // nothing beats it on time, success and cost together; null: not compared
		BeatenBy    map[string]string `json:"beaten_by"` // key of a group; null for none
	}
	amountsJSON struct {
		Median *cost.Amount `json:"median"`
		Low    *cost.Amount `json:"low"`
		High   *cost.Amount `json:"high"`
	}
)

// groupFields returns the fields of each group, in the same order.
func (y Yardsticks) groupFields(groups []measure.Group) []groupYardsticksJSON {
	list := y.hold(groups)
	fields := make([]groupYardsticksJSON, len(list))
	for i := range list {
		h := &list[i]
		fields[i] = groupYardsticksJSON{Rates: ratesFields(h.rates), Pace: paceFields(h)}
		if h.bounded != nil {
			fields[i].Ceiling = boundedFields(*y.Ceiling, *h.bounded)
		}
		if h.bill != nil {
			fields[i].Cost = groupCostFields(*y.Prices, list, h)
		}
	}
	return fields
}

func ratesFields(r measure.Rates) ratesJSON {
	j := ratesJSON{Calls: r.Calls, Output: spreadJSON[float64](r.Output), EndToEnd: spreadJSON[float64](r.EndToEnd), CharsPerSecond: spreadJSON[float64](r.CharsPerSecond),
		CharsPerToken: spreadJSON[float64](r.CharsPerToken), TTFT: spreadJSON[time.Duration](r.TTFT), TTFTTail: r.TTFTTail, ByContext: (*slopeJSON)(r.ByContext)}
	if a := r.Aggregate; a != nil {
		j.Aggregate = &aggregateJSON{a.TokensPerSecond, a.Tokens, a.Uncounted, a.Wall, a.Users, r.Shared}
	}
	return j
}

func paceFields(h *held) paceJSON {
	s := h.steady
	j := paceJSON{Streams: s.Calls, Stalled: s.Stalled, Stalls: s.Stalls, WorstGap: s.WorstGap, StallShare: s.Share()}
	if v := h.rates.CharsPerSecond.Median; v != nil {
		times := *v / pace.ReadingCharsPerSecond
		j.ToReading = &times
	}
	for _, f := range h.findings {
		use := useJSON{Use: f.Use.Name, Verdict: f.Verdict, Limits: list(f.Checks, limitFields)}
		if !f.Use.CostOnly {
			use.Share = &f.Use.Share
		}
		j.Uses = append(j.Uses, use)
	}
	return j
}

func limitFields(c pace.Check) limitJSON {
	j := limitJSON{What: c.Limit.What, N: c.N, Kept: c.Kept, Verdict: c.Verdict, Beyond: c.Beyond}
	if c.Limit.What == pace.Rate {
		j.Lowest = &c.Limit.Low
	}
	if c.Limit.What != pace.Rate || c.Limit.High > 0 {
		j.Highest = &c.Limit.High
	}
	if c.N > 0 {
		share := float64(c.Kept) / float64(c.N)
		j.Median, j.Share = &c.Median, rateJSON{&share, &c.Low, &c.High}
	}
	return j
}

func boundedFields(s ceiling.Setup, m ceiling.Measured) *boundedJSON {
	j := &boundedJSON{TokensPerSecond: s.Rate(1, 0), Calls: m.Calls, Over: m.Over, Share: m.Share}
	if m.Highest != nil {
		a := assessmentFields(*m.Highest)
		j.Highest = &a
	}
	return j
}

func assessmentFields(a ceiling.Assessment) assessmentJSON {
	over := a.Over()
	return assessmentJSON{
		Published: text(a.Figure.Published), Rate: a.Figure.Rate, Comparable: len(a.Missing) == 0, Missing: list(a.Missing, func(s string) string { return s }),
		Ceiling: &a.Ceiling, Over: &over, Reasons: list(a.Reasons, func(r ceiling.Reason) reasonJSON { return reasonJSON(r) }),
	}
}

// claimFields returns the published figures; without a ceiling, only what they do not say.
func (y Yardsticks) claimFields() []assessmentJSON {
	return list(y.Claims, func(f ceiling.Figure) assessmentJSON {
		if y.Ceiling != nil {
			return assessmentFields(y.Ceiling.Assess(f))
		}
		j := assessmentFields(ceiling.Assessment{Figure: f, Missing: f.Missing()})
		j.Ceiling, j.Over = nil, nil
		return j
	})
}

func costFields(t cost.Table, b cost.Bill) costJSON {
	return costJSON{
		Currency: t.Currency, Date: t.Date.Format(time.DateOnly), Total: b.Total, AtLeast: b.AtLeast, AtMost: b.AtMost, Batch: b.Batch, Known: b.Known,
		Calls: b.Calls, Unpriced: b.Unpriced, UnpricedTokens: b.UnpricedTokens, Uncounted: b.Uncounted,
		Notes: list(b.Notes, func(n cost.Note) noteJSON { return noteJSON(n) }),
	}
}

func groupCostFields(t cost.Table, all []held, h *held) *groupCostJSON {
	b := h.bill
	j := &groupCostJSON{costJSON: costFields(t, b.Bill), PerRun: b.PerRun, Counted: b.Counted, RunAtLeast: b.RunAtLeast, RunAtMost: b.RunAtMost, Run: amountsJSON{b.Median, b.Low, b.High}, PerCorrect: b.PerCorrect, UnknownRuns: b.Unknown}
	if h.standing.Known {
		j.Front = &h.standing.Front
	}
	if by := h.standing.BeatenBy; by >= 0 {
		j.BeatenBy = all[by].Key
	}
	return j
}

// WriteJSON writes the document longpole.report/v1 with what each run and call costs. Problems are those that belong to no run.
func (y Yardsticks) WriteJSON(w io.Writer, runs []*measure.Run, problems []traces.Problem) error {
	return encode(w, document{
		Schema:   "longpole.report/v1",
		Runs:     list(runs, y.runOf),
		Blame:    blameOf(runs),
		Problems: list(problems, problemOf),
	})
}

// runOf adds the costs to a run.
func (y Yardsticks) runOf(r *measure.Run) runJSON {
	j := runOf(r)
	if y.Prices == nil {
		return j
	}
	bill := costFields(*y.Prices, y.Prices.Run(r))
	j.Cost = &bill
	for i := range r.Calls {
		j.ModelCalls[i].Cost = y.Prices.Call(&r.Calls[i]).Amount
	}
	return j
}
