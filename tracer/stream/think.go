package stream

import "github.com/seed46266073/longpole/traces"

// ThinkTags says whether text between <think> and </think> is reasoning. Servers without a reasoning parser leave the
// tags in the text.
type ThinkTags uint8

// The choices. Auto takes the tag seriously only where the reply opens with it.
const (
	ThinkAuto ThinkTags = iota
	ThinkOn
	ThinkOff
)

var openTag, closeTag = []byte("<think>"), []byte("</think>")

// A thinking follows the tags, which may be cut anywhere. Bytes that may yet turn out to be a tag are held: they are an
// arrival of the kind before the tag, and their characters are counted once it is known that they are text.
type thinking struct {
	mode  ThinkTags
	state thinkState
	held  int // bytes of the awaited tag that have come
}

type thinkState uint8

const (
	replyStart thinkState = iota // nothing but white space yet
	inside
	outside
)

// settled reports that no tag can come any more: all text is visible.
func (t *thinking) settled() bool {
	return t.mode == ThinkOff || t.mode == ThinkAuto && t.state == outside
}

func (t *thinking) awaited() []byte {
	if t.state == inside {
		return closeTag
	}
	return openTag
}

func (t *thinking) kind() int {
	if t.state == inside {
		return reasoning
	}
	return output
}

// tagged adds visible text in which tags may be.
func (d *decoder) tagged(text []byte) {
	t := &d.think
	plain := 0 // where the run of text that is no tag begins
	for i, b := range text {
		if t.held > 0 && b != t.awaited()[t.held] {
			held := t.awaited()[:t.held]
			t.held, plain = 0, i
			if t.state == replyStart {
				t.state = outside
			}
			d.text(t.kind(), held)
		}
		if t.settled() {
			break
		}
		if b == t.awaited()[t.held] {
			if t.held == 0 {
				d.text(t.kind(), text[plain:i])
			}
			t.held++
			plain = i + 1
			if t.held == len(t.awaited()) {
				d.passTag()
			}
			continue
		}
		if t.state == replyStart && b != ' ' && b != '\n' && b != '\t' && b != '\r' {
			t.state = outside
		}
	}
	d.text(t.kind(), text[plain:])
	if t.held > 0 {
		d.now[t.kind()].seen = true
	}
}

// passTag changes sides at a complete tag. Generating the tags themselves is part of the reasoning; a tag that opens the reply claims what
// came before it.
func (d *decoder) passTag() {
	t := &d.think
	t.held = 0
	d.now[reasoning].seen = true
	switch t.state {
	case inside:
		t.state = outside
		return
	case replyStart:
		for i := range d.result.Chunks.List {
			if c := &d.result.Chunks.List[i]; c.Kind == traces.Output {
				c.Kind, c.Chars = traces.Reasoning, 0
			}
		}
		d.result.OutputChars = 0
		d.now[output] = piece{}
		d.visibleText = d.visibleText[:0]
	}
	t.state = inside
}
