package critpath

import (
	"slices"
	"time"
)

// slack returns the slack of every span, unknown where it cannot be told.
func slack(t *tree) []time.Duration {
	return slices.Repeat([]time.Duration{unknown}, len(t.nodes))
}
