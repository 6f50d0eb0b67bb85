package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// apart returns m and n values of which all of the second sample are larger.
func apart(m, n int) Stratum {
	var s Stratum
	for i := range m {
		s.A.Exact = append(s.A.Exact, float64(i))
	}
	for i := range n {
		s.B.Exact = append(s.B.Exact, float64(100+i))
	}
	return s
}

func TestSmallestP(t *testing.T) {
	for _, c := range []struct {
		n    int
		want float64
	}{{1, 1}, {2, 1.0 / 3}, {3, 0.1}, {4, 2.0 / 70}, {5, 2.0 / 252}, {10, 2.0 / 184756}} {
		t.Run(fmt.Sprint(c.n, " a side"), func(t *testing.T) {
			if p, ok := MannWhitney(apart(c.n, c.n)); !ok || math.Abs(p-c.want) > 1e-12 {
				t.Errorf("got %v, %v, want %v", p, ok, c.want)
			}
			if p := LeastP(apart(c.n, c.n)); math.Abs(p-c.want) > 1e-9 {
				t.Errorf("least: got %v, want %v", p, c.want)
			}
		})
	}
}

func TestMannWhitney(t *testing.T) {
	inf := []float64{900, 900, 900, 900}
	for _, c := range []struct {
		name   string
		strata []Stratum
		want   float64
		ok     bool
	}{
		{"nothing to compare", []Stratum{{A: Sample{Exact: []float64{1}}}}, 0, false},
		{"all the same", []Stratum{{Sample{Exact: []float64{7, 7, 7}}, Sample{Exact: []float64{7, 7}}}}, 1, true},
		// all 10 ways to deal out {1, 2, 2, 3, 4}: mid-ranks 1, 2.5, 2.5, 4, 5; {3, 4} against {1, 2, 2} sums to 9, which one way in ten does, and {1, 2} to
		// 3.5, two ways; 9 is 3 above the expected 6, 3.5 only 2.5 below
		{"ties share a mid-rank", []Stratum{{Sample{Exact: []float64{1, 2, 2}}, Sample{Exact: []float64{3, 4}}}}, 0.1, true},
		{"two tasks of two runs each", []Stratum{apart(2, 2), apart(2, 2)}, 2.0 / 36, true},
		{"opposite in two tasks", []Stratum{apart(2, 2), {apart(2, 2).B, apart(2, 2).A}}, 1, true},
		// cut off values are the largest, as equals: the 4 of 7 in A rank above all of B
		{"cut off is longer than all up to the limit", []Stratum{{Sample{[]float64{420, 610, 780}, inf}, Sample{Exact: []float64{300, 350, 400, 410, 415}}}}, 2.0 / 792, true},
		{"all cut off tells nothing", []Stratum{{Sample{Above: inf}, Sample{Above: inf}}}, 1, true},
		{"cut off early says nothing of longer ones", []Stratum{{Sample{Above: []float64{1, 1, 1, 1}}, Sample{Exact: []float64{5, 6, 7, 8}}}}, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, ok := MannWhitney(c.strata...)
			if ok != c.ok || math.Abs(p-c.want) > 1e-12 {
				t.Errorf("got %v, %v, want %v, %v", p, ok, c.want, c.ok)
			}
			var swapped []Stratum
			for _, s := range c.strata {
				swapped = append(swapped, Stratum{s.B, s.A})
			}
			if q, _ := MannWhitney(swapped...); math.Abs(p-q) > 1e-12 {
				t.Errorf("A against B %v, B against A %v", p, q)
			}
		})
	}
}

// The permutation distribution is what it says: all ways to deal out the labels, counted one by one.
func TestMannWhitneyIsThePermutationTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		strata := make([]Stratum, 1+rng.IntN(2))
		var scores [][]int
		var observed int
		for i := range strata {
			draw := func(n int) (s Sample) {
				for range n {
					if x := float64(rng.IntN(6)); rng.IntN(5) == 0 {
						s.Above = append(s.Above, x)
					} else {
						s.Exact = append(s.Exact, x)
					}
				}
				return s
			}
			strata[i] = Stratum{draw(1 + rng.IntN(4)), draw(1 + rng.IntN(4))}
			scores = append(scores, gehan(strata[i]))
			for _, x := range scores[i][strata[i].A.N():] {
				observed += x
			}
		}
		asFar, all := 0, 0
		var deal func(i, sum int)
		deal = func(i, sum int) {
			if i == len(strata) {
				all++
				if sum >= max(observed, -observed) || -sum >= max(observed, -observed) {
					asFar++
				}
				return
			}
			for set := range 1 << len(scores[i]) {
				n, s := 0, 0
				for k, x := range scores[i] {
					if set>>k&1 == 1 {
						n, s = n+1, s+x
					}
				}
				if n == strata[i].B.N() {
					deal(i+1, sum+s)
				}
			}
		}
		deal(0, 0)
		want := float64(asFar) / float64(all)
		if p, _ := MannWhitney(strata...); math.Abs(p-want) > 1e-9 {
			t.Fatalf("%v: got %v, counted %d of %d", strata, p, asFar, all)
		}
	}
}

