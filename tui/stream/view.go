package stream

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
	"github.com/seed46266073/longpole/tui/theme"
)

// labelWidth is how many cells the names of the strips take.
const labelWidth = 13

// View returns as many lines as the size has, each as wide as it.
func (m *Model) View() string {
	if m.height <= 0 {
		return ""
	}
	empty := strings.Repeat(" ", max(0, m.width))
	c := m.Call()
	var lines []string
	if c == nil {
		l := cell.NewLine(m.theme, m.width, false)
		lines = append(lines, l.Space(2).Text(m.theme.Muted, "this run has no model call").String())
	} else {
		lines = append(lines, m.title(c), m.facts(headline.Instants(c)[:instants(c)]), m.facts(m.rates(c)), m.marks(c), m.ruler(), m.phases(c))
		lines = append(lines, m.body(c, m.height-len(lines))...)
	}
	for len(lines) < m.height {
		lines = append(lines, empty)
	}
	return strings.Join(lines[:m.height], "\n")
}

// instants is how many of a call's facts are no rates.
func instants(c *measure.Call) int { return len(headline.Instants(c)) - len(headline.Rates(c)) }

// body is what there is to show of the arrivals in so many lines.
func (m *Model) body(c *measure.Call, room int) []string {
	empty := strings.Repeat(" ", max(0, m.width))
	if c.Answer == nil || c.Answer.Chunks == nil || len(c.Answer.Chunks.List) == 0 {
		lines := append([]string{empty}, m.sentence(m.theme.Warn, unrecorded(c))...)
		return append(append(lines, empty), m.parts(c)...)
	}
	// Rates and gaps share what the strip leaves; stalls come last.
	high := max(1, min(6, (room-8)/3))
	lines := []string{m.arrivals(c)}
	if words := doubt(c); words != "" {
		lines = append(lines, m.sentence(m.theme.Warn, words)...)
	}
	lines = append(lines, m.rate(c, high)...)
	lines = append(lines, empty)
	lines = append(lines, m.histogram(high)...)
	lines = append(lines, m.quantiles(c))
	return append(append(lines, empty), m.stalls()...)
}

func unrecorded(c *measure.Call) string {
	if c.Stream != nil && !*c.Stream || c.Delivery == measure.Whole {
		return "This response was not streamed: it came whole, so there are no arrivals to show, only phases."
	}
	return "When the pieces of this response arrived is not in the trace: only its phases are known. longpole record, proxy and bench keep the arrivals."
}

// doubt says why rates and gaps tell nothing of the model, if they do not.
func doubt(c *measure.Call) string {
	switch {
	case c.Delivery == measure.Burst:
		return "It came at once: something on the way kept it back. Gaps and rates are not the model's."
	case c.Paced:
		return "The reader, not the network, set the pace: gaps and rates are its own."
	}
	return ""
}

func (m *Model) sentence(style theme.Style, words string) []string {
	var lines []string
	for _, s := range cell.Wrap(words, m.width-4) {
		lines = append(lines, cell.NewLine(m.theme, m.width, false).Space(2).Text(style, strings.TrimSpace(s)).String())
	}
	return lines
}

func (m *Model) title(c *measure.Call) string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	l.Space(1).Text(t.Accent, "stream").Space(2)
	wall := report.Duration(m.view.Whole()) + " "
	name := cmp.Or(c.Model, c.Span.Name)
	l.Fit(t.Strong, name, min(cell.Width(cell.Clean(name)), m.width/3))
	facts := []string{fmt.Sprintf("call %d of %d", m.list.Cursor+1, len(m.run.Calls))}
	if c.Step != nil {
		facts = append(facts, fmt.Sprintf("step %d", c.Step.Index))
	}
	if c.Side {
		facts = append(facts, "side call")
	}
	if n := len(c.Attempts); n > 1 {
		facts = append(facts, fmt.Sprintf("%d attempts", n))
	}
	if c.FinishReason != "" {
		facts = append(facts, "finished by "+c.FinishReason)
	}
	facts = append(facts, cmp.Or(m.run.Name, m.run.ID))
	for _, f := range facts {
		if l.Left() < cell.Width(cell.Clean(f))+3+cell.Width(wall)+1 {
			break
		}
		l.Text(t.Faint, " "+t.Glyphs.Dot+" ").Text(t.Muted, f)
	}
	if o := c.Outcome; o != traces.OK && o != "" && o != traces.OutcomeUnknown && l.Left() > cell.Width(wall)+16 {
		l.Space(2).Text(t.Outcome(o), t.Glyphs.Outcome(o)+" "+strings.ReplaceAll(string(o), "_", " "))
	}
	l.Right(t.Strong, " "+wall)
	return l.String()
}

// rates are those of the call, and beside them that of the whole run: it is another number, with another name.
func (m *Model) rates(c *measure.Call) []headline.Fact {
	facts := headline.Rates(c)
	if n := m.run.Usage.Output; n != nil && *n > 0 && m.run.Wall > 0 && m.run.Usage.Uncounted == 0 {
		facts = append(facts, headline.Fact{Name: "throughput of the whole run", Text: fmt.Sprintf("%.3g tok/s", float64(*n)/m.run.Wall.Seconds())})
	}
	if len(facts) == 0 {
		facts = append(facts, headline.Fact{Name: "rates", Text: "not known"})
	}
	return facts
}

