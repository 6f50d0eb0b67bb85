// Package ceiling says how fast a language model can write at best, so that figures above that are noticed.
//
// In go a model (how many bytes it is) and a machine (how many bytes its memory gives a second), out come the highest rates that
// any software can reach there, and for a figure above one of them the conditions that would explain it. The argument is the
// roofline of decoding (R. Pope et al., "Efficiently Scaling Transformer Inference", 2022, arXiv 2211.05102, section 2): to
// write one token, every weight that takes part in it is read from memory once, and the stream's own key-value cache once;
// streams that are decoded together share the reading of the weights, not that of their caches.
//
//	bytes a step = weights touched × bytes per parameter + batch × context × KV bytes per token
//	rate of each stream <= bandwidth × devices ÷ bytes a step
//
// Bandwidths are peaks, and nothing else a step needs is counted, so it always holds that a server without speculative
// decoding stays below. What is reached is usually a half to three quarters of it.
package ceiling

import "math"

// A Model is what decides how many bytes a token takes.
type Model struct {
	Active        float64 // parameters that take part in one token
	Total         float64 // parameters of a mixture of experts; 0: not known, or dense
	BytesPerParam float64 // of the weights as stored
	KVBytes       float64 // bytes of key-value cache per token of context; 0: not known, reading the cache is left out
}

// StepBytes returns how many bytes are read at least to write one token for each of batch streams whose contexts hold context tokens each.
// Of a mixture of experts, streams that are decoded together touch more weights than one, as if each token chose its experts
// by chance; where Total is not known, as many as one.
func (m Model) StepBytes(batch int, context float64) float64 {
	weights := m.Active
	if batch > 1 && m.Total > m.Active {
		weights = m.Total * (1 - math.Pow(1-m.Active/m.Total, float64(batch)))
	}
	return weights*m.BytesPerParam + float64(batch)*context*m.KVBytes
}

// A Setup is a model on a machine.
type Setup struct {
	Model    Model
	Hardware Hardware
}

// Lacks returns how many bytes of the weights, idle experts included, find no room in the memory of all devices; 0 where they do or the memory
// is not known.
func (s Setup) Lacks() float64 {
	if s.Hardware.Memory == 0 {
		return 0
	}
	return max(0, max(s.Model.Active, s.Model.Total)*s.Model.BytesPerParam-s.Hardware.Memory*float64(s.Hardware.Count))
}

// Rate returns the most output tokens per second that each of batch streams can get, 1 for a single stream.
func (s Setup) Rate(batch int, context float64) float64 {
	return s.Hardware.Total() / s.Model.StepBytes(batch, context)
}

// Aggregate returns the most output tokens per second that all of batch streams can get together.
func (s Setup) Aggregate(batch int, context float64) float64 {
	return float64(batch) * s.Rate(batch, context)
}
