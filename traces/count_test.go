package traces_test

import (
	"testing"

	"github.com/seed46266073/longpole/traces"
)

func TestFormatCount(t *testing.T) {
	for _, test := range []struct {
		n    int
		noun string
		want string
	}{
		{0, "run", "0 runs"},
		{1, "run", "1 run"},
		{1, "retry", "1 retry"},
		{2, "retry", "2 retries"},
		{999, "run", "999 runs"},
		{1_000, "run", "1,000 runs"},
		{1_234_567, "span", "1,234,567 spans"},
		{-12_345, "run", "-12,345 runs"},
		{-123, "run", "-123 runs"},
	} {
		if got := traces.FormatCount(test.n, test.noun); got != test.want {
			t.Errorf("FormatCount(%d, %q) = %q, want %q", test.n, test.noun, got, test.want)
		}
	}
}
