package otlp

import (
	"bytes"

	"github.com/seed46266073/longpole/traces"
)

// A preamble is what stands before the spans of a document that holds those of one resource and scope, and what it says. The next
// line of a file mostly has the same one, and need not be read to know what it says.
type preamble struct {
	text     []byte // from the document's beginning to before the list of spans
	resource *traces.Resource
	scope    string
}

const (
	preambleBegins = `{"resourceSpans":[`
	afterSpans     = `}]}]}` // the scope's spans, the resource's, the document
	spansDepth     = 5
)

// A beginning is where a document began, and what had been found before it.
type beginning struct {
	at, depth                   int
	records, problems, nameless int
	documents, signals, others  int
}

func (r *reader) beginning() beginning {
	return beginning{r.in.at, r.in.depth, len(r.records), len(r.problems), r.nameless.count, r.documents, r.signals.count, r.others.count}
}

// keepPreamble remembers what the cursor has passed in the document, if that is a preamble and nothing else.
func (r *reader) keepPreamble(resource *traces.Resource, scope string) {
	began, now := r.began, r.beginning()
	text := r.in.text[began.at:now.at]
	began.at, began.depth = now.at, began.depth+spansDepth
	if began == now && bytes.HasPrefix(text, []byte(preambleBegins)) {
		r.preamble = preamble{bytes.Clone(text), resource, scope}
	}
}

// samePreamble reads a document that has the preamble kept and, behind its spans, nothing else. Of any other it reads nothing, and reports
// false.
func (r *reader) samePreamble() bool {
	c, e := &r.in, r.preamble
	if e.text == nil || c.depth+spansDepth > maxDepth || !bytes.HasPrefix(c.text[c.at:], e.text) {
		return false
	}
	before, first := *r, len(r.records)
	c.at += len(e.text)
	c.depth += spansDepth
	if c.peek() == '[' {
		for range c.array {
			r.span()
		}
		for i := range r.records[first:] {
			r.records[first+i].Resource, r.records[first+i].Scope = e.resource, e.scope
		}
		if c.err != nil || c.pass(afterSpans) {
			c.depth -= spansDepth
			r.documents++
			return true
		}
	}
	*r = before
	return false
}
