package proxy

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
)

// rawFrame returns a frame as it is on the wire: head is its first byte.
func rawFrame(head byte, payload string, mask bool) []byte {
	f := []byte{head}
	switch n := len(payload); {
	case n < 126:
		f = append(f, byte(n))
	case n < 1<<16:
		f = binary.BigEndian.AppendUint16(append(f, 126), uint16(n))
	default:
		f = binary.BigEndian.AppendUint64(append(f, 127), uint64(n))
	}
	if !mask {
		return append(f, payload...)
	}
	key := [4]byte{0xa5, 0x01, 0xff, 0x10}
	f[1] |= 0x80
	f = append(f, key[:]...)
	for i := range len(payload) {
		f = append(f, payload[i]^key[i%4])
	}
	return f
}

func TestFrames(t *testing.T) {
	long := string(bytes.Repeat([]byte("long "), 30_000))
	for _, test := range []struct {
		name       string
		wire       [][]byte
		want       []string
		unreadable bool
	}{
		{"a text message", [][]byte{rawFrame(0x81, "hello", false)}, []string{"hello"}, false},
		{"a masked one", [][]byte{rawFrame(0x81, "hello, world", true)}, []string{"hello, world"}, false},
		{"lengths of two and of eight bytes", [][]byte{rawFrame(0x81, long[:200], true), rawFrame(0x81, long, true)}, []string{long[:200], long}, false},
		{"an empty one", [][]byte{rawFrame(0x81, "", true), rawFrame(0x81, "a", true)}, []string{"", "a"}, false},
		{"fragments, with a ping between them",
			[][]byte{rawFrame(0x01, "hel", true), rawFrame(0x89, "ping", true), rawFrame(0x00, "l", true), rawFrame(0x80, "o", true)}, []string{"hello"}, false},
		{"binary messages are passed over", [][]byte{rawFrame(0x02, "a", true), rawFrame(0x80, "b", true), rawFrame(0x81, "c", true)}, []string{"c"}, false},
		{"a close ends nothing here", [][]byte{rawFrame(0x88, "\x03\xe8", true)}, nil, false},
		{"what is compressed cannot be read", [][]byte{rawFrame(0x81, "a", true), rawFrame(0xc1, "b", true), rawFrame(0x81, "c", true)}, []string{"a"}, true},
		{"a length that is none", [][]byte{{0x81, 127, 0xff, 0, 0, 0, 0, 0, 0, 0}}, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			wire := bytes.Join(test.wire, nil)
			for _, size := range []int{1, 2, 3, 7, 1000, len(wire)} {
				var f frames
				var got []string
				for part := range slices.Chunk(wire, size) {
					f.feed(part, func(message []byte) { got = append(got, string(message)) })
				}
				if !slices.Equal(got, test.want) || f.unreadable != test.unreadable {
					t.Errorf("in parts of %d: %d messages, unreadable %v", size, len(got), f.unreadable)
				}
			}
		})
	}
}

// Whatever comes, cutting it differently gives the same messages, and nothing panics.
func FuzzFrames(f *testing.F) {
	f.Add(append(rawFrame(0x01, "hel", true), rawFrame(0x80, "lo", true)...), 3)
	f.Add(rawFrame(0x81, "hello", false), 1)
	f.Fuzz(func(t *testing.T, wire []byte, size int) {
		read := func(size int) (got []string) {
			var f frames
			for part := range slices.Chunk(wire, size) {
				f.feed(part, func(message []byte) { got = append(got, string(message)) })
			}
			return got
		}
		if whole, cut := read(len(wire)+1), read(max(1, min(size, 1000))); !slices.Equal(whole, cut) {
			t.Errorf("whole %q, cut %q", whole, cut)
		}
	})
}
