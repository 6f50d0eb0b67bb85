// Package whatif says how long a run would have taken, had some of it been faster, slower, or not there at all.
package whatif
