package compare

import (
	"math"

	"github.com/seed46266073/longpole/traces/stats"
)

// conclude draws the verdict from the adjusted p, and says how much more it would take where there is none.
func (p *Pair) conclude(made int) {
	each := alpha / float64(max(made, 1)) // what one pair may use up
	p.Verdict, p.RunsNeeded, p.Smallest = TooFew, nil, nil
	if p.P != nil {
		if d := p.detectable(each); !math.IsInf(d, 0) {
			share := 1 - math.Exp(-d)
			p.Smallest = &share
		}
		switch {
		case *p.P <= alpha && p.sign() < 0:
			p.Verdict = Faster
		case *p.P <= alpha && p.sign() > 0:
			p.Verdict = Slower
		case p.least <= each && p.Smallest != nil:
			p.Verdict = NoneSeen
		}
		if p.Verdict == NoneSeen || p.Verdict == TooFew {
			p.RunsNeeded = p.needed(each)
		}
	}
	if r := p.Success; r != nil && !r.told() {
		r.RunsNeeded = nil
		if n, ok := stats.NeededForRates(p.A.Success.Rate, p.B.Success.Rate, each, power); ok {
			r.RunsNeeded = &n
		}
	}
}

// sign tells which way the difference goes, also where only bounds are known; 0 if it goes neither.
func (p *Pair) sign() float64 {
	switch {
	case p.Ratio != nil:
		return math.Log(*p.Ratio)
	case p.Shift != nil:
		return float64(*p.Shift)
	case p.RatioLow != nil && *p.RatioLow > 1:
		return 1
	case p.RatioHigh != nil && *p.RatioHigh < 1:
		return -1
	}
	return 0
}

// detectable returns the smallest difference of the logarithms that would have been seen: any, where times do not vary and are enough.
func (p *Pair) detectable(alpha float64) float64 {
	switch {
	case p.spread == 0 && p.least <= alpha:
		return 0
	case p.spread == 0, math.IsInf(p.spread, 1):
		return math.Inf(1)
	}
	if p.Method == TaskMeans {
		return stats.DetectableOfPairs(p.spread, p.Tasks, alpha, power)
	}
	return stats.Detectable(p.spread, p.NA, p.NB, alpha, power)
}

// needed returns how many runs of each group would tell a difference as large as it looks; nil if none is in sight.
func (p *Pair) needed(alpha float64) *int {
	if p.Ratio == nil || p.spread == 0 || math.IsInf(p.spread, 1) {
		return nil
	}
	shift := math.Log(*p.Ratio)
	n, ok := 0, false
	if p.Method == TaskMeans {
		n, ok = stats.NeededPairs(p.spread, shift, alpha, power)
		n *= max(1, (p.NA+p.NB+p.Tasks)/(2*p.Tasks))
	} else {
		n, ok = stats.NeededForShift(p.spread, shift, alpha, power)
	}
	if !ok {
		return nil
	}
	n = max(n, max(p.NA, p.NB)+1)
	return &n
}
