package traces

import "strconv"

// FormatNumber returns n with commas between thousands: "12,345".
func FormatNumber(n int64) string {
	digits := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(digits) - 3; i > first; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// FormatCount returns a number of things in words: "1 run", "12 runs", "1,234 runs", "2 retries".
func FormatCount(n int, noun string) string {
	switch {
	case n == 1:
	case noun == "retry":
		noun = "retries"
	default:
		noun += "s"
	}
	return FormatNumber(int64(n)) + " " + noun
}
