package simmodel

import "math"

// efforts are the words of reasoning_effort, by rank, and how many times the reasoning tokens of medium each makes a
// model think. The factors are made up; that they are monotonous and span an order of magnitude is not.
var efforts = []struct {
	word   string
	factor float64
}{
	{"none", 0},
	{"minimal", 0.12},
	{"low", 0.3},
	{"medium", 1},
	{"high", 2.4},
	{"xhigh", 4},
	{"max", 6},
}

const defaultEffort = "medium"

// Efforts returns the words of reasoning_effort that the server takes, by rank. A model that has not all of them takes the nearest
// that it has.
func Efforts() []string {
	var words []string
	for _, e := range efforts {
		words = append(words, e.word)
	}
	return words
}

// effortRank returns the place of word in the order of efforts, -1 if it is none.
func effortRank(word string) int {
	for i, e := range efforts {
		if e.word == word {
			return i
		}
	}
	return -1
}

// effort returns the word and factor that the profile makes of a requested effort: its own nearest, the higher of two
// that are as near. ok is false if the word is not an effort.
func (p *Profile) effort(requested string) (word string, factor float64, ok bool) {
	rank := effortRank(requested)
	if rank < 0 {
		return "", 0, false
	}
	if p.Efforts == nil {
		if p.Exact != nil && rank > 0 {
			return requested, 1, true
		}
		return requested, efforts[rank].factor, true
	}
	nearest := math.MaxInt
	for i, e := range efforts {
		f, has := p.Efforts[e.word]
		if d := max(i-rank, rank-i); has && d <= nearest {
			nearest, word, factor = d, e.word, f
		}
	}
	return word, factor, word != ""
}
