package tracetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// String draws a run as Parse reads it, one column a millisecond, times rounded down. It shows the shape (times, roles, failures,
// phases), not every attribute.
func String(run *traces.Run) string {
	width := 0
	rows := rowsOf(run)
	for _, r := range rows {
		width = max(width, len(r.label))
	}
	before := time.Duration(0) // what lies before the root
	for _, r := range rows {
		before = min(before, r.span.Start)
	}
	var b strings.Builder
	for _, r := range rows {
		line := fmt.Sprintf("%-*s %s%s", width, r.label, strings.Repeat(" ", column(r.span.Start)-column(before)), barOf(r.span))
		if notes := notesOf(r.span); notes != "" {
			line += "  " + notes
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

type row struct {
	label string
	span  *traces.Span
}

func rowsOf(run *traces.Run) []row {
	var rows []row
	depth := make([]int, len(run.Spans))
	for _, s := range run.Spans {
		if s.Parent != nil {
			depth[s.Index] = depth[s.Parent.Index] + 1
		}
		if s.Parent != nil && s.Role == traces.RolePhase && drawn(s.Parent) {
			continue
		}
		name := strings.ReplaceAll(s.Name, " ", "_")
		if roleOf(name) != s.Role {
			name += ":" + string(s.Role)
		}
		rows = append(rows, row{strings.Repeat(" ", depth[s.Index]) + name, s})
	}
	return rows
}

// drawn reports whether the phases of s show as letters of its bar: whether none overlaps another or sticks out.
func drawn(s *traces.Span) bool {
	if s.Role != traces.RoleModel && s.Role != traces.RoleAttempt {
		return false
	}
	at := s.Start
	for _, k := range s.Kids {
		if k.Role != traces.RolePhase {
			continue
		}
		if k.Start < at || k.End > s.End {
			return false
		}
		at = k.End
	}
	return true
}

func barOf(s *traces.Span) string {
	bar := []byte(strings.Repeat("=", column(s.End)-column(s.Start)))
	if drawn(s) {
		for _, k := range s.Kids {
			if k.Role != traces.RolePhase {
				continue
			}
			for i := column(k.Start); i < column(k.End); i++ {
				bar[i-column(s.Start)] = letterOf(k.Phase)
			}
		}
	}
	switch {
	case s.Has(traces.FlagOpen):
		return string(bar) + ">"
	case len(bar) == 0:
		return "|"
	case s.Has(traces.FlagFailed) && bar[len(bar)-1] == '=':
		bar[len(bar)-1] = 'x'
	}
	return string(bar)
}

func letterOf(c traces.Component) byte {
	for letter, phase := range letters {
		if phase == c {
			return letter
		}
	}
	return '='
}

func notesOf(s *traces.Span) string {
	var notes []string
	for _, f := range []struct {
		flag traces.Flags
		note string
	}{
		{traces.FlagCancelled, "cancelled"}, {traces.FlagBackground, "background"}, {traces.FlagInferred, "inferred"}, {traces.FlagBound, "bound"},
	} {
		if s.Has(f.flag) {
			notes = append(notes, f.note)
		}
	}
	if bar := barOf(s); s.Has(traces.FlagFailed) && !strings.HasSuffix(bar, "x") {
		notes = append(notes, "error")
	}
	for _, l := range s.Link {
		notes = append(notes, "link:"+l.ID)
	}
	slices.Sort(notes)
	return strings.Join(notes, " ")
}

// column rounds down, also below 0.
func column(d time.Duration) int {
	c := d / time.Millisecond
	if d < 0 && d%time.Millisecond != 0 {
		c--
	}
	return int(c)
}
