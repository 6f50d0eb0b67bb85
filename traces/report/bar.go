package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/measure"
)

// A mark is how a kind of time is drawn: a letter, and a colour on top of it.
type mark struct {
	letter string
	means  string
	sgr    string
}

// The marks in the order in which a stacked bar is filled.
var (
	markTTFT      = mark{"·", "TTFT", "90"}
	markReasoning = mark{"r", "reasoning", "95"}
	markOutput    = mark{"o", "output, response", "92"}
	markArgs      = mark{"a", "tool arguments", "96"}
	markStall     = mark{"s", "stall", "93"}
	markTool      = mark{"T", "tool", "94"}
	markApproval  = mark{"h", "approval", "33"}
	markRetry     = mark{"x", "retry and backoff", "91"}
	markAgent     = mark{"-", "agent", "37"}

	marks = []mark{markTTFT, markReasoning, markOutput, markArgs, markStall, markTool, markApproval, markRetry, markAgent}
)

func markOf(c traces.Component) mark {
	switch c {
	case traces.ToolArgs:
		return markArgs
	case traces.Approval:
		return markApproval
	}
	return markOfFamily(c.Family())
}

func markOfFamily(f traces.Family) mark {
	switch f {
	case traces.FamilyTTFT:
		return markTTFT
	case traces.FamilyReasoning:
		return markReasoning
	case traces.FamilyDecode:
		return markOutput
	case traces.FamilyStalls:
		return markStall
	case traces.FamilyTools:
		return markTool
	case traces.FamilyRetries:
		return markRetry
	}
	return markAgent
}

// cells draws n cells of a mark: in colour a block of it that still carries the letter.
func (p *page) cells(m mark, n int) string {
	return p.sgr("7;"+m.sgr, strings.Repeat(p.draw(m.letter), n))
}

// A part of a stacked bar.
type part struct {
	mark mark
	time time.Duration
}

// parts sums components by mark, in the marks' order.
func parts(components []measure.ComponentTime) []part {
	return stackOf(func(yield func(traces.Component, time.Duration)) {
		for _, c := range components {
			yield(c.Component, c.Time)
		}
	})
}

func meanParts(components []measure.ComponentMean) []part {
	return stackOf(func(yield func(traces.Component, time.Duration)) {
		for _, c := range components {
			yield(c.Component, c.Mean)
		}
	})
}

func stackOf(each func(yield func(traces.Component, time.Duration))) []part {
	sums := map[mark]time.Duration{}
	each(func(c traces.Component, d time.Duration) { sums[markOf(c)] += d })
	var list []part
	for _, m := range marks {
		if sums[m] > 0 {
			list = append(list, part{m, sums[m]})
		}
	}
	return list
}

// stack draws parts as one bar of exactly n cells; cells go by largest remainder, so a part is never off by a whole one.
func (p *page) stack(list []part, n int) string {
	var whole time.Duration
	for _, s := range list {
		whole += s.time
	}
	if whole <= 0 || n <= 0 {
		return ""
	}
	share := make([]int, len(list))
	rest := make([]float64, len(list))
	left := n
	for i, s := range list {
		exact := float64(s.time) / float64(whole) * float64(n)
		share[i] = int(exact)
		rest[i] = exact - float64(share[i])
		left -= share[i]
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rest[b], rest[a]) })
	for _, i := range order[:min(max(left, 0), len(order))] {
		share[i]++
	}
	var b strings.Builder
	for i, s := range list {
		b.WriteString(p.cells(s.mark, share[i]))
	}
	return b.String()
}

// legend names the marks that list uses, a mark and its meaning never on two lines.
func (p *page) legend(list []part) {
	line, width := "", 0
	for _, s := range list {
		word := p.cells(s.mark, 1) + " " + s.mark.means + "  "
		w := ansi.StringWidth(word)
		if 2+width+w-2 > p.width {
			p.line("  ", line)
			line, width = "", 0
		}
		line, width = line+word, width+w
	}
	p.line("  ", line)
}

// strip draws the path between from and to on an axis of n cells that stands for [0, wall): each cell shows what took most
// of its time. A strip is at least one cell long.
func (p *page) strip(segments []critpath.Segment, from, to, wall time.Duration, n int) string {
	if wall <= 0 || n <= 0 {
		return ""
	}
	edge := func(cell int) time.Duration { return time.Duration(float64(wall) * float64(cell) / float64(n)) }
	first := min(max(int(float64(from)/float64(wall)*float64(n)), 0), n-1)
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", first))
	i, _ := slices.BinarySearchFunc(segments, edge(first), func(s critpath.Segment, at time.Duration) int { return cmp.Compare(s.To, at) })
	for cell := first; cell < n && (cell == first || edge(cell) < to); cell++ {
		sums := map[mark]time.Duration{}
		start, end := max(edge(cell), from), min(edge(cell+1), to)
		for ; i < len(segments) && segments[i].To <= start; i++ {
		}
		for _, s := range segments[i:] {
			if s.From >= end {
				break
			}
			sums[markOf(s.Component)] += min(s.To, end) - max(s.From, start)
		}
		most, longest := markAgent, time.Duration(0)
		for _, m := range marks {
			if sums[m] > longest {
				most, longest = m, sums[m]
			}
		}
		b.WriteString(p.cells(most, 1))
	}
	return b.String()
}
