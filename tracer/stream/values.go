package stream

// values cuts a body into the JSON objects at its top level, or into those of one array there. What lies between them
// is skipped. An object is complete, and timed, at its closing brace. The zero value is ready.
type values struct {
	damaged int  // objects that were dropped: larger than maxWhole, or with a line end inside a string
	array   bool // there is an array around the objects,
	closed  bool // and it has ended

	object  []byte // start of an object whose end has not arrived
	depth   int
	text    bool // inside a string
	escaped bool // after a backslash there
	tooBig  bool
}

// maxWhole bounds what is kept of one object; counts and ids of a larger one are lost.
const maxWhole = 32 << 20

// feed takes the next bytes and calls emit for each object that they complete; the slice is valid only during the call.
func (v *values) feed(p []byte, emit func(object []byte)) {
	start := 0 // in p, of the object that is open
	for i, b := range p {
		if v.closed {
			return
		}
		switch {
		case v.escaped:
			v.escaped = false
		case v.text:
			switch b {
			case '\\':
				v.escaped = true
			case '"':
				v.text = false
			case '\n': // no string has one: the line was cut, and the next one is whole
				v.damaged++
				v.drop()
			}
		case v.depth == 0 && b != '{':
			v.array = v.array || b == '['
			v.closed = v.closed || v.array && b == ']'
		case b == '"':
			v.text = true
		case b == '{' || b == '[':
			if v.depth == 0 {
				start = i
			}
			v.depth++
		case b == '}' || b == ']':
			v.depth--
			if v.depth == 0 {
				v.complete(p[start:i+1], emit)
				start = i + 1
			}
		}
	}
	if v.depth > 0 {
		v.keep(p[start:])
	}
}

// complete emits the object that ends with last.
func (v *values) complete(last []byte, emit func(object []byte)) {
	object := last
	if len(v.object) > 0 {
		v.keep(last)
		object = v.object
	}
	if v.tooBig {
		v.damaged++
	} else {
		emit(object)
	}
	v.drop()
}

func (v *values) keep(p []byte) {
	if v.tooBig = v.tooBig || len(v.object)+len(p) > maxWhole; !v.tooBig {
		v.object = append(v.object, p...)
	}
}

func (v *values) drop() {
	v.object, v.depth, v.text, v.escaped, v.tooBig = v.object[:0], 0, false, false, false
}

// rest returns the object that the body left open.
func (v *values) rest() []byte {
	if v.tooBig {
		return nil
	}
	return v.object
}
