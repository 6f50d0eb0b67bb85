package tools

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Calculate returns the tool calculate: arithmetic on numbers, nothing else.
func Calculate(_ *Box) Tool {
	type args struct {
		Expression string `json:"expression"`
	}
	return define("calculate",
		"Compute an arithmetic expression: + - * / % ^ and parentheses, sqrt abs floor ceil ln exp, round(x, decimals), "+
			"min max sum avg of any number of values, pi. Example: round((120 - 20%7) * 1.19, 2)",
		`{"type":"object","additionalProperties":false,"required":["expression"],"properties":{
			"expression":{"type":"string","minLength":1}}}`,
		defaultTimeout,
		func(_ context.Context, a args) (string, error) {
			value, err := evaluate(a.Expression)
			if err != nil {
				return "", err
			}
			return number(value), nil
		})
}

// number writes a result with the 15 digits that a float64 is sure of.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 15, 64)
}

const (
	longestExpression = 4096 // bytes
	deepestNesting    = 100
)

// evaluate computes an expression by recursive descent:
//
//	sum     = product { ("+" | "-") product }
//	product = sign { ("*" | "/" | "%") sign }
//	sign    = { "-" | "+" } power
//	power   = atom [ "^" sign ]                      right-associative, binds closer than a sign before it: -2^2 = -4
//	atom    = number | "(" sum ")" | name [ "(" sum { "," sum } ")" ]
func evaluate(expression string) (float64, error) {
	if len(expression) > longestExpression {
		return 0, fmt.Errorf("the expression has %d bytes; the most is %d", len(expression), longestExpression)
	}
	p := parser{text: expression}
	value, err := p.sum()
	if err != nil {
		return 0, err
	}
	if p.skip(); p.pos < len(p.text) {
		return 0, p.unexpected()
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return 0, errors.New("the result is not a finite number")
	}
	return value, nil
}

type parser struct {
	text  string
	pos   int
	depth int
}

func (p *parser) skip() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// take consumes the next byte if it is one of these, and returns it; 0 if it is none.
func (p *parser) take(bytes string) byte {
	p.skip()
	if p.pos < len(p.text) && strings.IndexByte(bytes, p.text[p.pos]) >= 0 {
		p.pos++
		return p.text[p.pos-1]
	}
	return 0
}

func (p *parser) unexpected() error {
	p.skip()
	if p.pos >= len(p.text) {
		return errors.New("the expression ends too early")
	}
	return fmt.Errorf("unexpected %q at position %d", []rune(p.text[p.pos:])[0], p.pos+1)
}

func (p *parser) sum() (float64, error) {
	if p.depth++; p.depth > deepestNesting {
		return 0, fmt.Errorf("nested more than %d deep", deepestNesting)
	}
	defer func() { p.depth-- }()
	value, err := p.product()
	for err == nil {
		op := p.take("+-")
		if op == 0 {
			break
		}
		var next float64
		if next, err = p.product(); op == '-' {
			next = -next
		}
		value += next
	}
	return value, err
}

func (p *parser) product() (float64, error) {
	value, err := p.sign()
	for err == nil {
		op := p.take("*/%")
		if op == 0 {
			break
		}
		var next float64
		if next, err = p.sign(); err != nil {
			break
		}
		switch {
		case op == '*':
			value *= next
		case next == 0:
			return 0, errors.New("division by zero")
		case op == '/':
			value /= next
		default:
			value = math.Mod(value, next)
		}
	}
	return value, err
}

func (p *parser) sign() (float64, error) {
	negative := false
	for op := p.take("+-"); op != 0; op = p.take("+-") {
		negative = negative != (op == '-')
	}
	value, err := p.power()
	if negative {
		value = -value
	}
	return value, err
}

func (p *parser) power() (float64, error) {
	base, err := p.atom()
	if err != nil || p.take("^") == 0 {
		return base, err
	}
	if p.depth++; p.depth > deepestNesting {
		return 0, fmt.Errorf("nested more than %d deep", deepestNesting)
	}
	defer func() { p.depth-- }()
	exponent, err := p.sign()
	return math.Pow(base, exponent), err
}

func (p *parser) atom() (float64, error) {
	if p.take("(") != 0 {
		value, err := p.sum()
		if err == nil && p.take(")") == 0 {
			err = p.unexpected()
		}
		return value, err
	}
	p.skip()
	start := p.pos
	switch {
	case p.pos >= len(p.text):
		return 0, p.unexpected()
	case isDigit(p.text[p.pos]) || p.text[p.pos] == '.':
		return p.number()
	case isLetter(p.text[p.pos]):
		for p.pos < len(p.text) && (isLetter(p.text[p.pos]) || isDigit(p.text[p.pos])) {
			p.pos++
		}
		return p.call(strings.ToLower(p.text[start:p.pos]))
	}
	return 0, p.unexpected()
}

func (p *parser) number() (float64, error) {
	start := p.pos
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		exponentSign := (c == '+' || c == '-') && p.pos > start && (p.text[p.pos-1]|0x20) == 'e'
		if !isDigit(c) && c != '.' && c != '_' && c|0x20 != 'e' && !exponentSign {
			break
		}
		p.pos++
	}
	text := p.text[start:p.pos]
	value, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return value, nil
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// call evaluates a constant, or a function and its arguments.
func (p *parser) call(name string) (float64, error) {
	if name == "pi" {
		return math.Pi, nil
	}
	if p.take("(") == 0 {
		return 0, fmt.Errorf("%q is not known; write functions as name(…)", name)
	}
	var args []float64
	for {
		value, err := p.sum()
		if err != nil {
			return 0, err
		}
		args = append(args, value)
		if p.take(",") != 0 {
			continue
		}
		if p.take(")") == 0 {
			return 0, p.unexpected()
		}
		return apply(name, args)
	}
}

func apply(name string, args []float64) (float64, error) {
	x := args[0]
	if one := map[string]func(float64) float64{
		"sqrt": math.Sqrt, "abs": math.Abs, "floor": math.Floor, "ceil": math.Ceil, "ln": math.Log, "exp": math.Exp,
	}[name]; one != nil {
		if len(args) != 1 {
			return 0, fmt.Errorf("%s takes one value, not %d", name, len(args))
		}
		return one(x), nil
	}
	switch name {
	case "round":
		switch len(args) {
		case 1:
			return math.Round(x), nil
		case 2:
			return roundTo(x, args[1])
		}
		return 0, fmt.Errorf("round takes one or two values, not %d", len(args))
	case "min", "max", "sum", "avg":
		for _, next := range args[1:] {
			switch name {
			case "min":
				x = min(x, next)
			case "max":
				x = max(x, next)
			default:
				x += next
			}
		}
		if name == "avg" {
			x /= float64(len(args))
		}
		return x, nil
	}
	return 0, fmt.Errorf("no function %q", name)
}

// roundTo rounds the decimal that x is written as, not the binary that it is stored as: 1.005 to two decimals is 1.01.
func roundTo(x, decimals float64) (float64, error) {
	if decimals != math.Trunc(decimals) || decimals < 0 || decimals > 15 {
		return 0, fmt.Errorf("cannot round to %v decimals; 0 to 15 are possible", decimals)
	}
	shifted, err := strconv.ParseFloat(fmt.Sprintf("%se%d", strconv.FormatFloat(x, 'f', -1, 64), int(decimals)), 64)
	if err != nil {
		return x, nil // too large for decimals to matter
	}
	return math.Round(shifted) / math.Pow(10, decimals), nil
}
