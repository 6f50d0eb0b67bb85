package pace

import (
	"math"
	"time"
)

// How fast people read: adults read English non-fiction silently at 238 words a minute on average, most of them at 175 to 300
// (M. Brysbaert, "How many words do we read per minute? A review and meta-analysis of reading rate", Journal of Memory and
// Language 109, 2019, 104047, from 190 studies). A word with the space and punctuation behind it is taken for 6 characters, and, by
// the usual rule of thumb for English text, 0.75 words for a token.
const (
	ReadingWordsPerSecond  = 238.0 / 60
	ReadingCharsPerSecond  = ReadingWordsPerSecond * 6
	ReadingTokensPerSecond = ReadingWordsPerSecond / 0.75
)

// Chain returns how long an agent waits for the output of calls that follow each other, each of so many tokens, at an output
// rate: 5 calls of 600 tokens take 75 s at 40 tokens per second and 25 s at 120, before any wait, tool or retry. It is
// the longest duration there is for a rate of 0.
func Chain(calls, tokens, tokensPerSecond float64) time.Duration {
	ns := math.Round(calls * tokens / tokensPerSecond * 1e9)
	if math.IsNaN(ns) || ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}
