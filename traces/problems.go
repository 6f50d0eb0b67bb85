package traces

import (
	"fmt"
	"maps"
	"slices"
)

// A problemList collects problems, at most perCode of each code one by one; the rest are counted.
type problemList struct {
	list  []Problem
	count map[ProblemCode]int
}

const perCode = 20

func (l *problemList) add(code ProblemCode, spanID, format string, args ...any) {
	if l.count == nil {
		l.count = map[ProblemCode]int{}
	}
	l.count[code]++
	if l.count[code] <= perCode {
		l.list = append(l.list, Problem{code, spanID, fmt.Sprintf(format, args...)})
	}
}

func (l *problemList) finish() []Problem {
	for _, code := range slices.Sorted(maps.Keys(l.count)) {
		if n := l.count[code] - perCode; n > 0 {
			l.list = append(l.list, Problem{code, "", fmt.Sprintf("%d more like this", n)})
		}
	}
	return l.list
}
