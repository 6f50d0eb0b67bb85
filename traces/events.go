package traces

import (
	"cmp"
	"slices"
	"time"
)

// EventPhase is the name of the events by which a model call or an attempt without phase spans tells its phases: from such an event on, until
// the next one or the end, it was in the phase that the event's attribute of the same name tells (KeyPhase; one that is
// unknown or missing: Response). The boundaries are the request having been sent (wait), the start of each block of output
// (reasoning, output, tool_args) and its end (tail). What comes before the first event is connect where that is the request having been sent,
// else wait. KeyQuality is read too.
const EventPhase = "longpole.phase"

// A boundary is where a phase begins.
type boundary struct {
	at      time.Duration // since the start of the run
	phase   Component
	quality Quality
}

// boundaries returns where the events of s say that phases begin, by time. What cannot be is left out and listed; where events were cut off,
// nothing is believed, as it is the first ones that are lost.
func (b *builder) boundaries(s *Span) []boundary {
	if s.Record == nil || len(s.Record.Events) == 0 || s.Record.Dropped.Events > 0 {
		return nil
	}
	var list []boundary
	for _, e := range s.Record.Events {
		if e.Name != EventPhase {
			continue
		}
		at := time.Duration(e.Time-b.run.Start.UnixNano()) + s.Skew
		if inTime(e.Time) == 0 || at < s.Start || at > s.End {
			b.problems.add(BadAttribute, s.ID, "%s event of %q lies outside of its span; left out", e.Attrs.String(KeyPhase), s.Name)
			continue
		}
		list = append(list, boundary{at, ParsePhase(e.Attrs.String(KeyPhase)), Quality(e.Attrs.String(KeyQuality))})
	}
	slices.SortFunc(list, func(x, y boundary) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.phase, y.phase), cmp.Compare(x.quality, y.quality))
	})
	return list
}

// splitAtEvents splits an attempt where its events say so, else where those of the call around it do, as far as they are of its time; false if
// they say nothing.
func (b *builder) splitAtEvents(c *ModelCall, a *Attempt, ofCall []boundary) bool {
	s, whole := a.Span, a.Span // whole: what the last phase lasts to the end of
	list := ofCall
	if s != c.Span {
		if list = b.boundaries(s); len(list) == 0 {
			final := a == c.Final()
			for _, x := range ofCall {
				if c.at(x.at) == a && (final || x.at < s.End) {
					list = append(list, x)
				}
			}
			if final {
				whole = c.Span // the span of an HTTP request may end with the response's headers; the stream goes on in the call's own time
			}
		}
	}
	if len(list) == 0 {
		return false
	}
	add := func(x boundary, to time.Duration) {
		a.insert(s, x.phase, max(x.at, s.Start), min(to, s.End), x.quality)
		if whole != s {
			a.insert(whole, x.phase, max(x.at, s.End), to, x.quality)
		}
	}
	lead := boundary{at: a.Sent, phase: Wait}
	if a.Sent > s.Start {
		add(boundary{at: s.Start, phase: Connect}, min(a.Sent, list[0].at))
	} else if list[0].phase == Wait {
		lead.phase = Connect
	}
	add(lead, list[0].at)
	for i, x := range list {
		to := max(s.End, whole.End)
		if i+1 < len(list) {
			to = list[i+1].at
		}
		add(x, to)
	}
	return true
}
