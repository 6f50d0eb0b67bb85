package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestQuantile(t *testing.T) {
	eight := []float64{38944, 7412, 9385, 12610, 18020, 26240, 30115, 35870}
	counting := func(n int) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = float64(i + 1)
		}
		return xs
	}
	for _, c := range []struct {
		name string
		xs   []float64
		q    float64
		want float64
		ok   bool
	}{
		{"nothing has no median", nil, 0.5, 0, false},
		{"one value is no median by the rule of the tail", []float64{3}, 0.5, 0, false},
		{"the middle of eight lies between the fourth and fifth", eight, 0.5, 22130, true},
		{"the maximum is always known", eight, 1, 38944, true},
		{"the minimum is always known", eight, 0, 7412, true},
		{"no p95 from eight values", eight, 0.95, 0, false},
		{"no p95 from nineteen values", counting(19), 0.95, 0, false},
		{"a p95 from twenty values", counting(20), 0.95, 19.05, true},
		{"no p99 from ninety-nine values", counting(99), 0.99, 0, false},
		{"a p99 from a hundred values", counting(100), 0.99, 99.01, true},
		{"no p5 from eight values either", eight, 0.05, 0, false},
		{"quartiles from four values", counting(4), 0.25, 1.75, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Quantile(c.xs, c.q)
			if ok != c.ok || math.Abs(got-c.want) > 1e-9 {
				t.Errorf("got %v, %v, want %v, %v", got, ok, c.want, c.ok)
			}
		})
	}
	if got, ok := Median([]float64{3}); got != 3 || !ok {
		t.Errorf("median of one value: got %v, %v", got, ok)
	}
	if !slices.IsSorted(eight[1:]) || eight[0] != 38944 {
		t.Error("the input was reordered")
	}
}

// The wanted figures are those of Wilson (1927) as R's binom.confint(method = "wilson") prints them.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		name string
		k, n int
		want Interval
	}{
		{"nothing seen says nothing", 0, 0, Interval{0, 1}},
		{"none of ten is not surely zero", 0, 10, Interval{0, 0.2775328}},
		{"ten of ten is not surely one", 10, 10, Interval{0.7224672, 1}},
		{"half of ten", 5, 10, Interval{0.2365931, 0.7634069}},
		{"seven of ten", 7, 10, Interval{0.3967781, 0.8922087}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Wilson(c.k, c.n, 0.95)
			if math.Abs(got.Low-c.want.Low) > 1e-6 || math.Abs(got.High-c.want.High) > 1e-6 {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// Ranks of the 95 % interval from tables of the sign test: n = 6: 1st and 6th, 10: 2nd and 9th, 20: 6th and 15th.
func TestMedianInterval(t *testing.T) {
	for _, c := range []struct {
		n    int
		want string
	}{
		{0, "none"}, {1, "none"}, {5, "none"},
		{6, "1-6"}, {8, "1-8"}, {9, "2-8"}, {10, "2-9"}, {15, "4-12"}, {20, "6-15"}, {100, "40-61"}, {5000, "2431-2570"},
	} {
		t.Run(fmt.Sprint(c.n, " values"), func(t *testing.T) {
			xs := make([]float64, c.n)
			for i := range xs {
				xs[i] = float64(c.n - i)
			}
			got := "none"
			if i, ok := MedianInterval(xs, 0.95); ok {
				got = fmt.Sprintf("%v-%v", i.Low, i.High)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	if got := NeededForMedianInterval(0.95); got != 6 {
		t.Errorf("needed for 95 %%: got %d, want 6", got)
	}
}

// The interval is distribution-free, so its coverage can be simulated with any distribution, here a skewed one.
func TestMedianIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const trials = 4000
	held := 0
	for range trials {
		xs := make([]float64, 15)
		for i := range xs {
			xs[i] = math.Exp(rng.NormFloat64())
		}
		if i, _ := MedianInterval(xs, 0.95); i.Low <= 1 && 1 <= i.High {
			held++
		}
	}
	if share := float64(held) / trials; share < 0.955 || share > 0.975 {
		t.Errorf("got %.3f of the intervals holding the median, want about 0.965 for 15 values", share)
	}
}

func TestSample(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name     string
		sample   Sample
		median   string
		interval string
	}{
		{"nothing", Sample{}, "none", "none"},
		{"nothing cut off", Sample{Exact: []float64{3, 1, 2}}, "[2 2]", "none"},
		{"four of seven cut off: more than the limit", Sample{[]float64{420, 610, 780}, []float64{900, 900, 900, 900}}, fmt.Sprint("[900 ", inf, "]"), fmt.Sprint("[420 ", inf, "]")},
		{"three of seven cut off: the middle is known", Sample{[]float64{420, 610, 780, 800}, []float64{900, 900, 900}}, "[800 800]", fmt.Sprint("[420 ", inf, "]")},
		{"half cut off: more than the mean of the middle two", Sample{[]float64{400}, []float64{900}}, fmt.Sprint("[650 ", inf, "]"), "none"},
		{"cut off early, below the middle: only a lower bound", Sample{[]float64{400, 500, 600}, []float64{300}}, "[450 550]", "none"},
		{"all cut off", Sample{Above: []float64{60, 60}}, fmt.Sprint("[60 ", inf, "]"), "none"},
		{"few cut off: the interval stays closed", Sample{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, []float64{10}}, "[5.5 5.5]", "[2 9]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			median, interval := "none", "none"
			if i, ok := c.sample.Median(); ok {
				median = fmt.Sprintf("[%v %v]", i.Low, i.High)
			}
			if i, ok := c.sample.MedianInterval(0.95); ok {
				interval = fmt.Sprintf("[%v %v]", i.Low, i.High)
			}
			if median != c.median || interval != c.interval {
				t.Errorf("got median %s, interval %s, want %s, %s", median, interval, c.median, c.interval)
			}
		})
	}
}

func TestNatural(t *testing.T) {
	want := []string{"", "2 b", "10 a", "a", "a-1", "a0", "a00", "a01", "a1", "a1b", "a2", "a10", "b", "run 9", "run 10", "run 99999999999999999999", "run 100000000000000000000"}
	got := slices.Clone(want)
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, Natural)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func FuzzNatural(f *testing.F) {
	f.Add("a1", "a01", "a2")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if Natural(a, b) != -Natural(b, a) {
			t.Errorf("%q and %q are not ordered the same both ways", a, b)
		}
		if (Natural(a, b) == 0) != (a == b) {
			t.Errorf("%q and %q: equal in order only", a, b)
		}
		if Natural(a, b) < 0 && Natural(b, c) < 0 && Natural(a, c) >= 0 {
			t.Errorf("%q < %q < %q but not first < last", a, b, c)
		}
	})
}

func ExampleQuantile() {
	seconds := []float64{7.4, 9.4, 12.6, 18.0, 26.2, 30.1, 35.9, 38.9}
	median, _ := Median(seconds)
	_, ok := Quantile(seconds, 0.95)
	fmt.Printf("median %.1f s; p95 known: %v\n", median, ok)
	// Output: median 22.1 s; p95 known: false
}

func ExampleSample() {
	s := Sample{Exact: []float64{420, 610, 780}, Above: []float64{900, 900, 900, 900}}
	median, _ := s.Median()
	fmt.Printf("more than %v s\n", median.Low)
	// Output: more than 900 s
}
