package simmodel

import "time"

// Published figures of GPUs, from their makers' data sheets: memory bandwidth in bytes per second, and 8-bit
// floating-point operations per second without sparsity.
const (
	h100Bandwidth, h100FLOPS = 3.35e12, 1979e12 // H100 SXM, 80 GB
	h200Bandwidth, h200FLOPS = 4.8e12, 1979e12  // H200 SXM, 141 GB
	b300Bandwidth, b300FLOPS = 8e12, 4500e12    // B300, 288 GB
)

// Published returns the built-in profiles. Their sizes are published ones; what providers do not publish (efficiency,
// utilisation, overheads, background load, cache behaviour, jitter) is set to plausible values.
//
//	sim-dense-70b       dense, 80 layers, 8 key-value heads of 128, at 8 bit on one H100: at best 3.35 TB/s ÷ 70 GB = 47.9 tokens/s
//	sim-dense-70b-spec  the same with speculative decoding: several tokens a chunk, and faster than that
//	sim-moe-104b        2.8T parameters, 104B active, 4.25 bits (arXiv 2607.24653), on eight B300
//	sim-moe-49b         1.6T parameters, 49B active, 4 and 8 bits mixed (DeepSeek-V4-Pro's model card), on eight H200
//	sim-moe-13b         284B parameters, 13B active, 4 and 8 bits mixed (DeepSeek-V4-Flash's model card), on four H100
//	sim-two-efforts     sim-moe-13b with the two efforts that model has: high and max. Lower ones are taken for high.
func Published() []Profile {
	jitter := Jitter{Sigma: 0.08, Tail: 0.004, TailFactor: 6}
	dense := Profile{
		Name:        "sim-dense-70b",
		TotalParams: 70e9, ActiveParams: 70e9, BytesPerParam: 1, KVBytes: 80 * 2 * 8 * 128,
		GPUs: 1, Bandwidth: h100Bandwidth, Efficiency: 0.75, FLOPS: h100FLOPS, Utilisation: 0.35,
		StepOverhead: time.Millisecond, Overhead: 60 * time.Millisecond,
		Slots: 16, Background: 3, CacheMiss: 0.05, Jitter: jitter,
	}
	spec := dense
	spec.Name = "sim-dense-70b-spec"
	spec.StepOverhead = 5 * time.Millisecond // the draft's own steps
	spec.Draft = Draft{Tokens: 4, Accept: 0.7}
	large := Profile{
		Name:        "sim-moe-104b",
		TotalParams: 2.8e12, ActiveParams: 104e9, BytesPerParam: 4.25 / 8, KVBytes: 24 * (512 + 64) * 2,
		GPUs: 8, Bandwidth: b300Bandwidth, Efficiency: 0.5, FLOPS: b300FLOPS, Utilisation: 0.3,
		StepOverhead: 5 * time.Millisecond, Overhead: 120 * time.Millisecond,
		Slots: 64, Background: 15, CacheMiss: 0.05, Jitter: jitter,
	}
	middle := Profile{
		Name:        "sim-moe-49b",
		TotalParams: 1.6e12, ActiveParams: 49e9, BytesPerParam: 4.5 / 8, KVBytes: 4 << 10,
		GPUs: 8, Bandwidth: h200Bandwidth, Efficiency: 0.5, FLOPS: h200FLOPS, Utilisation: 0.3,
		StepOverhead: 5 * time.Millisecond, Overhead: 100 * time.Millisecond,
		Slots: 64, Background: 15, CacheMiss: 0.05, Jitter: jitter,
	}
	small := Profile{
		Name:        "sim-moe-13b",
		TotalParams: 284e9, ActiveParams: 13e9, BytesPerParam: 4.5 / 8, KVBytes: 3 << 10,
		GPUs: 4, Bandwidth: h100Bandwidth, Efficiency: 0.5, FLOPS: h100FLOPS, Utilisation: 0.3,
		StepOverhead: 4 * time.Millisecond, Overhead: 80 * time.Millisecond,
		Slots: 64, Background: 15, CacheMiss: 0.05, Jitter: jitter,
	}
	two := small
	two.Name = "sim-two-efforts"
	two.Efforts = map[string]float64{"high": 2.4, "max": 6}
	return []Profile{dense, spec, large, middle, small, two}
}
