package critpath

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed46266073/longpole/traces"
)

// problems collects what was odd. Of each code the first few are listed one by one and the rest is counted, so that a
// million clipped spans stay readable.
type problems struct {
	list  []traces.Problem
	count map[traces.ProblemCode]int
}

const perCode = 20

func (p *problems) add(code traces.ProblemCode, s *traces.Span, format string, args ...any) {
	if p.count == nil {
		p.count = map[traces.ProblemCode]int{}
	}
	p.count[code]++
	if p.count[code] <= perCode {
		p.list = append(p.list, traces.Problem{Code: code, SpanID: s.ID, Message: fmt.Sprintf("%q ", s.Name) + traces.ProblemText(format, args...)})
	}
}

func (p *problems) finish() []traces.Problem {
	for _, code := range slices.Sorted(maps.Keys(p.count)) {
		if more := p.count[code] - perCode; more > 0 {
			p.list = append(p.list, traces.MoreProblems(code, more))
		}
	}
	return p.list
}
