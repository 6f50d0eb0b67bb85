package report

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/cost"
	"github.com/seed46266073/longpole/traces/measure"
)

// WriteComparisonCSV writes a row a group, with what it shows against another one behind it; a group that is compared with several has
// a row for each, one that is compared with none leaves these cells empty. Times are in nanoseconds; unknown is empty.
func WriteComparisonCSV(w io.Writer, c *compare.Comparison) error {
	return Yardsticks{}.WriteComparisonCSV(w, c)
}

// WriteComparisonCSV is the function of that name with what groups cost in the last columns, if there are prices.
func (y Yardsticks) WriteComparisonCSV(w io.Writer, c *compare.Comparison) error {
	bills := y.bills(c.Groups)
	out := csv.NewWriter(w)
	var head []string
	if len(c.Groups) > 0 {
		head = list(c.Groups[0].By, csvName)
	}
	head = append(head, "runs", "right", "cut_off", "unknown", "interrupted", "success", "success_low", "success_high",
		"median_ns", "median_low_ns", "median_high_ns", "more_than_ns", "mean_ns", "mean_late_ns",
		"against", "runs_compared", "runs_against", "paired", "method", "ratio", "ratio_low", "ratio_high",
		"shift_ns", "shift_low_ns", "shift_high_ns", "p", "verdict", "smallest_detectable", "runs_needed",
		"success_difference", "success_difference_low", "success_difference_high", "success_p", "mean_difference_ns")
	behind := len(head)
	if bills != nil {
		head = append(head, "cost_per_run", "cost_per_run_bound", "cost_per_correct", "cost_per_correct_bound", "currency", "prices_date")
	}
	_ = out.Write(head) // Flush keeps the error
	for i := range c.Groups {
		g := &c.Groups[i]
		alone, costs := true, y.costCells(bills, i)
		for _, p := range c.Pairs {
			if p.B == g {
				_ = out.Write(slices.Concat(groupCells(g), pairCells(p), costs))
				alone = false
			}
		}
		if alone {
			cells := groupCells(g)
			_ = out.Write(slices.Concat(cells, make([]string, behind-len(cells)), costs))
		}
	}
	out.Flush()
	return out.Error()
}

// costCells say what a group costs; a bound is at_least or at_most, or empty where the amount is exact.
func (y Yardsticks) costCells(bills []cost.GroupBill, i int) []string {
	if bills == nil {
		return nil
	}
	b := &bills[i]
	return []string{decimalAmount(b.PerRun), bound(b.PerRun, b.RunAtLeast, b.RunAtMost), decimalAmount(b.PerCorrect), bound(b.PerCorrect, b.AtLeast, b.AtMost),
		csvName(y.Prices.Currency), y.Prices.Date.Format(time.DateOnly)}
}

func bound(a *cost.Amount, atLeast, atMost bool) string {
	switch {
	case a == nil:
	case atLeast:
		return "at_least"
	case atMost:
		return "at_most"
	}
	return ""
}

// decimalAmount writes an amount for machines: a decimal number, unknown is empty.
func decimalAmount(a *cost.Amount) string {
	if a == nil {
		return ""
	}
	digits, _ := a.MarshalJSON()
	return string(digits)
}

func groupCells(g *measure.Group) []string {
	var cells []string
	for _, k := range g.By {
		cells = append(cells, csvName(g.Key[k]))
	}
	cells = append(cells, strconv.Itoa(g.N), strconv.Itoa(g.Succeeded), strconv.Itoa(g.Censored), strconv.Itoa(g.Unknown), strconv.Itoa(g.Interrupted))
	if s := g.Success; s != nil {
		cells = append(cells, share(&s.Rate), share(&s.Low), share(&s.High))
	} else {
		cells = append(cells, "", "", "")
	}
	t := g.TimeToCorrect
	median, moreThan := t.Median, (*time.Duration)(nil)
	if t.MoreThan {
		median, moreThan = nil, t.Median
	}
	return append(cells, nanoseconds(median), nanoseconds(t.Low), nanoseconds(t.High), nanoseconds(moreThan), nanoseconds(g.MeanWall), nanoseconds(g.MeanLate))
}

func pairCells(p compare.Pair) []string {
	needed := ""
	if p.RunsNeeded != nil {
		needed = strconv.Itoa(*p.RunsNeeded)
	}
	cells := []string{csvName(p.A.Values()), strconv.Itoa(p.NB), strconv.Itoa(p.NA), strconv.FormatBool(p.Paired), string(p.Method),
		share(p.Ratio), share(p.RatioLow), share(p.RatioHigh), nanoseconds(p.Shift), nanoseconds(p.ShiftLow), nanoseconds(p.ShiftHigh),
		share(p.P), string(p.Verdict), share(p.Smallest), needed}
	if r := p.Success; r != nil {
		cells = append(cells, share(&r.Rate), share(&r.Low), share(&r.High), share(&r.P))
	} else {
		cells = append(cells, "", "", "", "")
	}
	return append(cells, nanoseconds(p.MeanDifference))
}

// csvName makes a name from a trace safe in a cell: a spreadsheet would take one that begins like a formula for one, so that it gets an
// apostrophe, the mark of text.
func csvName(s string) string {
	s = Clean(s)
	if _, err := strconv.ParseFloat(s, 64); err == nil || s == "" || !strings.ContainsRune("=+-@", rune(s[0])) {
		return s
	}
	return "'" + s
}

func share(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'g', 6, 64)
}

func nanoseconds(d *time.Duration) string {
	if d == nil {
		return ""
	}
	return strconv.FormatInt(int64(*d), 10)
}
