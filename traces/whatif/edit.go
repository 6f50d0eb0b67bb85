package whatif

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// An Edit changes how long some of a run's stretches last.
type Edit struct {
	Target Target
	How    How
	Factor float64       // of Scale, from 0
	Time   time.Duration // of Set, from 0; each occurrence of the target lasts that long
	Rate   float64       // of Set where the target is DecodeRate, above 0: tokens per second
}

// How an edit changes its target.
type How uint8

// The kinds of edits.
const (
	Scale  How = iota // TARGET*FACTOR: so many times as long; of DecodeRate: so many times as fast
	Set               // TARGET=DURATION, decode.rate=RATE
	Off               // TARGET=off: it does not happen at all
	Cached            // TARGET=cached: a tool's results are at hand, or the prompt has been read before
)

// ParseEdit reads an edit:
//
//	TARGET*FACTOR     output*0.5, tool[go test]*0.1, decode.rate*2
//	TARGET=DURATION   approval=0, tool[fetch]=200ms, wait=1.5s
//	TARGET=off        retry=off
//	TARGET=cached     wait=cached, tool[fetch]=cached
//	decode.rate=RATE  decode.rate=120, tokens per second
//
// TARGET is as ParseTarget has it. The error is one line that says what is wrong, where, and what would be right.
func ParseEdit(s string) (Edit, error) {
	name, sign, value := cut(strings.TrimSpace(s))
	if sign == 0 {
		return Edit{}, fmt.Errorf("edit %q: want TARGET*FACTOR or TARGET=VALUE, as output*0.5, approval=0 or retry=off", s)
	}
	target, err := parseTarget(name, fmt.Sprintf("tool[%s]%c%s", name, sign, value))
	if err != nil {
		return Edit{}, fmt.Errorf("edit %q: %w", s, err)
	}
	e := Edit{Target: target}
	switch {
	case sign == '*':
		e.Factor, err = number(value)
		if err == nil && target == DecodeRate && e.Factor == 0 {
			err = fmt.Errorf("a rate of 0 never ends; want a factor above 0, as decode.rate*2")
		}
	case target == DecodeRate:
		e.How = Set
		e.Rate, err = rate(value)
	case strings.EqualFold(value, "off"):
		e.How = Off
	case strings.EqualFold(value, "cached"):
		e.How = Cached
		if !target.cacheable() {
			err = fmt.Errorf("%s cannot be cached; wait, prefill, tool and tool[NAME] can", target)
		}
	default:
		e.How = Set
		e.Time, err = duration(value)
	}
	if err != nil {
		return Edit{}, fmt.Errorf("edit %q: %w", s, err)
	}
	return e, nil
}

// cut splits an edit at its sign. The name of a tool may hold signs and brackets: it ends with the last bracket that a
// sign follows.
func cut(s string) (target string, sign byte, value string) {
	at := strings.IndexAny(s, "*=")
	if strings.HasPrefix(strings.ToLower(s), toolPrefix) {
		if at = max(strings.LastIndex(s, "]*"), strings.LastIndex(s, "]=")); at >= 0 {
			at++
		}
	}
	if at < 0 {
		return "", 0, ""
	}
	return strings.TrimSpace(s[:at]), s[at], strings.TrimSpace(s[at+1:])
}

// Nobody asks for more, and times stay far from where they overflow.
const (
	maxFactor        = 1000
	maxTime          = 1000 * time.Hour
	minRate, maxRate = 1e-3, 1e9 // tokens per second
)

func number(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
		return 0, fmt.Errorf("%q is no factor; want a number from 0, as 0.5", s)
	}
	if f > maxFactor {
		return 0, fmt.Errorf("%q is too much; want a factor of at most %d", s, maxFactor)
	}
	return f + 0, nil // + 0: no -0
}

func rate(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if !(err == nil && f >= minRate && f <= maxRate) {
		return 0, fmt.Errorf("%q is no rate; want tokens per second, as decode.rate=120", s)
	}
	return f, nil
}

func duration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.ReplaceAll(s, " ", ""))
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is no value; want a duration as 2s or 150ms, 0, or off", s)
	}
	if d > maxTime {
		return 0, fmt.Errorf("%q is too long; want at most %.0fh", s, maxTime.Hours())
	}
	return d, nil
}

// isRate reports whether e sets the rate of writing.
func (e Edit) isRate() bool { return e.Target == DecodeRate && e.How == Set }

// String returns the edit as ParseEdit reads it.
func (e Edit) String() string {
	target := e.Target.String()
	switch {
	case e.How == Scale:
		return target + "*" + plain(e.Factor)
	case e.How == Off:
		return target + "=off"
	case e.How == Cached:
		return target + "=cached"
	case e.isRate():
		return target + "=" + plain(e.Rate)
	case e.Time == 0:
		return target + "=0"
	}
	return target + "=" + e.Time.String()
}

func plain(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
