package report

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A column of a table. Where the page is too narrow, columns are left out, those with the lowest keep first.
type column struct {
	head  string
	right bool
	keep  int  // 0: always
	flex  bool // may be cut, at most one a table
	out   bool // left out, because it would say nothing
}

// rowsShown is the most that a part of a run's page lists, runsShown the most runs of a list.
const (
	rowsShown = 40
	runsShown = 200
)

// least is the width a flexible column is not cut below while another column can be left out.
const least = 16

// capped shortens a list of a part of the page; more says how many were left out.
func capped[T any](list []T, limit int) (shown []T, more int) {
	shown = list[:min(len(list), limit)]
	return shown, len(list) - len(shown)
}

// more says that the page does not hold everything.
func (p *page) more(n int) {
	if n > 0 {
		p.line("  ", p.dim(p.draw(fmt.Sprintf("… and %s more; --format json lists all", Count(int64(n))))))
	}
}

// table writes rows below their heads, indented by two cells; cells must be of the page's characters and clean. An
// unknown cell is explained below. It returns how many columns found no room.
func (p *page) table(columns []column, rows [][]string) (dropped int) {
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = ansi.StringWidth(c.head)
		for _, row := range rows {
			widths[i] = max(widths[i], ansi.StringWidth(row[i]))
		}
	}
	shown := make([]bool, len(columns))
	for i, c := range columns {
		shown[i] = !c.out
	}
	over := func(flex func(int) int) int {
		total := 0
		for i, c := range columns {
			switch {
			case !shown[i]:
			case c.flex:
				total += 2 + flex(widths[i])
			default:
				total += 2 + widths[i]
			}
		}
		return total - p.width
	}
	for over(func(w int) int { return min(w, least) }) > 0 {
		drop := -1
		for i, c := range columns {
			if shown[i] && c.keep > 0 && (drop < 0 || c.keep < columns[drop].keep) {
				drop = i
			}
		}
		if drop < 0 {
			break
		}
		shown[drop] = false
		dropped++
	}
	if n := over(func(w int) int { return w }); n > 0 {
		for i, c := range columns {
			if c.flex {
				widths[i] = max(4, widths[i]-n)
			}
		}
	}
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.head
	}
	p.line(p.dim(p.row(columns, widths, shown, heads)))
	untold := false
	for _, row := range rows {
		p.line(p.row(columns, widths, shown, row))
		for i, cell := range row {
			untold = untold || shown[i] && cell == unknown
		}
	}
	if untold {
		p.aside("?: the trace does not say")
	}
	return dropped
}

func (p *page) row(columns []column, widths []int, shown []bool, cells []string) string {
	var b strings.Builder
	for i, c := range columns {
		if shown[i] {
			b.WriteString("  " + pad(fit(cells[i], widths[i], p.draw("…")), widths[i], c.right))
		}
	}
	return strings.TrimRight(b.String(), " ")
}
