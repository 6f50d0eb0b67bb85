package tools

import (
	"math"
	"strings"
	"testing"
)

func TestCalculate(t *testing.T) {
	expr := func(s string) string { return `{"expression":"` + s + `"}` }
	runCases(t, Calculate(nil), []toolCase{
		{name: "products bind closer than sums", args: expr("1 + 2*3"), want: "7"},
		{name: "equal ranks go from left to right", args: expr("10 - 4 - 3"), want: "3"},
		{name: "powers go from right to left", args: expr("2^3^2"), want: "512"},
		{name: "a power binds closer than a sign", args: expr("-2^2"), want: "-4"},
		{name: "an exponent may have a sign", args: expr("2^-1"), want: "0.5"},
		{name: "signs may be stacked", args: expr("3 - --+1"), want: "2"},
		{name: "parentheses come first", args: expr("(1+2)*(3+4)"), want: "21"},
		{name: "a remainder", args: expr("17 % 5"), want: "2"},
		{name: "decimals do not show their binary", args: expr("0.1 + 0.2"), want: "0.3"},
		{name: "underscores and exponents in numbers", args: expr("1_000 + 2.5e-1"), want: "1000.25"},
		{name: "rounding is of the written decimal", args: expr("round(1.005, 2)"), want: "1.01"},
		{name: "rounding to whole numbers", args: expr("round(-2.5)"), want: "-3"},
		{name: "functions of several values", args: expr("max(1, 5, 3) + min(4, 2) + sum(1,2,3) + avg(1, 2)"), want: "14.5"},
		{name: "functions of one value", args: expr("sqrt(16) + abs(-3) + floor(1.9) + ceil(1.1) + exp(0) + ln(1)"), want: "11"},
		{name: "pi", args: expr("round(pi, 4)"), want: "3.1416"},
		{name: "division by zero is said", args: expr("1/0"), wrong: "division by zero"},
		{name: "no real result is said", args: expr("sqrt(-1)"), wrong: "not a finite number"},
		{name: "an early end is said", args: expr("1 +"), wrong: "ends too early"},
		{name: "something unexpected is named with its place", args: expr("1 + $2"), wrong: `unexpected '$' at position 5`},
		{name: "a missing parenthesis is said", args: expr("(1 + 2"), wrong: "ends too early"},
		{name: "a word is not a value", args: expr("1 + total"), wrong: `"total" is not known`},
		{name: "an unknown function is named", args: expr("system(1)"), wrong: `no function "system"`},
		{name: "a wrong number of values is said", args: expr("sqrt(1, 2)"), wrong: "sqrt takes one value, not 2"},
		{name: "rounding has limits", args: expr("round(1, 99)"), wrong: "cannot round to 99 decimals"},
		{name: "two numbers in a row are wrong", args: expr("1 2"), wrong: "unexpected '2' at position 3"},
		{name: "a number with two points is none", args: expr("1.2.3"), wrong: `"1.2.3" is not a number`},
		{name: "deep nesting is refused", args: expr(strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200)), wrong: "nested more than 100 deep"},
		{name: "a tower of powers is refused", args: expr(strings.Repeat("1^", 200) + "1"), wrong: "nested more than 100 deep"},
		{name: "a very long expression is refused", args: expr(strings.Repeat("1+", 3000) + "1"), wrong: "the most is 4096"},
	})
}

func FuzzEvaluateEndsInANumberOrAnError(f *testing.F) {
	for _, seed := range []string{"1+2*3", "round(1.5,1)", "-(2^-3)%4", "max(1,2", "1e400", "..", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		value, err := evaluate(expression)
		if err == nil && (math.IsNaN(value) || math.IsInf(value, 0)) {
			t.Errorf("%q is %v", expression, value)
		}
	})
}
