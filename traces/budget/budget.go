package budget

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// A Budget is one limit. Make it with Parse.
type Budget struct {
	text  string
	op    string
	limit float64 // in nanoseconds where the unit is a duration, of 1 where it is a share
	unit  unit
	value func(*measure.Group) value
}

// String returns the budget as it was written.
func (b Budget) String() string { return b.text }

var (
	sentence  = regexp.MustCompile(`^\s*(.*\S)?\s*(<=|>=|<|>)([^<>]*)$`) // the last sign counts: the name of a tool may hold others
	called    = regexp.MustCompile(`^(\w+)\s*\(\s*(.*?)\s*\)$`)          // p95(ttft)
	followed  = regexp.MustCompile(`^(\w+(?:\[.*\])?)\.([a-z0-9.]+)$`)   // ttft.p95, ttft.p99.9
	aggregate = regexp.MustCompile(`^p(\d{1,2}(?:\.\d+)?)$`)
)

// Parse reads a budget. The error says what is wrong and what there is instead.
func Parse(text string) (Budget, error) {
	parts := sentence.FindStringSubmatch(text)
	if parts == nil {
		return Budget{}, fmt.Errorf("budget %q: want a limit, such as p95(ttft) < 1.5s", text)
	}
	b := Budget{text: strings.TrimSpace(text), op: parts[2]}
	if err := b.subject(parts[1]); err != nil {
		return Budget{}, fmt.Errorf("budget %q: %w", text, err)
	}
	limit, err := parseLimit(strings.TrimSpace(parts[3]), b.unit)
	if err != nil {
		return Budget{}, fmt.Errorf("budget %q: %w", text, err)
	}
	b.limit = limit
	return b, nil
}

// subject reads what is limited.
func (b *Budget) subject(s string) error {
	switch s {
	case "":
		return fmt.Errorf("nothing before %q; want a quantity, such as p95(ttft)", b.op)
	case "success":
		b.unit, b.value = share, success
		return nil
	case "runs":
		b.unit, b.value = number, runs
		return nil
	}
	how, what := "", ""
	if m := called.FindStringSubmatch(s); m != nil {
		how, what = m[1], m[2]
	} else if m := followed.FindStringSubmatch(s); m != nil {
		how, what = m[2], m[1]
	} else if _, ok := quantityOf(s); !ok {
		return noQuantity(s)
	} else {
		return fmt.Errorf("%s needs to say which of many values: p50(%s), p95(%s), mean(%s)", s, s, s, s)
	}
	if err := b.aggregate(how, what); err != nil {
		return err
	}
	if tool, ok := parameter(what, "tool"); ok {
		b.value = withCalls(tool, b.value)
	}
	return nil
}

// aggregate reads what is made of the many values of what.
func (b *Budget) aggregate(how, what string) error {
	if how == "share" {
		part, ok := partOf(what)
		if !ok {
			return fmt.Errorf("no part %q to have a share of; there are %s, and tool[NAME]", what, strings.Join(parts(), ", "))
		}
		b.unit, b.value = share, shareOf(part)
		return nil
	}
	q, ok := quantityOf(what)
	if !ok {
		return noQuantity(what)
	}
	of, ok := aggregateOf(how)
	if !ok {
		return fmt.Errorf("no aggregate %q; there are p50, p95, any other percentile, mean, min, max and share", how)
	}
	b.unit, b.value = q.unit, func(g *measure.Group) value { return of(q, g) }
	return nil
}

// parseLimit reads a limit of the unit that the quantity has.
func parseLimit(s string, u unit) (float64, error) {
	switch u {
	case duration:
		d, err := time.ParseDuration(strings.ReplaceAll(s, " ", ""))
		if err != nil {
			return 0, fmt.Errorf("%q is no duration; want 30s, 1.5s or 200ms", s)
		}
		return float64(d), nil
	case share:
		if percent, ok := strings.CutSuffix(s, "%"); ok {
			f, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
			if err != nil || !(f >= 0 && f <= 100) {
				return 0, fmt.Errorf("%q is no percentage from 0%% to 100%%", s)
			}
			return f / 100, nil
		}
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || !(f >= 0 && f <= 1) {
			return 0, fmt.Errorf("%q is no share; want 5%% or 0.05", s)
		}
		return f, nil
	default:
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f-f != 0 { // neither NaN nor infinite
			return 0, fmt.Errorf("%q is no number", s)
		}
		return f, nil
	}
}

// parts lists what the critical path can be divided into.
func parts() []string {
	var names []string
	seen := map[string]bool{}
	for _, c := range traces.Components {
		names, seen[string(c)] = append(names, string(c)), true
	}
	for _, f := range traces.Families {
		if !seen[string(f)] {
			names = append(names, string(f))
		}
	}
	return names
}

func noQuantity(name string) error {
	return fmt.Errorf("no quantity %q; there are %s, and tool[NAME], exec[NAME]", name, strings.Join(quantities(), ", "))
}

// quantities lists what can be limited.
func quantities() []string {
	var names []string
	for _, q := range fixed {
		names = append(names, q.name)
	}
	return append(names, parts()...)
}