// Where the exact distribution takes too long the approximation takes over without a step.
func TestLargeSamplesAreApproximated(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 20 {
		var s Stratum
		for range 40 {
			s.A.Exact = append(s.A.Exact, rng.NormFloat64())
			s.B.Exact = append(s.B.Exact, rng.NormFloat64()+0.4)
		}
		exact, _ := MannWhitney(s)
		scores := gehan(s)
		var sum, squares float64
		for i, x := range scores {
			squares += float64(x * x)
			if i >= 40 {
				sum += float64(x)
			}
		}
		normal := 2 * normalTail((math.Abs(sum)-1)/math.Sqrt(squares*1600/(80*79)))
		if math.Abs(exact-normal) > 0.004 {
			t.Errorf("exact %v, normal %v", exact, normal)
		}
	}
	wide := apart(400, 400)
	for i := range wide.B.Exact {
		wide.B.Exact[i] += 900
	}
	if p, ok := MannWhitney(wide); !ok || p > 1e-50 {
		t.Errorf("400 against 400 apart: p = %v", p)
	}
	if s, ok := HodgesLehmann(0.95, wide); !ok || s.Estimate.Low != 1000 || s.Interval.Low >= 1000 || s.Interval.High <= 1000 {
		t.Errorf("400 against 400 apart: got %v", s)
	}
}

// The interval goes from the k-th smallest to the k-th largest of the n × n differences.
func TestIntervalRank(t *testing.T) {
	for _, c := range []struct {
		n, k  int
		level float64 // that the interval really has
	}{{3, 0, 0}, {4, 1, 0.971}, {5, 3, 0.968}, {6, 6, 0.959}, {8, 14, 0.950}, {10, 24, 0.957}, {15, 65, 0.955}, {20, 128, 0.951}} {
		t.Run(fmt.Sprint(c.n, " a side"), func(t *testing.T) {
			if k := shiftRank(0.95, differences{{make([]float64, c.n), make([]float64, c.n)}}); k != c.k {
				t.Errorf("got k = %d, want %d", k, c.k)
			}
		})
	}
	for n, want := range map[int]int{5: 0, 6: 1, 7: 3, 8: 4, 10: 9, 20: 53} { // tables of the signed-rank test, k = critical value + 1
		if k := signedRankK(0.95, n); k != want {
			t.Errorf("%d pairs: got k = %d, want %d", n, k, want)
		}
	}
}

