package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/cost"
)

// WriteComparisonMarkdown writes a comparison as Markdown (GitHub's, for its tables): groups, what they show, and the causes of each
// difference.
func WriteComparisonMarkdown(w io.Writer, c *compare.Comparison) error {
	return Yardsticks{}.WriteComparisonMarkdown(w, c)
}

// WriteComparisonMarkdown is the function of that name with a table of what groups cost, if there are prices.
func (y Yardsticks) WriteComparisonMarkdown(w io.Writer, c *compare.Comparison) error {
	var b strings.Builder
	if len(c.Groups) == 0 {
		b.WriteString("No runs to compare.\n")
		_, err := io.WriteString(w, b.String())
		return err
	}
	goal := GoalOf(c.Groups)
	fmt.Fprintf(&b, "### %s\n\n", escaped(sentence(goal.Title)))
	if s := scales(c.Groups); s != "" {
		fmt.Fprintf(&b, "%s.\n\n", sentence(s))
	}
	markdownRow(&b, append(list(c.Groups[0].By, escaped), "runs", goal.column(), "95 %", "median", "95 %", "mean")...)
	b.WriteString(strings.Repeat("| --- ", len(c.Groups[0].By)) + strings.Repeat("| ---: ", 6) + "|\n")
	for _, g := range c.Groups {
		var cells []string
		for _, k := range g.By {
			cells = append(cells, escaped(g.Key[k]))
		}
		right, interval := unknown, ""
		if s := g.Success; s != nil {
			right, interval = Percent(s.Rate), fmt.Sprintf("%.0f–%.0f %%", s.Low*100, s.High*100)
		}
		t := g.TimeToCorrect
		median, between := markdownTime(t.Median), "too few"
		if t.MoreThan {
			median = "more than " + median
		}
		switch {
		case t.Low != nil && t.High != nil:
			between = Duration(*t.Low) + " – " + Duration(*t.High)
		case t.Low != nil:
			between = "over " + Duration(*t.Low)
		}
		markdownRow(&b, append(cells, fmt.Sprint(g.N), right, interval, median, between, markdownTime(g.MeanWall))...)
	}
	b.WriteByte('\n')
	for _, s := range VerdictOf(c) {
		fmt.Fprintf(&b, "- %s\n", escaped(s))
	}
	for _, g := range c.Groups {
		for _, note := range g.Notes {
			fmt.Fprintf(&b, "- %s: %s\n", escaped(g.Label()), escaped(note))
		}
	}
	split := false
	for _, p := range c.Pairs {
		split = markdownCauses(&b, p) || split
	}
	if split {
		fmt.Fprintf(&b, "\nDifferences of the means of %s, on the critical path. %s\n", goal.Runs, Method)
	}
	y.markdownCosts(&b, c)
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownCosts writes what groups cost, if there are prices.
func (y Yardsticks) markdownCosts(b *strings.Builder, c *compare.Comparison) {
	bills := y.bills(c.Groups)
	if bills == nil {
		return
	}
	fmt.Fprintf(b, "\n### Cost in %s, at prices of %s\n\n", escaped(y.Prices.Currency), y.Prices.Date.Format(time.DateOnly))
	markdownRow(b, append(list(c.Groups[0].By, escaped), "runs counted", "a run", "a correct answer", "front")...)
	b.WriteString(strings.Repeat("| --- ", len(c.Groups[0].By)) + "| ---: | ---: | ---: | --- |\n")
	p := newPage(TextOptions{})
	for i, standing := range cost.Front(c, bills) {
		var cells []string
		for _, k := range c.Groups[i].By {
			cells = append(cells, escaped(c.Groups[i].Key[k]))
		}
		bill := &bills[i]
		markdownRow(b, append(cells, fmt.Sprintf("%d of %d", bill.Counted, bill.Runs), p.perRun(bill), p.money(bill.PerCorrect, bill.Bill), p.front(&held{standing: standing}))...)
	}
	b.WriteString("\n● not beaten beyond doubt on time, success and cost together. A correct answer: what all runs cost, right or wrong, ÷ correct answers.\n")
}

// markdownCauses writes why b differs from a; false if that is not known.
func markdownCauses(b *strings.Builder, p compare.Pair) bool {
	if p.MeanDifference == nil {
		return false
	}
	x, y := escaped(p.A.Label()), escaped(p.B.Label())
	fmt.Fprintf(b, "\n#### Why %s − %s = %s in the mean\n\n", y, x, signed(*p.MeanDifference))
	markdownRow(b, "cause", "time", x, y)
	b.WriteString("| --- | ---: | ---: | ---: |\n")
	shown, more := shownCauses(p.Causes)
	rest := *p.MeanDifference
	for _, c := range shown {
		rest -= c.Time
		from, to, _ := strings.Cut(Factors(c), " → ")
		markdownRow(b, escaped(c.Name), signed(c.Time), from, to)
	}
	if more > 0 {
		markdownRow(b, traces.FormatCount(more, "other cause"), signed(rest), "", "")
	}
	markdownRow(b, "sum", signed(*p.MeanDifference), "", "")
	for _, note := range slices.Concat(p.Notes, p.CauseNotes) {
		fmt.Fprintf(b, "\n%s.\n", escaped(sentence(note)))
	}
	return true
}

func markdownRow(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func markdownTime(d *time.Duration) string {
	if d == nil {
		return unknown
	}
	return Duration(*d)
}

// markdownMarks are the characters that Markdown or HTML in it would take for something else than text.
var markdownMarks = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", ">", "&gt;", "[", `\[`, "]", `\]`, "#", `\#`, "~", `\~`, "&", "&amp;", "!", `\!`)

// escaped makes text safe in a line of Markdown.
func escaped(s string) string { return markdownMarks.Replace(Clean(s)) }
