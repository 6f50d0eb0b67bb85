package simmodel_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

func turn(index int, effort string, seed uint64) simmodel.Turn {
	return simmodel.Turn{Index: index, Effort: effort, Rand: rand.New(rand.NewPCG(seed, uint64(index))), Plan: rand.New(rand.NewPCG(seed, 0))}
}

func TestLinear(t *testing.T) {
	play := simmodel.Linear(simmodel.Reply{Text: "a"}, simmodel.Reply{Text: "b"})
	for i, want := range []string{"a", "b", "b"} {
		if got := play(turn(i, "low", 1)).Text; got != want {
			t.Errorf("turn %d: %q, want %q", i, got, want)
		}
	}
}

func TestWrongTurn(t *testing.T) {
	right := simmodel.Linear(simmodel.Reply{Text: "right"})
	play := simmodel.WrongTurn(simmodel.Odds{"low": 0.5, "high": 0.1},
		simmodel.Linear(simmodel.Reply{Text: "wrong"}, simmodel.Reply{Text: "sorry"}), right)
	for effort, want := range map[string]float64{"none": 0.5, "low": 0.5, "medium": 0.5, "high": 0.1, "max": 0.1} {
		const n = 2000
		wrong := 0
		for seed := range uint64(n) {
			took := play(turn(0, effort, seed)).Text == "wrong"
			if took {
				wrong++
			}
			if later := play(turn(1, effort, seed)).Text == "sorry"; later != took {
				t.Fatalf("%s, seed %d: the second turn does not remember the first", effort, seed)
			}
		}
		if got := float64(wrong) / n; math.Abs(got-want) > 0.04 {
			t.Errorf("%s: wrong in %.3f of the conversations, want %.3f", effort, got, want)
		}
	}
	if simmodel.WrongTurn(nil, simmodel.Linear(simmodel.Reply{}), right)(turn(0, "low", 1)).Text != "right" {
		t.Error("no odds, and yet wrong")
	}
}

func TestPadded(t *testing.T) {
	call := simmodel.Call{Name: "read_file", Args: struct {
		Path string `json:"path"`
	}{"go.mod"}}
	for _, n := range []int{600, simmodel.Reply{Calls: []simmodel.Call{call}}.Tokens()} {
		if got := simmodel.Padded(n, call).Tokens(); got != n {
			t.Errorf("%d tokens, want %d", got, n)
		}
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{
		"":                          0,
		" ":                         1,
		"a":                         1,
		" a":                        1,
		"the answer is 42.":         5,
		"internationalisation":      4,
		"1234567":                   3,
		`{"path":"a.txt"}`:          7,
		"one\n\ntwo":                4,
		"日本語":                       1,
		"\xff\xfe":                  1,
		simmodel.Filler(1000):       1000,
		simmodel.Filler(0):          0,
		strings.Repeat("answer", 3): 3,
	} {
		if got := simmodel.Tokens(text); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
}
