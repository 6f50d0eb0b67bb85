package stream

import (
	"cmp"
	"net/http"
	"strings"
)

// sessionHeaders name the session of an agent: codex, pi, opencode and others like it, Claude Code.
var sessionHeaders = []string{"Session-Id", "Session_id", "X-Session-Id", "X-Claude-Code-Session-Id", "X-Session-Affinity"}

// headers takes the ids that agents send in headers.
func (r *Request) headers(h http.Header) {
	for _, name := range sessionHeaders {
		r.Session = cmp.Or(r.Session, id(h.Get(name)))
	}
	r.Thread = cmp.Or(id(h.Get("Thread-Id")), id(h.Get("Thread_id")))
	r.Agent = cmp.Or(id(h.Get("X-Openai-Subagent")), id(h.Get("X-Claude-Code-Agent-Id")))
	if turn := h.Get("X-Codex-Turn-Metadata"); turn != "" {
		r.metadata(&cursor{b: []byte(turn)})
	}
}

// maxID is the longest text that is taken for an id.
const maxID = 256

func id(s string) string {
	if len(s) > maxID {
		return ""
	}
	return s
}

// ids takes a field of the body if it is an id of something, or skips it. What comes first in the order of trust is kept: headers,
// ids that are called a session's, then the key of the provider's cache, which need not be one.
func (r *Request) ids(key []byte, c *cursor) {
	switch string(key) {
	case "previous_response_id":
		r.PreviousID = id(c.string())
	case "thread": // of Anthropic: the server keeps the messages
		if previous := c.field("previous_message_id"); len(previous) > 0 {
			r.PreviousID = id(string(previous))
		}
	case "conversation":
		if c.peek() == '{' {
			r.Thread = cmp.Or(r.Thread, id(string(c.field("id"))))
		} else {
			r.Thread = cmp.Or(r.Thread, id(c.string()))
		}
	case "metadata", "client_metadata":
		r.metadata(c)
	case "session_id":
		r.session(c.string())
	case "prompt_cache_key":
		r.cacheKey = id(c.string())
	default:
		c.skip()
	}
}

func (r *Request) session(s string) { r.Session = cmp.Or(r.Session, id(s)) }

// metadata takes the ids of an object of them. Claude Code puts its session into the user's id, as a part or as an object
// in a string; the rest of that id says who the user is and is not kept.
func (r *Request) metadata(c *cursor) {
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			return
		}
		switch string(key) {
		case "session_id":
			r.session(c.string())
		case "thread_id":
			r.Thread = cmp.Or(r.Thread, id(c.string()))
		case "user_id":
			user := c.string()
			if strings.HasPrefix(user, "{") {
				user = string((&cursor{b: []byte(user)}).field("session_id"))
			} else {
				_, user, _ = strings.Cut(user, "_session_")
			}
			r.session(user)
		default:
			c.skip()
		}
	}
}
