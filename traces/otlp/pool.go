package otlp

import (
	"hash/maphash"
	"sync"
)

// A pool gives repeated short strings one copy, since the keys, names, models and trace ids of a file are few and
// come often. It is a cache of fixed size: a newcomer takes the place of what was there, so it never grows and a
// file of unique strings costs only the misses. The strings are kept boxed, as attribute values need them.
type pool struct {
	seed maphash.Seed
	slot [2048]any
}

// poolLongest is the longest string, in bytes, that is looked up.
const poolLongest = 64

// pools are those that are not in use. Readers of other texts go on with them, for they use the same words.
var pools = sync.Pool{New: func() any { return &pool{seed: maphash.MakeSeed()} }}

func newPool() *pool { return pools.Get().(*pool) }

func (p *pool) release() { pools.Put(p) }

// value returns text as a boxed string.
func (p *pool) value(text []byte) any {
	if len(text) > poolLongest {
		return string(text)
	}
	slot := &p.slot[maphash.Bytes(p.seed, text)%uint64(len(p.slot))]
	if s, ok := (*slot).(string); !ok || s != string(text) {
		*slot = string(text)
	}
	return *slot
}

// string returns text as a string.
func (p *pool) string(text []byte) string { return p.value(text).(string) }
