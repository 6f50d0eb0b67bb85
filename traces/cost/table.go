package cost

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/seed46266073/longpole/internal/yamlfile"
)

// A Table is the prices that a user wrote down, all in one currency and of one day.
type Table struct {
	Currency string    // USD, EUR, …
	Date     time.Time // the day the prices are of, UTC
	prices   []Price   // in the order of the file
}

// A Price is what tokens of some models cost, each per million. nil: the table does not say.
type Price struct {
	Model       string  // a name, or a pattern in which * stands for any characters
	Free        bool    // declared to cost nothing
	Input       *Amount // that was not in the provider's cache
	CachedInput *Amount
	CacheWrite  *Amount // input that is put into the cache
	Output      *Amount
	Reasoning   *Amount // nil: charged as Output, as it is part of it
	Discount    *Amount // of batch processing: the share of the price that is taken off, 0 to 1
}

// Load reads a table of prices from YAML:
//
//	date: 2026-11-01          # the day the prices are of, printed with every cost
//	currency: USD
//	models:                   # prices per million tokens
//	  - model: acme-large-1
//	    input: 2.00
//	    cached_input: 0.20
//	    cache_write: 2.50
//	    output: 10.00         # reasoning tokens too, unless they have a price of their own
//	    reasoning: 12.00
//	    batch_discount: 50%
//	  - model: acme-*         # any other model whose name begins so; the longest beginning counts
//	    input: 1.00
//	    output: 4.00
//	  - model: tiny-local
//	    free: true            # a price of 0 for everything must be said like this
//
// The error says on which line, or of which model, something is missing or wrong.
func Load(r io.Reader) (*Table, error) {
	var f file
	if err := yamlfile.Decode(r, &f); err != nil {
		return nil, err
	}
	t := &Table{Currency: f.Currency}
	var err error
	if t.Date, err = time.Parse(time.DateOnly, f.Date); err != nil {
		return nil, fmt.Errorf("date %q: want the day the prices are of, as 2026-11-01", f.Date)
	}
	if !currency.MatchString(f.Currency) {
		return nil, fmt.Errorf("currency %q: want letters, as USD", f.Currency)
	}
	seen := map[string]bool{}
	for i, row := range f.Models {
		price, err := row.price()
		switch {
		case row.Model == "":
			return nil, fmt.Errorf("entry %d of models: no model", i+1)
		case err != nil:
			return nil, fmt.Errorf("model %q: %w", row.Model, err)
		case seen[row.Model]:
			return nil, fmt.Errorf("model %q: named twice", row.Model)
		}
		seen[row.Model] = true
		t.prices = append(t.prices, price)
	}
	if len(t.prices) == 0 {
		return nil, errors.New("models: none has a price")
	}
	return t, nil
}

var currency = regexp.MustCompile(`^[A-Za-z]{1,12}$`)

// The file as it is written.
type (
	file struct {
		Date     string
		Currency string
		Models   []row
	}
	row struct {
		Model       string
		Free        bool
		Input       *number
		CachedInput *number `yaml:"cached_input"`
		CacheWrite  *number `yaml:"cache_write"`
		Output      *number
		Reasoning   *number
		Discount    *number `yaml:"batch_discount"`
	}
	number string // as it was written: a binary fraction would not be what was meant
)

// UnmarshalYAML keeps a number as it was written.
func (n *number) UnmarshalYAML(text []byte) error {
	*n = number(strings.Trim(strings.TrimSpace(string(text)), `"'`))
	return nil
}

func (r row) price() (Price, error) {
	p := Price{Model: r.Model, Free: r.Free}
	paid := false
	for _, f := range []struct {
		name string
		from *number
		to   **Amount
	}{
		{"input", r.Input, &p.Input}, {"cached_input", r.CachedInput, &p.CachedInput}, {"cache_write", r.CacheWrite, &p.CacheWrite},
		{"output", r.Output, &p.Output}, {"reasoning", r.Reasoning, &p.Reasoning},
	} {
		if f.from == nil {
			continue
		}
		amount, err := parseAmount(string(*f.from))
		if err != nil {
			return p, fmt.Errorf("%s: %w", f.name, err)
		}
		*f.to, paid = &amount, paid || !amount.IsZero()
	}
	if r.Discount != nil {
		share, err := parseShare(string(*r.Discount))
		if err != nil {
			return p, err
		}
		p.Discount = &share
	}
	switch {
	case r.Free && (paid || r.Discount != nil):
		return p, errors.New("free, and with a price")
	case r.Free:
	case p.Input == nil || p.Output == nil:
		return p, errors.New("want input and output, or free: true")
	case !paid:
		return p, errors.New("all prices are 0; if it costs nothing, say free: true instead")
	}
	return p, nil
}

// parseShare reads "50%" or "0.5".
func parseShare(text string) (Amount, error) {
	digits, percent := strings.CutSuffix(text, "%")
	a, err := parseAmount(strings.TrimSpace(digits))
	if percent {
		a = a.Over(100)
	}
	if err != nil || a.value().Cmp(big.NewRat(1, 1)) > 0 {
		return Amount{}, fmt.Errorf("batch_discount: %q: want the share taken off, as 50%% or 0.5", text)
	}
	return a, nil
}

// Find returns the price of a model that was asked for by one name and answered by another; either may be empty. The name that
// answered counts. Where it is the other with a date or without its provider ("acme-1-20260101" for "acme-1", "acme-1" for
// "vendor/acme-1"), the price of the other is taken if it has none of its own, and note says so.
func (t *Table) Find(requested, answered string) (price *Price, note string) {
	if answered == "" || answered == requested {
		answered, requested = requested, ""
	}
	names := []string{answered}
	if isSame(requested, answered) {
		names = append(names, requested)
	}
	for _, find := range []func(string) *Price{t.named, t.patterned} {
		for i, name := range names {
			p := find(name)
			switch {
			case p == nil:
			case i == 0:
				return p, ""
			default:
				return p, fmt.Sprintf("%s is charged as %s", answered, requested)
			}
		}
	}
	return nil, ""
}

// isSame reports whether a model that answers to one name is the one that was asked for.
func isSame(requested, answered string) bool {
	rest, dated := strings.CutPrefix(answered, requested)
	return requested != "" && (dated && version.MatchString(rest) || strings.HasSuffix(requested, "/"+answered))
}

var version = regexp.MustCompile(`^[-@:]v?\d[\d.-]*$`)

func (t *Table) named(name string) *Price {
	for i := range t.prices {
		if p := &t.prices[i]; p.Model == name {
			return p
		}
	}
	return nil
}

// patterned returns the price of the pattern with the longest beginning that name is of, of those the longest, of those the first.
func (t *Table) patterned(name string) *Price {
	var best *Price
	for i := range t.prices {
		p := &t.prices[i]
		if name != "" && matches(p.Model, name) && (best == nil || longer(p.Model, best.Model)) {
			best = p
		}
	}
	return best
}

func longer(a, b string) bool {
	x, y := strings.IndexByte(a, '*'), strings.IndexByte(b, '*')
	return x > y || x == y && len(a) > len(b)
}

// matches reports whether name is of the pattern, in which * stands for any characters, also none.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	first, rest := parts[0], parts[1:]
	name, ok := strings.CutPrefix(name, first)
	if !ok || len(rest) == 0 {
		return ok && name == ""
	}
	last := rest[len(rest)-1]
	for _, part := range rest[:len(rest)-1] {
		at := strings.Index(name, part)
		if at < 0 {
			return false
		}
		name = name[at+len(part):]
	}
	return strings.HasSuffix(name, last)
}
