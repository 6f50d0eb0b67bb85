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

	opened bool // a tag was passed
	prefix bool // the awaited tag is a closing one whose opening one was part of the prompt
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
	if t.state == inside || t.prefix {
		return closeTag
	}
	return openTag
}

// await notes the byte after the first one of a tag: it tells an opening tag from a closing one. A reply that closes what it did
// not open began inside, as templates of prompts make it; that is believed only where the mode is on.
func (t *thinking) await(b byte) {
	if t.held == 1 && t.mode == ThinkOn && t.state != inside && !t.opened {
		t.prefix = b == '/'
	}
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
		t.await(b)
		if t.held > 0 && b != t.awaited()[t.held] {
			held := t.awaited()[:t.held]
			t.held, t.prefix, plain = 0, false, i
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

// passTag changes sides at a complete tag. Generating the tags themselves is part of the reasoning. A tag that opens the reply
// claims the white space before it, a closing one that was not opened all the text.
func (d *decoder) passTag() {
	t := &d.think
	t.held = 0
	switch {
	case t.prefix:
		d.claim(true)
		t.state = outside
	case t.state == inside:
		t.state = outside
	default:
		if t.state == replyStart {
			d.claim(false)
		}
		t.state = inside
	}
	d.now[reasoning].seen = true
	t.opened, t.prefix = true, false
}

// claim makes reasoning of all output so far, of its text only if it is one.
func (d *decoder) claim(text bool) {
	r := &d.result
	for i := range r.Chunks.List {
		if c := &r.Chunks.List[i]; c.Kind == traces.Output {
			c.Kind = traces.Reasoning
			if !text {
				c.Chars = 0
			}
		}
	}
	if text {
		r.ReasoningChars += r.OutputChars
		d.now[reasoning].chars += d.now[output].chars
		d.reasoningText = append(d.reasoningText, d.visibleText...)
	}
	r.OutputChars = 0
	d.now[output] = piece{}
	d.visibleText = d.visibleText[:0]
}