func TestHodgesLehmann(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name string
		s    Stratum
		want Shift
	}{
		{"three a side have no interval", apart(3, 3), Shift{Interval{100, 100}, Interval{-inf, inf}}},
		{"four a side: all differences", apart(4, 4), Shift{Interval{100, 100}, Interval{97, 103}}},
		{"ties are a shift of nothing", Stratum{Sample{Exact: []float64{5, 5, 5, 5}}, Sample{Exact: []float64{5, 5, 5, 5}}}, Shift{}},
		{"one of five cut off: open above", Stratum{Sample{Exact: []float64{1, 2, 3, 4, 5}}, Sample{[]float64{11, 12, 13, 14}, []float64{20}}}, Shift{Interval{10, 10}, Interval{7, inf}}},
		{"most cut off: only a lower bound", Stratum{Sample{Exact: []float64{1, 2, 3, 4}}, Sample{[]float64{11}, []float64{20, 20, 20}}}, Shift{Interval{17, inf}, Interval{7, inf}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := HodgesLehmann(0.95, c.s); !ok || got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// Halving the range of numbers finds the same differences as sorting them.
func TestKthDifference(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 100 {
		var d differences
		var all []float64
		for range 1 + rng.IntN(3) {
			var a, b []float64
			for range 1 + rng.IntN(6) {
				a = append(a, math.Round(rng.NormFloat64()*5)/4)
			}
			for range 1 + rng.IntN(6) {
				b = append(b, rng.NormFloat64())
			}
			for _, x := range a {
				for _, y := range b {
					all = append(all, y-x)
				}
			}
			d = append(d, sorted(b, a))
		}
		slices.Sort(all)
		for k, want := range all {
			if got := d.kth(k + 1); got != want {
				t.Fatalf("%d-th of %d: got %v, want %v", k+1, len(all), got, want)
			}
		}
	}
}

func TestSignedRank(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name  string
		diffs []Interval
		p     float64
		ok    bool
	}{
		{"nothing", nil, 0, false},
		{"five of a sign", Exactly(1, 2, 3, 4, 5), 0.0625, true},
		{"six of a sign", Exactly(1, 2, 3, 4, 5, 6), 0.03125, true},
		{"the smallest of six against", Exactly(-1, 2, 3, 4, 5, 6), 0.0625, true},
		{"nothing but zeros", Exactly(0, 0), 1, true},
		{"ties share a mid-rank", Exactly(1, 1, 1, -1), 0.625, true}, // of 16 ways 5 have three or more of a sign
		{"one side cut off in two: at least that much", append(Exactly(1, 2, 3, 4), Interval{5, inf}, Interval{6, inf}), 0.03125, true},
		{"a bound that may be on either side speaks against", append(Exactly(1, 2, 3, 4, 5), Interval{-9, inf}), 0.4375, true}, // 14 of 64 ways reach 15
		{"cut off on both sides says nothing", append(Exactly(1, 2, 3, 4, 5), Interval{-inf, inf}), 0.0625, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, ok := SignedRank(c.diffs)
			if ok != c.ok || math.Abs(p-c.p) > 1e-12 {
				t.Errorf("got %v, %v, want %v, %v", p, ok, c.p, c.ok)
			}
		})
	}
	if s, _ := SignedRankShift(0.95, Exactly(1, 2, 3, 4, 5, 6)); s != (Shift{Interval{3.5, 3.5}, Interval{1, 6}}) {
		t.Errorf("got %v", s)
	}
	if s, _ := SignedRankShift(0.95, append(Exactly(1, 2, 3, 4, 5), Interval{6, inf})); s.Estimate.Low != 3.5 || s.Interval != (Interval{1, inf}) {
		t.Errorf("got %v", s)
	}
}

func TestHolm(t *testing.T) {
	for _, c := range []struct {
		name string
		ps   []float64
		made int
		want string
	}{
		{"one test stays", []float64{0.03}, 1, "[0.03]"},
		{"Holm's example of three", []float64{0.04, 0.01, 0.03}, 3, "[0.06 0.03 0.06]"},
		{"tests that were looked at count", []float64{0.01}, 3, "[0.03]"},
		{"at most 1", []float64{0.6, 0.7}, 2, "[1 1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := fmt.Sprint(Holm(c.ps, c.made)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// The wanted p of Fisher's tea (3 of 4 and 1 of 4) and of R's manual; the intervals are those of Newcombe (1998), table II.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		ka, na, kb, nb int
		p              float64
	}{{3, 4, 1, 4, 0.4857142857}, {1, 10, 9, 10, 0.0010935}, {0, 5, 5, 5, 2.0 / 252}, {2, 2, 2, 2, 1}, {0, 0, 3, 3, 1}} {
		if p := Fisher(c.ka, c.na, c.kb, c.nb); math.Abs(p-c.p) > 1e-5 {
			t.Errorf("%d/%d and %d/%d: got p = %v, want %v", c.ka, c.na, c.kb, c.nb, p, c.p)
		}
	}
	for _, c := range []struct {
		ka, na, kb, nb int
		low, high      float64
	}{{48, 80, 56, 70, 0.0524, 0.3339}, {3, 10, 9, 10, 0.1705, 0.8090}, {0, 10, 10, 10, 0.6075, 1}, {0, 0, 1, 1, -1, 1}} {
		i := Newcombe(c.ka, c.na, c.kb, c.nb, 0.95)
		if math.Abs(i.Low-c.low) > 5e-5 || math.Abs(i.High-c.high) > 5e-5 {
			t.Errorf("%d/%d and %d/%d: got %v, want %v %v", c.ka, c.na, c.kb, c.nb, i, c.low, c.high)
		}
	}
}

func TestDetectable(t *testing.T) {
	for _, c := range []struct {
		sd   float64
		want [4]float64 // n = 5, 8, 10, 20 a side
	}{{0.15, [4]float64{0.73, 0.79, 0.82, 0.87}}, {0.30, [4]float64{0.54, 0.63, 0.67, 0.76}}, {0.50, [4]float64{0.36, 0.46, 0.51, 0.63}}} {
		for i, n := range []int{5, 8, 10, 20} {
			if got := math.Exp(-Detectable(c.sd, n, n, 0.05, 0.8)); math.Abs(got-c.want[i]) > 0.0061 {
				t.Errorf("spread %v, %d a side: got %.4f, want %.2f", c.sd, n, got, c.want[i])
			}
		}
	}
	if n, ok := NeededForShift(0.3, math.Log(0.76), 0.05, 0.8); !ok || n < 19 || n > 21 {
		t.Errorf("a ratio of 0.76 at a spread of 0.3 needs %d, want about 20", n)
	}
	if n, ok := NeededForShift(0.3, 0, 0.05, 0.8); ok {
		t.Errorf("no shift needs %d", n)
	}
	if n, ok := NeededPairs(0.1, 1, 0.05, 0.8); !ok || n != 6 {
		t.Errorf("pairs that cannot be missed need %d, want 6, below which no p is below 0.05", n)
	}
	if n, ok := NeededForRates(0.9, 0.95, 0.05, 0.8); !ok || n < 420 || n > 440 {
		t.Errorf("90 %% against 95 %% needs %d, want about 424", n)
	}
	for _, c := range []struct { // tables of Student's t
		df   int
		want float64
	}{{1, 12.706}, {2, 4.303}, {8, 2.306}, {9, 2.262}, {30, 2.042}, {49, 2.010}, {50, 2.009}, {60, 2.000}, {120, 1.980}, {3000, 1.961}} {
		if got := studentQuantile(0.975, c.df); math.Abs(got-c.want) > 0.001 {
			t.Errorf("t of %d degrees: got %v, want %v", c.df, got, c.want)
		}
	}
}
