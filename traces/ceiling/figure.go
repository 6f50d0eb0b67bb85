package ceiling

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// A Figure is an output rate that was measured, or that somebody published.
type Figure struct {
	Rate      float64   // tokens per second
	Measured  bool      // of one request, seen here; else published
	Batch     int       // streams decoded together; 0: not said
	Per       string    // what Rate is of where Batch is above 1: "stream" or "all"; "": not said
	Context   *float64  // tokens; nil: not said
	Hardware  *Hardware // nil: not said
	Published string    // as it was given, for a published figure
}

// ParseClaim reads a published figure: "500", or "500,batch=1,context=2000,hardware=h100" with as much as was published.
// With batch=8, per=stream or per=all says what the rate is of; hardware=bandwidth=3.35TB/s and count=8 do as with
// ParseHardware.
func ParseClaim(text string) (Figure, error) {
	f := Figure{Published: text}
	var hardware []string
	fail := func(format string, args ...any) (Figure, error) {
		return Figure{}, fmt.Errorf("claim %q: %w", text, fmt.Errorf(format, args...))
	}
	for i, field := range strings.Split(text, ",") {
		key, value, pair := strings.Cut(strings.TrimSpace(field), "=")
		switch {
		case i == 0 && !pair:
			n, ok := scaled(key, map[string]float64{"": 1, "k": 1e3, "tok/s": 1, "t/s": 1})
			if !ok {
				return fail("want output tokens per second first, as 500")
			}
			f.Rate = n
		case key == "batch" && pair:
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > maxBatch {
				return fail("batch=%s: want a whole number from 1", value)
			}
			f.Batch = n
		case key == "per" && (value == "stream" || value == "all"):
			f.Per = value
		case key == "context" && pair:
			n, ok := scaled(value, map[string]float64{"": 1, "k": 1e3, "m": 1e6})
			if !ok {
				return fail("context=%s: want tokens, as 2000 or 128k", value)
			}
			f.Context = &n
		case key == "hardware" && pair:
			hardware = append([]string{value}, hardware...)
		case key == "count" && pair:
			hardware = append(hardware, field)
		default:
			return fail("%q: want batch=…, per=stream, per=all, context=…, hardware=… or count=…", field)
		}
	}
	if f.Rate == 0 {
		return fail("want output tokens per second first, as 500")
	}
	if len(hardware) > 0 {
		h, err := ParseHardware(strings.Join(hardware, ","))
		if err != nil {
			return fail("%w", err)
		}
		f.Hardware = &h
	}
	return f, nil
}

// maxBatch is the largest batch that is thought of.
const maxBatch = 1 << 20

// Missing returns what a published figure does not say and would have to, for anyone to compare it: batch size, context length,
// hardware. A figure that lacks any is not comparable. Nothing is missing from a measured one.
func (f Figure) Missing() []string {
	var missing []string
	if f.Measured {
		return nil
	}
	if f.Batch == 0 {
		missing = append(missing, "batch size")
	}
	if f.Batch > 1 && f.Per == "" {
		missing = append(missing, "whether it is of one stream or of all")
	}
	if f.Context == nil {
		missing = append(missing, "context length")
	}
	if f.Hardware == nil {
		missing = append(missing, "hardware")
	}
	return missing
}

// An Assessment is a figure held against the ceiling.
type Assessment struct {
	Figure  Figure
	Ceiling float64  // tokens per second that could be had at best under the figure's conditions; those not said are the best ones: a batch of 1, no context, the hardware of the Setup
	Missing []string // see Figure.Missing
	Reasons []Reason // what could explain a figure above the ceiling; empty for one below
}

// Over reports whether the figure is above the ceiling.
func (a Assessment) Over() bool { return a.Figure.Rate > a.Ceiling }

// A Reason is a condition under which a figure above the ceiling would be possible after all.
type Reason struct {
	Name string // batch aggregate, speculative decoding, mixture of experts, other precision, several devices, held back
	Text string // with the least it would take
}

// Assess holds a figure against the setup's ceiling.
func (s Setup) Assess(f Figure) Assessment {
	if f.Hardware != nil {
		s.Hardware = *f.Hardware
	}
	batch, context := max(f.Batch, 1), 0.0
	if f.Context != nil {
		context = *f.Context
	}
	a := Assessment{Figure: f, Ceiling: s.Rate(batch, context), Missing: f.Missing()}
	if f.Per == "all" {
		a.Ceiling = s.Aggregate(batch, context)
	}
	if a.Over() {
		a.Reasons = s.reasons(f, f.Rate/a.Ceiling, context)
	}
	return a
}

// reasons says what it would take to be times faster than the ceiling, each reason on its own.
func (s Setup) reasons(f Figure, times, context float64) []Reason {
	var list []Reason
	say := func(name, format string, args ...any) {
		list = append(list, Reason{name, fmt.Sprintf(format, args...)})
	}
	switch {
	case f.Measured:
		say("held back", "something on the way kept tokens back, so that they arrived faster than they were written")
	case f.Batch == 0:
		if n := s.leastBatch(f.Rate, context); n > 0 {
			say("batch aggregate", "the sum of at least %d streams, none of which is that fast", n)
		}
	case f.Batch > 1 && f.Per == "" && s.Aggregate(f.Batch, context) >= f.Rate:
		say("batch aggregate", "the sum of its %d streams, none of which is that fast", f.Batch)
	}
	say("speculative decoding", "at least %s tokens accepted a step", upTo(times))
	if f.Batch <= 1 { // of more streams, what each reads is not told apart that simply
		weights := s.Hardware.Total()/f.Rate - context*s.Model.KVBytes // bytes of weights that could be read for a token
		if weights > 0 {
			say("mixture of experts", "at most %s parameters taking part in a token", count(weights/s.Model.BytesPerParam))
			say("other precision", "at most %s bytes a parameter", downTo(weights/s.Model.Active))
		}
	}
	if n := math.Ceil(times*float64(s.Hardware.Count) - 1e-9); n < 1e9 {
		say("several devices", "at least %.0f of them", n)
	}
	return list
}

// leastBatch returns the smallest batch whose streams can have rate together; 0 if none can.
func (s Setup) leastBatch(rate, context float64) int {
	n := 1 + sort.Search(maxBatch, func(i int) bool { return s.Aggregate(i+1, context) >= rate })
	if n > maxBatch {
		return 0
	}
	return n
}

// upTo and downTo write three digits, rounded away from what would not be enough.
func upTo(f float64) string { return threeDigits(f, math.Ceil, -1e-9) }

func downTo(f float64) string { return threeDigits(f, math.Floor, 1e-9) }

func threeDigits(f float64, round func(float64) float64, tolerance float64) string {
	scale := math.Pow(10, 2-math.Floor(math.Log10(f)))
	return strconv.FormatFloat(round(f*scale+tolerance)/scale, 'f', -1, 64)
}

// count writes a number of parameters, rounded down: "13.4B".
func count(n float64) string {
	unit := ""
	for _, u := range []string{"K", "M", "B", "T"} {
		if n < 1000 {
			break
		}
		n, unit = n/1000, u
	}
	return downTo(n) + unit
}
