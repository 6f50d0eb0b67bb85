package simmodel

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A Script is what the model does in a conversation about Prompt. A message that is nothing but a script's prompt goes
// before one that only contains it, a longer prompt before a shorter one.
type Script struct {
	Name   string
	Prompt string // selects it: a message of the user that contains it, white space around it aside
	Play   Play
}

// A Play gives the reply to a turn. It is called concurrently and must depend on nothing but the turn.
type Play func(Turn) Reply

// A Turn is one request of a conversation.
type Turn struct {
	Index    int        // turns that the model has had; the first turn is 0
	Effort   string     // as the profile understood it, never ""
	Model    string     // the profile's name
	Rand     *rand.Rand // its own in every turn
	Plan     *rand.Rand // the same sequence in every turn of a conversation: for decisions that later turns must remember
	Messages []Message
	Tools    []Tool          // that the request offers
	Schema   json.RawMessage // JSON Schema that the answer is to fit; nil: none
}

// A Message is one of the request's.
type Message struct {
	Role       string // system, developer, user, assistant, tool
	Content    string // text parts joined
	ToolCallID string // of a tool's result
	Calls      []Call // of an assistant message; Args are strings
}

// A Reply is what the model says in one turn: it thinks, then writes Text, then makes Calls, all at once.
type Reply struct {
	ReasoningTokens int // at medium effort; the profile scales them by the effort
	Text            string
	Calls           []Call
}

// A Call is a request to execute a tool.
type Call struct {
	ID   string // of a call in a message; replies leave it to the server
	Name string
	Args any // a JSON text as string or json.RawMessage, or a value that encoding/json turns into one; nil is {}
}

// arguments returns the JSON text of c's arguments. It panics if they have none: scripts are code.
func (c Call) arguments() string {
	switch a := c.Args.(type) {
	case nil:
		return "{}"
	case string:
		return a
	case json.RawMessage:
		return string(a)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c.Args); err != nil {
		panic(fmt.Sprintf("simmodel: arguments of %s: %v", c.Name, err))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// object returns the arguments as a JSON object, for APIs that have no other form; a text that is none is its one value.
func (c Call) object() json.RawMessage {
	text := json.RawMessage(c.arguments())
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return quote(map[string]string{"text": string(text)})
	}
	return text
}

// Tokens returns how many output tokens r is without its reasoning.
func (r Reply) Tokens() int {
	n := Tokens(r.Text)
	for _, c := range r.Calls {
		n += Tokens(c.Name) + Tokens(c.arguments())
	}
	return n
}

// Linear plays the replies, at least one, in order, one a turn, and the last one for ever after.
func Linear(replies ...Reply) Play {
	return func(t Turn) Reply { return replies[min(t.Index, len(replies)-1)] }
}

// Odds are probabilities by effort. An effort that is not listed has the odds of the nearest listed one below it, else
// of the nearest above.
type Odds map[string]float64

// At returns the probability at effort.
func (o Odds) At(effort string) float64 {
	below, above := -1, len(efforts)
	rank := effortRank(effort)
	for word := range o {
		switch r := effortRank(word); {
		case r <= rank:
			below = max(below, r)
		default:
			above = min(above, r)
		}
	}
	switch {
	case below >= 0:
		return o[efforts[below].word]
	case above < len(efforts):
		return o[efforts[above].word]
	}
	return 0
}

// WrongTurn plays wrong with the odds of the turn's effort, else right: decided once a conversation. Plays nest.
func WrongTurn(odds Odds, wrong, right Play) Play {
	return func(t Turn) Reply {
		if t.Plan.Float64() < odds.At(t.Effort) {
			return wrong(t)
		}
		return right(t)
	}
}

// Padded returns a reply whose text and calls are tokens output tokens in all: filler text, then the calls. It panics if
// the calls alone are more.
func Padded(tokens int, calls ...Call) Reply {
	r := Reply{Calls: calls}
	rest := tokens - r.Tokens()
	if rest < 0 {
		panic(fmt.Sprintf("simmodel: the calls are %d tokens, more than %d", r.Tokens(), tokens))
	}
	r.Text = Filler(rest)
	return r
}

// unscripted is the reply to a prompt that no script knows.
var unscripted = Script{
	Play: func(t Turn) Reply {
		prompt := firstUser(t.Messages)
		return Reply{
			ReasoningTokens: 60,
			Text: fmt.Sprintf("This is a simulated model. It has no script for this prompt of %d tokens, so it has nothing to say "+
				"about it, but it says so at the pace of %s at %s effort.", Tokens(prompt), t.Model, t.Effort),
		}
	},
}

func firstUser(messages []Message) string {
	for _, m := range messages {
		if m.Role == "user" {
			return strings.TrimSpace(m.Content)
		}
	}
	return ""
}
