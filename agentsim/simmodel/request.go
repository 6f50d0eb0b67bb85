package simmodel

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
)

// A request is what the APIs' requests for output have in common.
type request struct {
	model    string
	stream   bool
	effort   string // "": the default
	seed     int64
	limit    int       // most tokens wanted; 0: no limit
	messages []Message // the whole conversation, with what the server kept of it
	tools    []Tool
	toolText json.RawMessage // the tools as they came
	schema   json.RawMessage // JSON Schema that the answer must fit; nil: none
	hidden   bool            // reasoning is not to be shown

	idPrefix, callPrefix string // of the ids that the API gives to responses and calls; no idPrefix: no id
	wholeCalls           bool   // calls come in one piece

	answer func(g *generation, w http.ResponseWriter) output
}

// check fills in defaults and says what is wrong with the request, if anything.
func (r *request) check() error {
	if len(r.messages) == 0 {
		return badRequest("", "the conversation is empty; send at least one message")
	}
	r.effort = cmp.Or(r.effort, defaultEffort)
	return nil
}

// key returns what is the same in all attempts of a request, though clients put clocks and ids of attempts into bodies: what
// is asked, and what was said.
func (r *request) key() (sum [sha256.Size]byte) {
	h := sha256.New()
	put := func(list ...string) {
		for _, s := range list {
			fmt.Fprintf(h, "%d:%s", len(s), s)
		}
	}
	put(r.model, r.effort, strconv.FormatInt(r.seed, 10), string(r.toolText))
	for _, m := range r.messages {
		put(m.Role, m.Content, m.ToolCallID)
		for _, c := range m.Calls {
			put(c.ID, c.Name, c.arguments())
		}
	}
	h.Sum(sum[:0])
	return sum
}

// turn returns the number of turns that the model has had: what the ids of its calls say, since clients rewrite
// histories, and one for each run of assistant messages after that.
func turn(messages []Message) int {
	turns := 0
	for i, m := range messages {
		if m.Role == "assistant" && (i == 0 || messages[i-1].Role != "assistant") {
			turns++
		}
		for _, c := range m.Calls {
			if n, ok := mintedIn(c.ID); ok {
				turns = n + 1
			}
		}
		if n, ok := mintedIn(m.ToolCallID); ok {
			turns = n + 1
		}
	}
	return turns
}

// mint returns the id of a call, which names the turn that made it.
func mint(prefix string, turn int, r *rand.Rand) string {
	return fmt.Sprintf("%s%012x_%d", prefix, r.Uint64()>>16, turn)
}

// mintedIn returns the turn that made the call with this id; ok is false for an id that is not one of ours.
func mintedIn(id string) (turn int, ok bool) {
	head, tail, ok := cutLast(id, "_")
	if !ok || len(head) < 12 || len(tail) > 6 {
		return 0, false
	}
	if _, err := strconv.ParseUint(head[len(head)-12:], 16, 64); err != nil {
		return 0, false
	}
	turn, err := strconv.Atoi(tail)
	return turn, err == nil && turn >= 0
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

const (
	framingTokens = 4  // around each message
	cacheBlock    = 16 // tokens; only whole blocks are cached
)

// promptTokens counts the prompt, and the part of it that the server has seen before: all up to the last assistant message.
func (r *request) promptTokens() (prompt, seen int) {
	prompt = Tokens(string(r.toolText))
	for _, m := range r.messages {
		prompt += framingTokens + Reply{Text: m.Content, Calls: m.Calls}.Tokens()
		if m.Role == "assistant" {
			seen = prompt
		}
	}
	return prompt, seen / cacheBlock * cacheBlock
}

// aside reports whether the request is for something beside the task, as a title: it comes with instructions or wraps
// its prompt, which is bare otherwise, and offers no tools.
func (r *request) aside(bare bool) bool {
	if len(r.tools) > 0 {
		return false
	}
	for _, m := range r.messages {
		if m.Role == "system" || m.Role == "developer" {
			return true
		}
	}
	return !bare
}

// content is a message's text: a string, null, or the text of a list of parts; any other value is its own JSON text.
type content string

func (c *content) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"', 'n':
		return json.Unmarshal(b, (*string)(c))
	case '[':
	default:
		*c = content(b)
		return nil
	}
	var parts []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	var s strings.Builder
	for _, p := range parts {
		s.WriteString(p.Text)
		s.WriteString(p.Refusal)
	}
	*c = content(s.String())
	return nil
}