func (m *Model) facts(facts []headline.Fact) string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	l.Space(1)
	for i, f := range facts {
		if l.Left() < cell.Width(f.Name)+cell.Width(f.Text)+4 {
			break
		}
		if i > 0 {
			l.Text(t.Faint, " "+t.Glyphs.Dot+" ")
		}
		l.Text(t.Muted, f.Name).Space(1).Text(t.Text, f.Text)
	}
	return l.String()
}

// marks points at what one waits for: the first token, the first visible one, the last.
func (m *Model) marks(c *measure.Call) string {
	t, a := m.theme, m.axis()
	l := cell.NewLine(t, m.width, false)
	if c.Answer == nil {
		return l.String()
	}
	sent := c.Answer.Sent - c.Start
	for _, k := range []struct {
		name string
		at   *time.Duration
	}{{"first token", c.TTFT}, {"first visible", c.FirstVisible}, {"last token", c.LastToken}} {
		if k.at == nil {
			continue
		}
		d := a.Dot(sent + *k.at)
		words := t.Glyphs.Down + " " + k.name
		if x := labelWidth + d/bar.Dots; d >= 0 && d < a.Cells*bar.Dots && x >= l.Used() && m.width-x >= cell.Width(words) {
			l.Column(x).Text(t.Accent, words).Space(1)
		}
	}
	return l.String()
}

// begin starts a line with the name of what it shows.
func (m *Model) begin(style theme.Style, label string) *cell.Line {
	return cell.NewLine(m.theme, m.width, false).Space(1).Fit(style, label, labelWidth-1)
}

func (m *Model) ruler() string {
	t, a := m.theme, m.axis()
	label := "since start"
	if m.view.Zoomed() {
		label = "zoomed"
	}
	l := m.begin(t.Muted, label)
	if m.band.Open {
		bar.DrawBand(l, t, a, m.band.From, m.band.To)
	} else {
		bar.DrawRuler(l, t, a)
	}
	return l.String()
}

// phases draws the attempts of the call and what they were made of.
func (m *Model) phases(c *measure.Call) string {
	l, a := m.begin(m.theme.Muted, "phases"), m.axis()
	a.From, a.To = a.From+c.Start, a.To+c.Start
	r := bar.New(a.Cells)
	a.Call(r, c.ModelCall)
	for i, ink := range r {
		if ink != 0 {
			r[i] = bar.Of(ink.Component(), true)
		}
	}
	bar.Draw(l, m.theme, r)
	return l.String()
}

// parts lists the phases of the final attempt with their times.
func (m *Model) parts(c *measure.Call) []string {
	t := m.theme
	var lines []string
	if c.Answer == nil {
		return nil
	}
	for _, p := range c.Answer.Phases {
		l := cell.NewLine(t, m.width, false)
		l.Space(2)
		headline.Chip(l, t, p.Component)
		l.Space(1).Fit(t.Text, strings.ReplaceAll(string(p.Component), "_", " "), 12)
		l.FitRight(t.Muted, report.DurationColumn(p.Start-c.Start), 10).Text(t.Muted, " "+t.Glyphs.Right+" ")
		l.Fit(t.Muted, report.DurationColumn(p.End-c.Start), 10)
		l.Text(t.Text, report.DurationColumn(p.End-p.Start)).Space(1).Text(t.Warn, t.Glyphs.Quality(p.Quality)).Space(1)
		l.Text(t.Muted, report.Explain(p.Component))
		lines = append(lines, l.String())
	}
	return lines
}

// quantiles sums up the gaps, and says what the bars of their histogram are.
func (m *Model) quantiles(c *measure.Call) string {
	t := m.theme
	l := m.begin(t.Muted, "")
	for i, q := range []struct {
		name string
		d    *time.Duration
	}{{"p50", c.Gaps.P50}, {"p95", c.Gaps.P95}, {"p99", c.Gaps.P99}, {"max", c.Gaps.Max}} {
		if q.d == nil {
			continue
		}
		if i > 0 {
			l.Space(3)
		}
		l.Text(t.Muted, q.name).Space(1).Text(t.Strong, report.Duration(*q.d))
	}
	if words := fmt.Sprintf("  %s gaps", report.Count(int64(len(m.gaps.sorted)))); l.Left() > cell.Width(words) {
		l.Text(t.Muted, words)
	}
	return l.String()
}

// stalls lists the silences, longest first.
func (m *Model) stalls() []string {
	t := m.theme
	if len(m.gaps.stalls) == 0 {
		return []string{m.begin(t.Muted, "stalls").Text(t.Good, "none").String()}
	}
	var lines []string
	sorted := slices.Clone(m.gaps.stalls)
	slices.SortStableFunc(sorted, func(a, b stall) int { return cmp.Compare(b.length, a.length) })
	for i, s := range sorted {
		label := ""
		if i == 0 {
			label = fmt.Sprintf("%d stalls", len(sorted))
			if len(sorted) == 1 {
				label = "1 stall"
			}
		}
		l := m.begin(t.Muted, label)
		headline.Chip(l, t, traces.Stall)
		l.Space(1).Text(t.Strong, report.DurationColumn(s.length)).Text(t.Muted, "at "+report.Duration(s.at))
		if s.before != "" {
			l.Text(t.Muted, ", before "+strings.ReplaceAll(string(s.before), "_", " "))
		}
		lines = append(lines, l.String())
	}
	return lines
}
