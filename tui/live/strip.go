package live

import (
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces/activity"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
)

// lately is the time that a strip shows.
const lately = time.Minute

// drawStrip draws what the run waited for in the last minute, which ends at the right. All strips have one clock: that of this machine.
func (m *Model) drawStrip(l *cell.Line, r row, cells int) {
	end := r.Doing.Present(m.now).Sub(r.Run.Start)
	axis := bar.Axis{From: end - r.Doing.Scaled(lately), To: end, Cells: cells}
	raster := bar.New(cells)
	segments := r.Run.Path.Segments
	first, _ := slices.BinarySearchFunc(segments, axis.From, func(s critpath.Segment, at time.Duration) int {
		if s.To <= at {
			return -1
		}
		return 1
	})
	for i := first; i < len(segments); i++ {
		s := &segments[i]
		axis.Stretch(raster, s.From, s.To, bar.Of(s.Component, r.rank != ended))
	}
	if s := &r.state; s.Kind != activity.Ended && s.Kind != activity.Lost { // what has gone on since the run was read
		axis.Stretch(raster, r.Run.Wall, end, bar.Of(s.Kind.Component(), true))
	}
	bar.Draw(l, m.theme, raster)
}
