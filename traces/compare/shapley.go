package compare

import "math/big"

// A product is a mean as the product of factors: the mean per run of a first count, the ratio of each further count to the one before it, and
// the time per last count. Both groups have the same counts.
type product struct {
	a, b side
}

// A side is one group's totals: how many runs, what was counted in them, and the time it took, all at least 0.
type side struct {
	runs   int64
	counts []int64
	time   int64
}

// divisible reports whether a count can be a factor: on neither side may there be time without it, because then no ratio makes the time.
func (p product) divisible(a, b int64) bool {
	return (a > 0 || p.a.time == 0) && (b > 0 || p.b.time == 0)
}

// factors returns the ratios of both sides, one more than there are counts; their product is the time per run. Where one side did not get
// as far as a factor, it is taken to be the other side's, and so changes nothing; the factor before it is 0.
func (p product) factors() (a, b []*big.Rat) {
	a, b = p.a.ratios(), p.b.ratios()
	for i := range a {
		switch {
		case a[i] == nil && b[i] == nil:
			a[i], b[i] = new(big.Rat), new(big.Rat)
		case a[i] == nil:
			a[i] = b[i]
		case b[i] == nil:
			b[i] = a[i]
		}
	}
	return a, b
}

// ratios returns a side's factors, nil from the first one on that divides by 0.
func (s side) ratios() []*big.Rat {
	chain := append(append([]int64{s.runs}, s.counts...), s.time)
	ratios := make([]*big.Rat, len(chain)-1)
	for i := range ratios {
		if chain[i] == 0 {
			break
		}
		ratios[i] = big.NewRat(chain[i+1], chain[i])
	}
	return ratios
}

// shapley returns how much of the change of the product from a to b each factor makes: the effect of changing it, averaged over
// all orders in which the factors can be changed one after another. The effects add up to the change; from b to a they are the negatives.
func shapley(a, b []*big.Rat) []*big.Rat {
	n := len(a)
	effects := make([]*big.Rat, n)
	for i := range n {
		effect := new(big.Rat)
		for others := range 1 << n { // which factors were changed before
			if others>>i&1 == 1 {
				continue
			}
			term, before := new(big.Rat).Sub(b[i], a[i]), 0
			for k := range n {
				switch {
				case k == i:
				case others>>k&1 == 1:
					term.Mul(term, b[k])
					before++
				default:
					term.Mul(term, a[k])
				}
			}
			term.Mul(term, big.NewRat(factorial(before)*factorial(n-1-before), factorial(n)))
			effect.Add(effect, term)
		}
		effects[i] = effect
	}
	return effects
}

func factorial(n int) int64 {
	f := int64(1)
	for i := 2; i <= n; i++ {
		f *= int64(i)
	}
	return f
}

// apportion rounds signed parts to whole numbers that add up to total, which is their sum but for rounding: each towards 0, then those
// with the largest remainders in the direction that is missing. Negated parts give negated numbers; where remainders are alike
// the earlier part is taken.
func apportion(parts []*big.Rat, total int64) []int64 {
	rounded := make([]int64, len(parts))
	rests := make([]*big.Rat, len(parts))
	missing := total
	for i, part := range parts {
		whole := new(big.Int).Quo(part.Num(), part.Denom()) // towards 0
		rounded[i] = whole.Int64()
		rests[i] = new(big.Rat).Sub(part, new(big.Rat).SetInt(whole))
		missing -= rounded[i]
	}
	step := int64(1)
	if missing < 0 {
		step = -1
	}
	for ; missing != 0 && len(parts) > 0; missing -= step {
		most := 0
		for i := range rests {
			if rests[i].Cmp(rests[most])*int(step) > 0 {
				most = i
			}
		}
		rounded[most] += step
		rests[most].Sub(rests[most], big.NewRat(step, 1))
	}
	return rounded
}
