package pace

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/internal/yamlfile"
)

// Targets are uses and what each needs.
type Targets struct {
	Uses []Use // in the order of the file
}

// A Use is what people use a model for.
type Use struct {
	Name     string
	Limits   []Limit // in the order of Measures; empty if CostOnly
	CostOnly bool    // time does not matter
	Share    float64 // of the calls or runs that must keep each limit, 0 to 1
	Source   string  // where the limits come from, "" if the table does not say
}

// A Measure is what a limit is of.
type Measure string

// The measures. Waits count from the start of the call, failed attempts and backoff included.
const (
	FirstOutput Measure = "first output" // wait for output of any kind, reasoning included
	FirstText   Measure = "first text"   // wait for visible text
	Rate        Measure = "output rate"  // tokens per second of a request
	WorstGap    Measure = "worst gap"    // longest silence within a stream
	Stalled     Measure = "time stalled" // share of a stream's time
	Answer      Measure = "answer"       // time of a whole run with a correct answer
)

// A Limit bounds a measure: a rate from below, all others from above.
type Limit struct {
	What Measure
	Low  float64 // least rate; 0: none
	High float64 // seconds, or a share, that is not to be passed; of a rate, above what more makes no difference, 0: none
}

func (l Limit) keeps(v float64) bool {
	if l.What == Rate {
		return v >= l.Low
	}
	return v <= l.High
}

// DefaultTargets is the built-in table as the file that a user can copy and change.
//
//go:embed targets.yaml
var DefaultTargets []byte

// Default returns the built-in table.
func Default() Targets {
	t, err := Load(bytes.NewReader(DefaultTargets))
	if err != nil {
		panic(fmt.Sprintf("the built-in targets.yaml: %v", err)) // a test reads it
	}
	return t
}

// Load reads a table of uses from YAML; targets.yaml in this package shows and explains its fields. The error says on which line,
// or of which use, something is missing or wrong.
func Load(r io.Reader) (Targets, error) {
	var f struct{ Uses []row }
	if err := yamlfile.Decode(r, &f); err != nil {
		return Targets{}, err
	}
	var t Targets
	seen := map[string]bool{}
	for i, row := range f.Uses {
		use, err := row.use()
		switch {
		case !nameOfUse.MatchString(row.Use):
			return Targets{}, fmt.Errorf("entry %d of uses: use %q: want a name of at most 20 letters, digits and dashes", i+1, row.Use)
		case err != nil:
			return Targets{}, fmt.Errorf("use %q: %w", row.Use, err)
		case seen[row.Use]:
			return Targets{}, fmt.Errorf("use %q: named twice", row.Use)
		}
		seen[row.Use] = true
		t.Uses = append(t.Uses, use)
	}
	if len(t.Uses) == 0 {
		return Targets{}, errors.New("uses: there are none")
	}
	return t, nil
}

var nameOfUse = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 -]{0,19}$`)

// row is a use as it is written.
type row struct {
	Use         string
	FirstOutput string `yaml:"first_output"`
	FirstText   string `yaml:"first_text"`
	Rate        string
	WorstGap    string `yaml:"worst_gap"`
	Stalled     string
	Answer      string
	CostOnly    bool `yaml:"cost_only"`
	Share       string
	Source      string
}

func (r row) use() (Use, error) {
	u := Use{Name: r.Use, CostOnly: r.CostOnly, Source: r.Source, Share: 0.9}
	for _, f := range []struct {
		name, text string
		what       Measure
		parse      func(string) (low, high float64, err error)
	}{
		{"first_output", r.FirstOutput, FirstOutput, parseTime}, {"first_text", r.FirstText, FirstText, parseTime}, {"rate", r.Rate, Rate, parseRange},
		{"worst_gap", r.WorstGap, WorstGap, parseTime}, {"stalled", r.Stalled, Stalled, parsePercent}, {"answer", r.Answer, Answer, parseTime},
	} {
		if f.text == "" {
			continue
		}
		low, high, err := f.parse(f.text)
		if err != nil {
			return u, fmt.Errorf("%s: %w", f.name, err)
		}
		u.Limits = append(u.Limits, Limit{f.what, low, high})
	}
	if r.Share != "" {
		_, share, err := parsePercent(r.Share)
		if err != nil || share == 0 || share == 1 { // no number of calls shows that all keep a limit
			return u, fmt.Errorf("share: %q: want a share between 0 and 100 %%, as 90%%", r.Share)
		}
		u.Share = share
	}
	switch {
	case u.CostOnly && len(u.Limits) > 0:
		return u, errors.New("cost_only, and with limits")
	case !u.CostOnly && len(u.Limits) == 0:
		return u, errors.New("no limits; want first_output, first_text, rate, worst_gap, stalled or answer, or cost_only: true")
	}
	return u, nil
}

func parseTime(text string) (low, high float64, err error) {
	d, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
	if err != nil || d <= 0 {
		return 0, 0, fmt.Errorf("%q: want a time above 0, as 1.5s or 500ms", text)
	}
	return 0, d.Seconds(), nil
}

// parseRange reads "20..50", "20.." and "20".
func parseRange(text string) (low, high float64, err error) {
	lowText, highText, _ := strings.Cut(text, "..")
	low, err = parseNumber(lowText)
	if err == nil && strings.TrimSpace(highText) != "" {
		if high, err = parseNumber(highText); high <= low {
			err = errors.New("highest below lowest")
		}
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%q: want tokens per second, as 20.. or 20..50", text)
	}
	return low, high, nil
}

func parsePercent(text string) (low, high float64, err error) {
	digits, percent := strings.CutSuffix(text, "%")
	high, err = strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		high /= 100
	}
	if err != nil || high < 0 || high > 1 || math.IsNaN(high) {
		return 0, 0, fmt.Errorf("%q: want a share, as 5%% or 0.05", text)
	}
	return 0, high, nil
}

func parseNumber(text string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err == nil && (n <= 0 || n > 1e9 || math.IsNaN(n)) {
		err = strconv.ErrRange
	}
	return n, err
}
