package critpath

import "time"

// Way returns how long the run takes if the parts take the given lengths, and the parts on the longest way through it, by index, the
// last one first: what Play and Find would say, of a run that need not be built. Their lengths add up to wall, but for gaps that
// belong to no part. Where two ways are equally long, it may be another than Find's. It takes linear time, and less than Play.
func (r *Replay) Way(lengths []time.Duration) (wall time.Duration, parts []int32) {
	if r.net == nil {
		return 0, nil
	}
	at := r.net.play(lengths)
	start, k := r.net.start[0], r.net.end[0]
	wall = at[k] - at[start]
	for k > start {
		i := &r.net.instants[k]
		for n := i.part + i.parts - 1; n >= i.part; n-- {
			parts = append(parts, n)
		}
		if k = i.a; at[i.b] > at[i.a] {
			k = i.b
		}
	}
	return wall, parts
}
