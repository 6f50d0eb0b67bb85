package tasks

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// states reports whether one of the numbers in answer is want, to half a unit of its last decimal.
func states(answer string, want float64, decimals int) bool {
	tolerance := math.Pow(10, -float64(decimals))/2 + 1e-9
	for _, x := range numbers(answer) {
		if math.Abs(x-want) < tolerance {
			return true
		}
	}
	return false
}

var numberPattern = regexp.MustCompile(`[-−]?\d+(?:[.,'’_\x{a0}\x{202f} ]\d+)*`)

// numbers returns every value that the numbers of a text can mean. People and models group digits with commas,
// points, spaces or apostrophes, and write decimals with a point or a comma: "1,234" is 1234 and 1.234 here.
func numbers(text string) []float64 {
	var found []float64
	for _, n := range numberPattern.FindAllString(text, -1) {
		n = strings.ReplaceAll(n, "−", "-")
		// "rooms 2 and 3" are two numbers, "1 234.50" is one: spaces group three digits.
		for _, part := range splitGroups(n) {
			found = append(found, values(part)...)
		}
	}
	return found
}

var spacedGroups = regexp.MustCompile(`^-?\d{1,3}(?: \d{3})+(?:[.,]\d+)?$`)

func splitGroups(n string) []string {
	n = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, n)
	if spacedGroups.MatchString(n) {
		return append(strings.Fields(n), strings.ReplaceAll(n, " ", ""))
	}
	return strings.Fields(n)
}

// values returns what one number without spaces can mean.
func values(n string) []float64 {
	n = strings.NewReplacer("'", "", "’", "", "_", "").Replace(n)
	candidates := []string{strings.NewReplacer(".", "", ",", "").Replace(n)} // all marks group digits
	if i := strings.LastIndexAny(n, ".,"); i >= 0 {                          // the last mark is the decimal one
		candidates = append(candidates, strings.NewReplacer(".", "", ",", "").Replace(n[:i])+"."+n[i+1:])
	}
	var found []float64
	for _, c := range candidates {
		if x, err := strconv.ParseFloat(c, 64); err == nil {
			found = append(found, x)
		}
	}
	return found
}

// plainWords lower-cases text and makes everything but letters, digits and the marks of paths a single space, so
// that emphasis, quotes and line breaks do not matter.
func plainWords(text string) string {
	kept := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-./:_", r) {
			return unicode.ToLower(r)
		}
		return ' '
	}, text)
	words := strings.Fields(kept)
	for i, w := range words {
		words[i] = strings.Trim(w, ".:_")
	}
	return " " + strings.Join(words, " ") + " "
}

// mentions reports whether answer contains phrase as whole words.
func mentions(answer, phrase string) bool {
	return strings.Contains(plainWords(answer), plainWords(phrase))
}

// lacks returns the first of the phrases that the answer does not mention, "" if it mentions all.
func lacks(answer string, phrases ...string) (missing string) {
	for _, p := range phrases {
		if !mentions(answer, p) {
			return p
		}
	}
	return ""
}

// number verifies an answer that is one number.
func number(what string, want float64, decimals int) func(string) (bool, string) {
	return func(answer string) (bool, string) {
		says := fmt.Sprintf("%s is %.*f", what, decimals, want)
		return states(answer, want, decimals), says
	}
}
