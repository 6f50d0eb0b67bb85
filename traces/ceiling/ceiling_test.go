package ceiling_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed46266073/longpole/traces/ceiling"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// dense is a model of 70 billion parameters at 8 bit: 70 GB. Its cache takes 80 layers × 2 × 8 heads × 128 × 2 bytes a token.
var dense = ceiling.Model{Active: 70e9, BytesPerParam: 1, KVBytes: 80 * 2 * 8 * 128 * 2}

// moe is a mixture of experts: 284 billion parameters, 13 billion of them active.
var moe = ceiling.Model{Active: 13e9, Total: 284e9, BytesPerParam: 0.5}

func on(t *testing.T, hardware string, m ceiling.Model) ceiling.Setup {
	t.Helper()
	h, err := ceiling.ParseHardware(hardware)
	if err != nil {
		t.Fatal(err)
	}
	return ceiling.Setup{Model: m, Hardware: h}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		name     string
		hardware string
		model    ceiling.Model
		batch    int
		context  float64
		want     string // rate of a stream, of all
	}{
		{"70 GB at 3.35 TB/s are 47.9 tokens/s", "h100", dense, 1, 0, "47.86 47.86"},
		{"the bandwidth may be given as a number", "bandwidth=3.35TB/s", dense, 1, 0, "47.86 47.86"},
		{"eight devices read eight times as much", "h100,count=8", dense, 1, 0, "382.9 382.9"},
		{"at 16 bit it is half", "h100", ceiling.Model{Active: 70e9, BytesPerParam: 2}, 1, 0, "23.93 23.93"},
		{"a long context is read for each token", "h100", dense, 1, 128e3, "29.93 29.93"},
		{"a batch shares the weights", "h100", dense, 8, 0, "47.86 382.9"},
		{"but not the cache", "h100", dense, 8, 128e3, "8.261 66.08"},
		{"only active weights are read for one stream", "h100", moe, 1, 0, "515.4 515.4"},
		{"a batch touches other experts", "h100", moe, 8, 0, "75.47 603.7"},
		{"a large one all of them", "h100", moe, 1000, 0, "23.59 2.359e+04"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := on(t, c.hardware, c.model)
			if got := fmt.Sprintf("%.4g %.4g", s.Rate(c.batch, c.context), s.Aggregate(c.batch, c.context)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// The published order of models of the same precision on the same hardware is that of their active parameters.
func TestFewerActiveParametersAreFaster(t *testing.T) {
	models := []struct {
		name   string
		active float64
	}{{"sim-moe-104b", 104e9}, {"dense 70b", 70e9}, {"sim-moe-49b", 49e9}, {"sim-moe-13b", 13e9}}
	last := 0.0
	for _, m := range models {
		rate := on(t, "h200,count=8", ceiling.Model{Active: m.active, BytesPerParam: 1}).Rate(1, 0)
		if rate <= last {
			t.Errorf("%s: %.1f tokens/s, not above %.1f of the larger one", m.name, rate, last)
		}
		last = rate
	}
}

func TestAssess(t *testing.T) {
	for _, c := range []struct {
		name, claim, want string
		model             ceiling.Model
	}{
		{"a figure with nothing beside it is not comparable", "40", "47.9, missing batch size, context length, hardware", dense},
		{
			"nor is one above the ceiling, and what could explain it is said", "500",
			`47.9, missing batch size, context length, hardware, over:
batch aggregate: the sum of at least 11 streams, none of which is that fast
speculative decoding: at least 10.5 tokens accepted a step
mixture of experts: at most 6.7B parameters taking part in a token
other precision: at most 0.0957 bytes a parameter
several devices: at least 11 of them`, dense,
		},
		{"a figure with everything beside it is comparable", "45,batch=1,context=0.001k,hardware=h100", "47.9", dense},
		{
			"its own hardware is taken", "500,batch=1,context=2000,hardware=b200,count=4",
			"452.9, over:\nspeculative decoding: at least 1.11 tokens accepted a step\nmixture of experts: at most 63.3B parameters taking part in a token\n" +
				"other precision: at most 0.904 bytes a parameter\nseveral devices: at least 5 of them", dense,
		},
		{"of a batch it must be said what the rate is of", "300,batch=8,context=2000,hardware=h100", "44.5, missing whether it is of one stream or of all, over:\n" +
			"batch aggregate: the sum of its 8 streams, none of which is that fast\nspeculative decoding: at least 6.74 tokens accepted a step\nseveral devices: at least 7 of them", dense},
		{"what all streams of the batch together cannot have is no sum of them", "400,batch=8,context=2000,hardware=h100", "44.5, missing whether it is of one stream or of all, over:\n" +
			"speculative decoding: at least 8.99 tokens accepted a step\nseveral devices: at least 9 of them", dense},
		{"of all streams together it may be more", "300,batch=8,per=all,context=2000,hardware=h100", "356.2", dense},
		{
			"no batch explains what the reading of the caches forbids", "6000,context=128k",
			"29.9, missing batch size, hardware, over:\nspeculative decoding: at least 201 tokens accepted a step\nseveral devices: at least 201 of them", dense,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := ceiling.ParseClaim(c.claim)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(on(t, "h100", c.model).Assess(f)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func describe(a ceiling.Assessment) string {
	s := fmt.Sprintf("%.1f", a.Ceiling)
	if len(a.Missing) > 0 {
		s += ", missing " + strings.Join(a.Missing, ", ")
	}
	if a.Over() {
		s += ", over:"
	}
	for _, r := range a.Reasons {
		s += "\n" + r.Name + ": " + r.Text
	}
	return s
}

// chat is a run with one call whose first token comes at 2 ms, and tokens more 8 ms later.
func chat(t *testing.T, tokens int, notes string) *measure.Run {
	return measure.Of(tracetest.Parse(t, fmt.Sprintf("run  ==========\n chat wwoooooooo model:acme-1 gen_ai.usage.output_tokens=%d %s", tokens+1, notes)))
}

func TestMeasure(t *testing.T) {
	fast := on(t, "bandwidth=1TB/s", ceiling.Model{Active: 1e9, BytesPerParam: 1, KVBytes: 1e6}) // 1000 tokens/s without context
	for _, c := range []struct {
		name string
		runs []*measure.Run
		want string
	}{
		{"no runs have nothing to hold against it", nil, "0 calls of 0 models, 0 over"},
		{"a call that nobody counted neither", []*measure.Run{measure.Of(tracetest.Parse(t, "run ====\n chat wwoo"))}, "0 calls of 0 models, 0 over"},
		{"half the ceiling", []*measure.Run{chat(t, 4, "")}, "1 calls of 1 models, 0 over, median 50 %, highest 500 of 1000"},
		{"the call's own context lowers its ceiling", []*measure.Run{chat(t, 4, "gen_ai.usage.input_tokens=1000")}, "1 calls of 1 models, 0 over, median 100 %, highest 500 of 500"},
		{
			"what is above is flagged, with reasons", []*measure.Run{chat(t, 4, ""), chat(t, 12, "")},
			"2 calls of 1 models, 1 over, median 100 %, highest 1500 of 1000: held back, speculative decoding, mixture of experts, other precision, several devices",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := fast.Measure(c.runs)
			got := fmt.Sprintf("%d calls of %d models, %d over", m.Calls, m.Models, m.Over)
			if m.Share != nil {
				got += fmt.Sprintf(", median %.0f %%, highest %.0f of %.0f", *m.Share*100, m.Highest.Figure.Rate, m.Highest.Ceiling)
				var names []string
				for _, r := range m.Highest.Reasons {
					names = append(names, r.Name)
				}
				if len(names) > 0 {
					got += ": " + strings.Join(names, ", ")
				}
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestParsing(t *testing.T) {
	number := func(n float64, err error) string {
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%.6g", n)
	}
	hardware := func(text string) string {
		h, err := ceiling.ParseHardware(text)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%s = %.6g", h, h.Total())
	}
	claim := func(text string) string {
		_, err := ceiling.ParseClaim(text)
		return fmt.Sprint(err)
	}
	for _, c := range []struct{ name, got, want string }{
		{"a device by name", hardware("H100"), "h100 = 3.35e+12"},
		{"several of it", hardware("mi300x, count=8"), "8 × mi300x = 4.24e+13"},
		{"any bandwidth", hardware("count=2,bandwidth=864GB/s"), "2 × 0.864 TB/s = 1.728e+12"},
		{"binary units too", hardware("bandwidth=1TiB/s"), "1.1 TB/s = 1.09951e+12"},
		{"bare bytes a second", hardware("bandwidth=3.35e12"), "3.35 TB/s = 3.35e+12"},
		{"an unknown device", hardware("abacus"), `hardware "abacus": no known device; known are a100, h100, h100-pcie, h200, b200, b300, l40s, rtx4090, rtx5090, mi300x, mi325x, m3-ultra, m4-max; any other by bandwidth=3.35TB/s`},
		{"no device", hardware("count=8"), `hardware "count=8": want a device or its bandwidth=…`},
		{"nothing", hardware(""), `hardware "": no known device; known are a100, h100, h100-pcie, h200, b200, b300, l40s, rtx4090, rtx5090, mi300x, mi325x, m3-ultra, m4-max; any other by bandwidth=3.35TB/s`},
		{"two bandwidths", hardware("h100,bandwidth=1TB/s"), `hardware "h100,bandwidth=1TB/s": bandwidth is given twice, or for a device that is known`},
		{"no devices at all", hardware("h100,count=0"), `hardware "h100,count=0": count=0: want a whole number from 1`},
		{"a bandwidth of megabits", hardware("bandwidth=3Mbit/s"), `hardware "bandwidth=3Mbit/s": bandwidth=3Mbit/s: want bytes per second, as 3.35TB/s or 864GB/s`},
		{"a word nobody knows", hardware("h100,cores=3"), `hardware "h100,cores=3": "cores=3": want a device, bandwidth=… or count=…`},
		{"parameters with an exponent", number(ceiling.ParseParams("13e9")), "1.3e+10"},
		{"parameters in billions", number(ceiling.ParseParams("13B")), "1.3e+10"},
		{"parameters in trillions", number(ceiling.ParseParams("1.6 t")), "1.6e+12"},
		{"no parameters", number(ceiling.ParseParams("0")), `"0": want a number of parameters, as 13e9 or 13b`},
		{"billions that are not said", number(ceiling.ParseParams("70")), `"70": want a number of parameters, as 13e9 or 13b`},
		{"infinitely many", number(ceiling.ParseParams("Inf")), `"Inf": want a number of parameters, as 13e9 or 13b`},
		{"not a number", number(ceiling.ParseParams("NaN")), `"NaN": want a number of parameters, as 13e9 or 13b`},
		{"too many", number(ceiling.ParseParams("1e300t")), `"1e300t": want a number of parameters, as 13e9 or 13b`},
		{"a hexadecimal number", number(ceiling.ParseParams("0x10")), `"0x10": want a number of parameters, as 13e9 or 13b`},
		{"bytes of a format", number(ceiling.ParseBytesPerParam("BF16")), "2"},
		{"bytes of a format with scales", number(ceiling.ParseBytesPerParam("mxfp4")), "0.53125"},
		{"bytes as a number", number(ceiling.ParseBytesPerParam("0.5625")), "0.5625"},
		{"a format nobody knows", number(ceiling.ParseBytesPerParam("fp7")), `"fp7": want bytes per parameter as a number, or fp32, bf16, fp16, fp8, int8, fp6, int4, fp4, mxfp4, nvfp4`},
		{"cache bytes", number(ceiling.ParseKVBytes("160KiB")), "163840"},
		{"a claim", claim("500"), "<nil>"},
		{"a claim with a unit", claim("1.2k,context=128k"), "<nil>"},
		{"a claim without a rate", claim("batch=1"), `claim "batch=1": want output tokens per second first, as 500`},
		{"a claim of nothing", claim(""), `claim "": want output tokens per second first, as 500`},
		{"a claim of zero", claim("0"), `claim "0": want output tokens per second first, as 500`},
		{"a claim on unknown hardware", claim("5,hardware=x,count=2"), `claim "5,hardware=x,count=2": hardware "x,count=2": no known device; known are a100, h100, h100-pcie, h200, b200, b300, l40s, rtx4090, rtx5090, mi300x, mi325x, m3-ultra, m4-max; any other by bandwidth=3.35TB/s`},
		{"a claim per user", claim("5,per=user"), `claim "5,per=user": "per=user": want batch=…, per=stream, per=all, context=…, hardware=… or count=…`},
		{"a claim of a batch of none", claim("5,batch=0"), `claim "5,batch=0": batch=0: want a whole number from 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("got  %s\nwant %s", c.got, c.want)
			}
		})
	}
}

// More streams and longer contexts never make one stream faster; more streams never make all of them slower together.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		active := rapid.Float64Range(1e8, 1e12).Draw(t, "active")
		s := ceiling.Setup{
			Model: ceiling.Model{Active: active, Total: active * rapid.Float64Range(1, 50).Draw(t, "total"), BytesPerParam: rapid.Float64Range(0.1, 4).Draw(t, "bytes"),
				KVBytes: rapid.Float64Range(0, 1e6).Draw(t, "kv")},
			Hardware: ceiling.Hardware{Bandwidth: rapid.Float64Range(1e11, 1e13).Draw(t, "bandwidth"), Count: rapid.IntRange(1, 100).Draw(t, "count")},
		}
		batch, context := rapid.IntRange(1, 1000).Draw(t, "batch"), rapid.Float64Range(0, 1e6).Draw(t, "context")
		rate, more, longer := s.Rate(batch, context), s.Rate(batch+1, context), s.Rate(batch, context+1000)
		if !(rate > 0) || math.IsInf(rate, 0) || more > rate*(1+1e-12) || longer > rate*(1+1e-12) {
			t.Errorf("%g tokens/s, with another stream %g, with more context %g", rate, more, longer)
		}
		if a, b := s.Aggregate(batch, context), s.Aggregate(batch+1, context); b < a*(1-1e-9) {
			t.Errorf("%g tokens/s together, with another stream %g", a, b)
		}
	})
}

// Whatever a flag says, it is read or refused, and what is read can be used.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"h100,count=8", "bandwidth=3.35TB/s", "500,batch=1,context=2000,hardware=h100", "1e9", "-1", "Inf", ",", "=", "5,per=all,batch=9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if h, err := ceiling.ParseHardware(text); err == nil {
			if total := h.Total(); !(total > 0) || math.IsInf(total, 0) || h.String() == "" {
				t.Errorf("hardware %q gives %g", text, total)
			}
		}
		figure, err := ceiling.ParseClaim(text)
		if err != nil {
			return
		}
		a := ceiling.Setup{Model: dense, Hardware: ceiling.Hardware{Bandwidth: 1e12, Count: 1}}.Assess(figure)
		if !(a.Ceiling > 0) || a.Over() != (len(a.Reasons) > 0) {
			t.Errorf("claim %q: %+v", text, a)
		}
		if slices.ContainsFunc(a.Reasons, func(r ceiling.Reason) bool { return strings.Contains(r.Text, "NaN") || strings.Contains(r.Text, "Inf") }) {
			t.Errorf("claim %q: %v", text, a.Reasons)
		}
	})
}

func ExampleSetup_Rate() {
	hardware, _ := ceiling.ParseHardware("h100")
	s := ceiling.Setup{Model: ceiling.Model{Active: 70e9, BytesPerParam: 1}, Hardware: hardware}
	fmt.Printf("one stream: at most %.1f tokens/s\n", s.Rate(1, 0))
	claim, _ := ceiling.ParseClaim("500")
	a := s.Assess(claim)
	fmt.Println("not comparable, for it does not say its", strings.Join(a.Missing, ", "))
	fmt.Println(a.Reasons[0].Name+":", a.Reasons[0].Text)
	// Output:
	// one stream: at most 47.9 tokens/s
	// not comparable, for it does not say its batch size, context length, hardware
	// batch aggregate: the sum of at least 11 streams, none of which is that fast
}

func TestLacks(t *testing.T) {
	for _, c := range []struct {
		name, hardware string
		model          ceiling.Model
		want           float64
	}{
		{"70 GB fit into 80", "h100", dense, 0},
		{"and not into 24", "rtx4090", dense, 46e9},
		{"but into three of them", "rtx4090,count=3", dense, 0},
		{"idle experts take room too", "h100", moe, 62e9},
		{"of a bare bandwidth nothing is known", "bandwidth=1TB/s", dense, 0},
	} {
		if got := on(t, c.hardware, c.model).Lacks(); got != c.want {
			t.Errorf("%s: got %g, want %g", c.name, got, c.want)
		}
	}
}
