package traces

import (
	"fmt"
	"maps"
	"slices"
	"time"
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
		l.list = append(l.list, Problem{Code: code, SpanID: spanID, Message: ProblemText(format, args...)})
	}
}

func (l *problemList) finish() []Problem {
	for _, code := range slices.Sorted(maps.Keys(l.count)) {
		if n := l.count[code] - perCode; n > 0 {
			l.list = append(l.list, MoreProblems(code, n))
		}
	}
	return l.list
}

// MoreProblems stands for n more problems of a code that are not listed one by one.
func MoreProblems(code ProblemCode, n int) Problem {
	return Problem{Code: code, Message: fmt.Sprintf("%d more like this", n), More: n}
}

// ProblemText is fmt.Sprintf with durations as people read them.
func ProblemText(format string, args ...any) string {
	for i, a := range args {
		if d, ok := a.(time.Duration); ok {
			args[i] = FormatDuration(d)
		}
	}
	return fmt.Sprintf(format, args...)
}
