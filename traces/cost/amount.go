package cost

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// An Amount is a sum of money, or a price, kept exactly. The zero value is nothing. Amounts are never changed.
type Amount struct {
	rat *big.Rat // nil: 0
}

// parseAmount reads a decimal number from 0 up, of at most 9 digits before and 12 behind the point.
func parseAmount(text string) (Amount, error) {
	if !decimal.MatchString(text) {
		return Amount{}, fmt.Errorf("%q is no price: want a decimal number from 0, as 2.50", text)
	}
	r, _ := new(big.Rat).SetString(text)
	return Amount{r}, nil
}

var decimal = regexp.MustCompile(`^\d{1,9}(\.\d{1,12})?$`)

func (a Amount) value() *big.Rat {
	if a.rat == nil {
		return new(big.Rat)
	}
	return a.rat
}

// Plus returns a + b.
func (a Amount) Plus(b Amount) Amount { return Amount{new(big.Rat).Add(a.value(), b.value())} }

// Times returns n times a.
func (a Amount) Times(n int64) Amount {
	return Amount{new(big.Rat).Mul(a.value(), new(big.Rat).SetInt64(n))}
}

// Over returns the nth part of a; n is not 0.
func (a Amount) Over(n int64) Amount {
	return Amount{new(big.Rat).Quo(a.value(), new(big.Rat).SetInt64(n))}
}

// less returns a without the share of it, 0 to 1.
func (a Amount) less(share Amount) Amount {
	return Amount{new(big.Rat).Mul(a.value(), new(big.Rat).Sub(big.NewRat(1, 1), share.value()))}
}

// Cmp returns -1, 0 or 1 as a is less than, equal to or more than b.
func (a Amount) Cmp(b Amount) int { return a.value().Cmp(b.value()) }

// IsZero reports whether a is nothing at all.
func (a Amount) IsZero() bool { return a.value().Sign() == 0 }

// String writes a for people: three digits or more, at least two of them behind the point: "0", "12.30", "0.0123",
// "<0.000001". Only nothing is 0.
func (a Amount) String() string {
	v := a.value()
	switch {
	case v.Sign() == 0:
		return "0"
	case v.Cmp(big.NewRat(5, 1e7)) < 0:
		return "<0.000001"
	}
	places := 2
	for limit := big.NewRat(1, 1); places < 6 && v.Cmp(limit) < 0; places++ {
		limit = new(big.Rat).Mul(limit, big.NewRat(1, 10))
	}
	s := v.FloatString(places)
	for len(s)-strings.IndexByte(s, '.') > 3 && strings.HasSuffix(s, "0") {
		s = strings.TrimSuffix(s, "0")
	}
	return s
}

// MarshalJSON writes a as a decimal number, to twelve places behind the point.
func (a Amount) MarshalJSON() ([]byte, error) {
	s := a.value().FloatString(12)
	return []byte(strings.TrimSuffix(strings.TrimRight(s, "0"), ".")), nil
}
