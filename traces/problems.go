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

// A ProblemKind is the problems of one code.
type ProblemKind struct {
	Code  ProblemCode
	List  []Problem // in the order found, without those that stand for more
	Count int       // at least len(List): those that were not listed one by one are counted too
}

// ProblemKinds sorts problems by code, codes in the order in which they first appear. Notes, which have no code, stay apart: each
// is a kind of its own.
func ProblemKinds(list []Problem) []ProblemKind {
	var kinds []ProblemKind
	at := map[ProblemCode]int{}
	for _, p := range list {
		i, ok := at[p.Code]
		if !ok || p.Code == "" {
			i = len(kinds)
			at[p.Code] = i
			kinds = append(kinds, ProblemKind{Code: p.Code})
		}
		if p.More > 0 {
			kinds[i].Count += p.More
			continue
		}
		kinds[i].Count++
		kinds[i].List = append(kinds[i].List, p)
	}
	return kinds
}
