package session

import (
	"slices"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/stream"
)

// An index finds the call of an open run that a request goes on with, or asks for again.
type index struct {
	asked     map[string][]*call // by the ids of the tool calls that were asked for
	responses map[string][]*call // by the response's id
	messages  map[uint64][]*call // by the hash of all messages of the request
	threads   map[string][]*call // by the thread that the request names
}

func newIndex() index {
	return index{map[string][]*call{}, map[string][]*call{}, map[uint64][]*call{}, map[string][]*call{}}
}

// add takes what a request says.
func (ix *index) add(c *call) {
	if c.key != 0 {
		addOnce(ix.messages, c.key, c)
		c.keys = append(c.keys, c.key)
	}
	if thread := c.request.Thread; thread != "" {
		addOnce(ix.threads, thread, c)
	}
}

// minted takes the ids that the server gave in the call's answer.
func (ix *index) minted(c *call, r *stream.Result) {
	for i := range r.ToolCalls {
		if id := r.ToolCalls[i].ID; id != "" {
			addOnce(ix.asked, id, c)
			c.indexed = append(c.indexed, id)
		}
	}
	ix.answered(c, r.ID)
}

func (ix *index) answered(c *call, id string) {
	if id != "" {
		addOnce(ix.responses, id, c)
		c.indexed = append(c.indexed, id)
	}
}

// alias takes a request that only warms up the server: what goes on with it goes on with what it goes on with.
func (ix *index) alias(x *proxy.Exchange) {
	if c := ix.find(x); c != nil {
		ix.answered(c, resultOf(x).ID)
	}
}

// remove forgets a call.
func (ix *index) remove(c *call) {
	for _, id := range c.indexed {
		removeFrom(ix.asked, id, c)
		removeFrom(ix.responses, id, c)
	}
	for _, key := range c.keys {
		removeFrom(ix.messages, key, c)
	}
	removeFrom(ix.threads, c.request.Thread, c)
}

func addOnce[K comparable](m map[K][]*call, key K, c *call) {
	if !slices.Contains(m[key], c) {
		m[key] = append(m[key], c)
	}
}

func removeFrom[K comparable](m map[K][]*call, key K, c *call) {
	list, ok := m[key]
	if !ok {
		return
	}
	if list = slices.DeleteFunc(list, func(o *call) bool { return o == c }); len(list) == 0 {
		delete(m, key)
	} else {
		m[key] = list
	}
}

// find returns the call that x goes on with or asks for again, nil if x begins a conversation. The strongest sign comes first: the
// newest id of a tool call, the response it names, the longest run of messages in common, the thread.
func (ix *index) find(x *proxy.Exchange) *call {
	r := &x.Request
	for _, ids := range [][]string{r.Fresh, r.Calls} {
		for _, id := range slices.Backward(ids) {
			if c := best(ix.asked[id], x, id); c != nil {
				return c
			}
		}
	}
	if r.PreviousID != "" {
		if c := best(ix.responses[r.PreviousID], x, ""); c != nil {
			return c
		}
	}
	for i, key := range slices.Backward(r.Prefix) {
		list := ix.messages[key]
		if i == len(r.Prefix)-1 { // the same messages are another's, unless they are asked for again
			list = slices.DeleteFunc(slices.Clone(list), func(c *call) bool { return !c.askedAgain(x) })
		}
		if c := best(list, x, ""); c != nil {
			return c
		}
	}
	if r.Thread == "" || isPlain(r) {
		return nil
	}
	return best(ix.threads[r.Thread], x, "")
}

// best returns the likeliest of calls that all fit: on the same connection, waiting for the result of the tool call, answered, not
// gone on from yet, and then the one that has waited longest.
func best(list []*call, x *proxy.Exchange, id string) *call {
	var found *call
	var top []int
	for _, c := range list {
		if !c.fits(x) {
			continue
		}
		rank := c.rank(x, id)
		if d := slices.Compare(rank, top); found == nil || d > 0 || d == 0 && c.end().Before(found.end()) {
			found, top = c, rank
		}
	}
	return found
}

// fits reports whether nothing that x says of itself contradicts that it is of the call's conversation.
func (c *call) fits(x *proxy.Exchange) bool {
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	r := &x.Request
	return same(r.Session, c.request.Session) && same(r.Thread, c.request.Thread) && r.Agent == c.request.Agent
}

// rank says how likely the call is, the strongest reason first.
func (c *call) rank(x *proxy.Exchange, id string) []int {
	score := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	waits := slices.ContainsFunc(c.tools, func(t *tool) bool { return t.id == id && t.isOpen() })
	return []int{score(x.Conn != 0 && x.Conn == c.conn), score(waits), score(!c.isOpen()), score(c.conv.last == c)}
}

// isPlain reports whether a request could be a side call: it offers no tools, and goes on with nothing.
func isPlain(r *stream.Request) bool {
	return r.Tools == 0 && r.PreviousID == "" && r.Agent == "" && len(r.Calls) == 0 && len(r.Results) == 0
}
