package traces

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"
)

// Chunks is the series of arrivals of one attempt's response: when each piece of generated output came, of which
// kind it was and how long its text is. A chunk is not a token. The zero value is an empty series; Add allocates
// only to grow.
type Chunks struct {
	List []Chunk // by At
}

// A Chunk is one arrival of generated output.
type Chunk struct {
	At    time.Duration // since the attempt's span began
	Kind  Component     // Reasoning, Output or ToolArgs
	Chars int32         // characters (runes) of the piece; 0 if unknown
}

// Add appends an arrival; at must not be before the last one's.
func (c *Chunks) Add(at time.Duration, kind Component, chars int) {
	if len(c.List) == cap(c.List) {
		c.List = slices.Grow(c.List, max(64, len(c.List))) // twice as many: streams are long
	}
	c.List = append(c.List, Chunk{at, kind, int32(chars)})
}

// StallThreshold returns the gap above which a silence counts as a stall when the user set none: the larger of
// 500 ms and 20 × the median gap between the chunks.
func (c *Chunks) StallThreshold() time.Duration {
	const least, factor = 500 * time.Millisecond, 20
	short := 0 // gaps that would not raise the threshold
	for i := 1; i < len(c.List); i++ {
		if c.List[i].At-c.List[i-1].At <= least/factor {
			short++
		}
	}
	if gaps := len(c.List) - 1; gaps < 1 || short > gaps/2 { // the median is one of them: most streams need no sorting
		return least
	}
	gaps := c.Gaps()
	slices.Sort(gaps)
	return factor * gaps[len(gaps)/2]
}

// Gaps returns the times between neighbouring arrivals, in order; the wait for the first one is not a gap.
func (c *Chunks) Gaps() []time.Duration {
	if len(c.List) < 2 {
		return nil
	}
	gaps := make([]time.Duration, len(c.List)-1)
	for i := range gaps {
		gaps[i] = c.List[i+1].At - c.List[i].At
	}
	return gaps
}

// GapFacts gives the keys and values, in nanoseconds, that sum up the gaps of an attempt: the median and the longest, the 95th
// percentile of 20 or more and the 99th of 100 or more. Percentiles are by nearest rank. Without gaps it gives nothing.
func (c *Chunks) GapFacts(add func(key string, ns int64)) {
	gaps := c.Gaps()
	if len(gaps) == 0 {
		return
	}
	slices.Sort(gaps)
	rank := func(p int) int64 { return int64(gaps[(len(gaps)*p+99)/100-1]) }
	add(KeyChunkGapP50, rank(50))
	if len(gaps) >= 20 {
		add(KeyChunkGapP95, rank(95))
	}
	if len(gaps) >= 100 {
		add(KeyChunkGapP99, rank(99))
	}
	add(KeyChunkGapMax, rank(100))
}

// A Stretch is a phase of an attempt in time since the attempt's span began, before it has a place in a run.
type Stretch struct {
	Component Component
	From, To  time.Duration
}

// Stretches splits an attempt that lasted from its span's start until end into phases that tile it: connect until sent,
// wait until the first chunk, then each interval to the kind of the chunk that ends it (neighbours of one kind merged,
// gaps above threshold cut out as stalls), and tail after the last chunk. threshold 0 means StallThreshold(). Without
// chunks all after sent is the rest: wait for an attempt that is still open, response for a finished one.
func (c *Chunks) Stretches(sent, end, threshold time.Duration, rest Component) []Stretch {
	var out []Stretch
	add := func(kind Component, from, to time.Duration) {
		if to <= from {
			return
		}
		if n := len(out); n > 0 && out[n-1].Component == kind && out[n-1].To == from && kind != Stall {
			out[n-1].To = to
			return
		}
		out = append(out, Stretch{kind, from, to})
	}
	sent = min(max(sent, 0), end)
	add(Connect, 0, sent)
	if len(c.List) == 0 {
		add(rest, sent, end)
		return out
	}
	if threshold <= 0 {
		threshold = c.StallThreshold()
	}
	at := sent
	for i, chunk := range c.List {
		to := min(max(chunk.At, at), end)
		switch {
		case i == 0:
			add(Wait, at, to)
		case to-at > threshold:
			add(Stall, at, to)
		default:
			add(chunk.Kind, at, to)
		}
		at = to
	}
	add(Tail, at, end)
	return out
}

// The encoding is a version byte, then per chunk the time since the one before in ns (uvarint), its kind (a byte) and
// its characters (uvarint).
const chunksVersion = 1

// Encode returns the series in a compact form, about six bytes a chunk.
func (c *Chunks) Encode() []byte {
	b := make([]byte, 1, 1+8*len(c.List))
	b[0] = chunksVersion
	var last time.Duration
	for _, k := range c.List {
		b = binary.AppendUvarint(b, uint64(max(0, k.At-last)))
		b = append(b, chunkKind(k.Kind))
		b = binary.AppendUvarint(b, uint64(max(0, k.Chars)))
		last = max(last, k.At)
	}
	return b
}

func chunkKind(k Component) byte {
	switch k {
	case Reasoning:
		return 'r'
	case ToolArgs:
		return 'a'
	}
	return 'o'
}

var errChunks = errors.New("chunk series is damaged")

// DecodeChunks reads what Encode wrote.
func DecodeChunks(b []byte) (*Chunks, error) {
	if len(b) == 0 || b[0] != chunksVersion {
		return nil, errChunks
	}
	b = b[1:]
	c := &Chunks{List: make([]Chunk, 0, len(b)/5+1)} // with gaps of some milliseconds, a chunk takes five or six bytes
	var at time.Duration
	for len(b) > 0 {
		gap, n := binary.Uvarint(b)
		if n <= 0 || len(b) <= n || gap > uint64(1<<62)-uint64(at) {
			return nil, errChunks
		}
		kind := Output
		switch b[n] {
		case 'r':
			kind = Reasoning
		case 'a':
			kind = ToolArgs
		case 'o':
		default:
			return nil, errChunks
		}
		b = b[n+1:]
		chars, n := binary.Uvarint(b)
		if n <= 0 || chars > 1<<31-1 {
			return nil, errChunks
		}
		b = b[n:]
		at += time.Duration(gap)
		c.Add(at, kind, int(chars))
	}
	return c, nil
}
