package simmodel

import (
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tokens returns how many tokens s is for every simulated model. A token is up to six letters, up to three
// digits, up to three signs, or one character of white space, with the space before it: near to what real tokenizers
// make of English and JSON, and no model's own.
func Tokens(s string) int {
	n := 0
	for s != "" {
		_, s = cutToken(s)
		n++
	}
	return n
}

// tokens returns the tokens of s in order; joined they are s.
func tokens(s string) []string {
	var list []string
	for s != "" {
		var t string
		t, s = cutToken(s)
		list = append(list, t)
	}
	return list
}

func cutToken(s string) (token, rest string) {
	end := 0
	if s[0] == ' ' && len(s) > 1 {
		end = 1
	}
	r, n := utf8.DecodeRuneInString(s[end:])
	end += n
	var same func(rune) bool
	left := 0
	switch {
	case unicode.IsLetter(r):
		same, left = unicode.IsLetter, 5
	case unicode.IsDigit(r):
		same, left = unicode.IsDigit, 2
	case !unicode.IsSpace(r):
		same, left = isSign, 2
	}
	for ; left > 0 && end < len(s); left-- {
		r, n := utf8.DecodeRuneInString(s[end:])
		if !same(r) {
			break
		}
		end += n
	}
	return s[:end], s[end:]
}

func isSign(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsSpace(r) }

// What filler text is made of: a token each.
var words = strings.Fields("first look at what the task asks for then read each part in turn and keep track of " +
	"the names that matter so far it fits but check once more where a value comes from before we trust it")

// Filler returns a text of exactly n tokens.
func Filler(n int) string { return strings.Join(filler(n, 0), "") }

// thought returns n tokens of reasoning.
func thought(n int, r *rand.Rand) []string { return filler(n, r.IntN(len(words))) }

func filler(n, from int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = " " + words[(from+i)%len(words)]
		if i == 0 {
			list[i] = list[i][1:]
		}
	}
	return list
}
