package report

import (
	"fmt"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/ceiling"
)

// ceilings writes how fast one stream, and each of several, can be at best, and what was reached of that.
func (p *page) ceilings(s ceiling.Setup, list []held) {
	p.section(fmt.Sprintf("ceiling of %s of active weights on %s", bytesOf(s.Model.Active*s.Model.BytesPerParam), s.Hardware))
	const few, many = 8, 64
	columns := []column{{head: "context", right: true}, {head: "one stream", right: true}, {head: fmt.Sprintf("each of %d", few), right: true},
		{head: fmt.Sprintf("each of %d", many), right: true}, {head: fmt.Sprintf("all of %d", many), right: true}}
	contexts := []float64{0}
	if s.Model.KVBytes > 0 {
		contexts = append(contexts, 8e3, 32e3, 128e3)
	}
	var rows [][]string
	for _, context := range contexts {
		rows = append(rows, []string{Count(int64(context)), decimal(s.Rate(1, context)) + "/s", decimal(s.Rate(few, context)) + "/s",
			decimal(s.Rate(many, context)) + "/s", decimal(s.Aggregate(many, context)) + "/s"})
	}
	p.table(columns, rows)
	p.aside("the most output tokens per second: bandwidth ÷ bytes read a token; streams that are decoded together share the weights, not their caches")
	if lacks := s.Lacks(); lacks > 0 {
		p.wrapped(p.draw(fmt.Sprintf("the weights do not fit: %s of them have no room in the memory of %s, so that this cannot be reached", bytesOf(lacks), s.Hardware)), asIs)
	}
	if s.Model.KVBytes == 0 {
		p.aside("reading the key-value cache is left out, as its bytes per token are not given: long contexts are slower than this")
	}
	p.line()
	p.reached(list)
}

// reached writes how near to its ceiling each group came.
func (p *page) reached(list []held) {
	columns := append(p.first(list), column{head: "output rate", right: true}, column{head: "of ceiling", right: true}, column{head: "above it", right: true, keep: 1})
	var rows [][]string
	for i := range list {
		h := &list[i]
		share, above := unknown, unknown
		if m := h.bounded; m.Share != nil {
			share, above = Percent(*m.Share), fmt.Sprintf("%d of %s", m.Over, traces.FormatCount(m.Calls, "call"))
		}
		rows = append(rows, append(p.begin(h), perSecond(h.rates.Output.Median), share, above))
	}
	p.table(columns, rows)
	var highest *held
	for i := range list {
		h := &list[i]
		if h.bounded.Models > 1 {
			p.wrapped(p.who(list, h)+fmt.Sprintf("%d models answered, the ceiling is that of one", h.bounded.Models), asIs)
		}
		if h.bounded.Over > 0 && (highest == nil || above(h) > above(highest)) {
			highest = h
		}
	}
	if highest != nil {
		p.wrapped(p.who(list, highest)+p.draw(fmt.Sprintf("%s tokens/s is %s times what one stream can have at best, and could be %s",
			decimal(highest.bounded.Highest.Figure.Rate), decimal(above(highest)), explained(highest.bounded.Highest.Reasons))), asIs)
	}
}

// above is how many times its ceiling the fastest call of a group is.
func above(h *held) float64 {
	a := h.bounded.Highest
	return a.Figure.Rate / a.Ceiling
}

func explained(list []ceiling.Reason) string {
	var words []string
	for _, r := range list {
		words = append(words, fmt.Sprintf("%s (%s)", r.Name, r.Text))
	}
	return strings.Join(words, "; ")
}

// claims holds published figures against the ceiling, if there is one. A figure that does not say what it was measured on is not
// comparable.
func (p *page) claims(s *ceiling.Setup, list []ceiling.Figure) {
	if len(list) == 0 {
		return
	}
	p.section("published figures")
	for _, f := range list {
		line := Clean(f.Published) + ": "
		missing := strings.Join(f.Missing(), ", ")
		switch {
		case missing != "":
			line += "not comparable, as it does not say: " + missing
		case s == nil:
			line += "comparable with figures of the same batch size, context length and hardware"
		}
		if s != nil {
			if missing != "" {
				line += ". "
			}
			line += p.draw(against(s.Assess(f)))
		}
		p.wrapped(line, asIs)
	}
}

// against says how a published figure compares with the ceiling.
func against(a ceiling.Assessment) string {
	of := "the ceiling of one stream"
	if a.Figure.Batch > 1 {
		of = "the ceiling of its batch"
	}
	if !a.Over() {
		return fmt.Sprintf("It is %s of %s, %s tokens/s", Percent(a.Figure.Rate/a.Ceiling), of, decimal(a.Ceiling))
	}
	return fmt.Sprintf("It is %s times %s, %s tokens/s, and could be %s", decimal(a.Figure.Rate/a.Ceiling), of, decimal(a.Ceiling), explained(a.Reasons))
}

// bytesOf writes three digits of a number of bytes, in its thousands: "70 GB".
func bytesOf(n float64) string {
	units := []string{"bytes", "KB", "MB", "GB", "TB"}
	for len(units) > 1 && n >= 999.5 {
		n, units = n/1000, units[1:]
	}
	return fmt.Sprintf("%.3g %s", n, units[0])
}
