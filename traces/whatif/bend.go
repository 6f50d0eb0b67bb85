package whatif

import "slices"

// A Bend is where making a target shorter begins to help less, in several runs. The zero value is none.
type Bend struct {
	Runs   int     // that have a knee; 0: none
	Factor float64 // of the target's time at the first knee of each of them, the median
	Then   Target  // what most of them wait for then
}

// BendOf returns the bend of some runs, each with the knees of one target.
func BendOf(runs [][]Knee) Bend {
	var factors []float64
	thens := map[Target]int{}
	for _, knees := range runs {
		if len(knees) > 0 {
			factors = append(factors, knees[0].Factor)
			thens[knees[0].Then]++
		}
	}
	b := Bend{Runs: len(factors)}
	if b.Runs == 0 {
		return b
	}
	slices.Sort(factors)
	b.Factor = (factors[(b.Runs-1)/2] + factors[b.Runs/2]) / 2
	for then, n := range thens {
		if n > thens[b.Then] || n == thens[b.Then] && then.String() < b.Then.String() {
			b.Then = then
		}
	}
	return b
}
