package ceiling

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseParams reads a number of parameters: "13e9", "13b", "1.6T". No language model has less than a hundred thousand: "70" alone is refused.
func ParseParams(text string) (float64, error) {
	n, ok := scaled(text, map[string]float64{"": 1, "k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12})
	if !ok || n < 1e5 {
		return 0, fmt.Errorf("%q: want a number of parameters, as 13e9 or 13b", text)
	}
	return n, nil
}

// ParseBytesPerParam reads how many bytes a stored weight takes: a number, or the name of a number format. The formats of
// 4 bits with shared scales (mxfp4, nvfp4) count the scales: 32 weights a byte of scale, and 16.
func ParseBytesPerParam(text string) (float64, error) {
	formats := map[string]float64{
		"fp32": 4, "f32": 4, "bf16": 2, "fp16": 2, "f16": 2, "fp8": 1, "int8": 1, "fp6": 0.75,
		"int4": 0.5, "fp4": 0.5, "mxfp4": 0.5 + 1.0/32, "nvfp4": 0.5 + 1.0/16,
	}
	if n, ok := formats[strings.ToLower(text)]; ok {
		return n, nil
	}
	n, ok := scaled(text, map[string]float64{"": 1})
	if !ok || n < 1.0/32 || n > 16 {
		return 0, fmt.Errorf("%q: want bytes per parameter as a number, or fp32, bf16, fp16, fp8, int8, fp6, int4, fp4, mxfp4, nvfp4", text)
	}
	return n, nil
}

// ParseKVBytes reads the bytes of key-value cache that a token of context takes: "163840", "164KB", "160KiB".
func ParseKVBytes(text string) (float64, error) {
	n, ok := scaled(text, map[string]float64{"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "kib": 1 << 10, "mib": 1 << 20})
	if !ok {
		return 0, fmt.Errorf("%q: want bytes per token of context, as 163840 or 160KiB", text)
	}
	return n, nil
}

func parseBandwidth(text string) (float64, error) {
	n, ok := scaled(text, map[string]float64{"": 1, "gb/s": 1e9, "tb/s": 1e12, "gib/s": 1 << 30, "tib/s": 1 << 40})
	if !ok || n < 1e6 {
		return 0, fmt.Errorf("bandwidth=%s: want bytes per second, as 3.35TB/s or 864GB/s", text)
	}
	return n, nil
}

// scaled reads a number above 0 with one of the units behind it.
func scaled(text string, units map[string]float64) (float64, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz/")
	factor, known := units[text[len(number):]]
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if n *= factor; !known || err != nil || n <= 0 || n > 1e18 || strings.ContainsAny(number, "xXpP_") {
		return 0, false
	}
	return n, true
}
