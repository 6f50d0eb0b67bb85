package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
)

// QueryCSV returns the tool query_csv: rows of a CSV file with a header line, filtered, and either some of their
// columns or aggregates over them. Sums are exact decimals.
func QueryCSV(box *Box) Tool {
	return define("query_csv",
		"Query a CSV file that has a header line: keep the rows that meet all conditions of where, then either show "+
			"columns (select) or compute over them (aggregate, one line a group of group_by).",
		`{"type":"object","additionalProperties":false,"required":["path"],"properties":{
			"path":{"type":"string","minLength":1,"description":"CSV file inside the working folder"},
			"where":{"type":"array","description":"conditions, all must hold","items":{"type":"object","additionalProperties":false,"required":["column","op","value"],"properties":{
				"column":{"type":"string"},"op":{"type":"string","enum":["=","!=","<","<=",">",">=","contains"]},"value":{"type":"string","description":"numbers as text: \"10.5\""}}}},
			"select":{"type":"array","items":{"type":"string"},"description":"columns to show; default all"},
			"aggregate":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["op"],"properties":{
				"op":{"type":"string","enum":["count","sum","avg","min","max"]},"column":{"type":"string","description":"not needed for count"}}}},
			"group_by":{"type":"array","items":{"type":"string"}},
			"limit":{"type":"integer","minimum":1,"description":"rows to show at most"}}}`,
		defaultTimeout,
		func(ctx context.Context, q csvQuery) (string, error) {
			content, err := box.readAll(q.Path)
			if err != nil {
				return "", err
			}
			out, err := q.run(ctx, content)
			if err != nil {
				return "", fmt.Errorf("%s: %w", q.Path, err)
			}
			return box.cut(out), nil
		})
}

type csvQuery struct {
	Path  string `json:"path"`
	Where []struct {
		Column string `json:"column"`
		Op     string `json:"op"`
		Value  string `json:"value"`
	} `json:"where"`
	Select    []string       `json:"select"`
	Aggregate []csvAggregate `json:"aggregate"`
	GroupBy   []string       `json:"group_by"`
	Limit     int            `json:"limit"`
}

type csvAggregate struct {
	Op     string `json:"op"`
	Column string `json:"column"`
}

func (q *csvQuery) run(ctx context.Context, content []byte) (string, error) {
	if len(q.GroupBy) > 0 && len(q.Aggregate) == 0 {
		return "", errors.New("group_by needs an aggregate")
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\uFEFF"))))
	header, err := r.Read()
	if err != nil {
		return "", fmt.Errorf("no header line: %w", err)
	}
	t := csvTable{header: header}
	var columns []int // of the conditions
	for _, c := range q.Where {
		at, err := t.column(c.Column)
		if err != nil {
			return "", err
		}
		columns = append(columns, at)
	}
	for n := 0; ; n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		if q.keeps(row, columns) {
			line, _ := r.FieldPos(0)
			t.rows, t.lines = append(t.rows, row), append(t.lines, line)
		}
	}
	if len(q.Aggregate) > 0 {
		return q.aggregate(&t)
	}
	return q.show(&t)
}

// A csvTable is the rows that were kept, each with its line in the file.
type csvTable struct {
	header []string
	rows   [][]string
	lines  []int
}

func (t *csvTable) column(name string) (int, error) {
	if i := slices.Index(t.header, name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("no column %q; the columns are: %s", name, strings.Join(t.header, ", "))
}

func (t *csvTable) columns(names []string) ([]int, error) {
	at := make([]int, len(names))
	for i, name := range names {
		var err error
		if at[i], err = t.column(name); err != nil {
			return nil, err
		}
	}
	return at, nil
}

func (q *csvQuery) keeps(row []string, columns []int) bool {
	for i, c := range q.Where {
		cell := row[columns[i]]
		order := compareCells(cell, c.Value)
		var ok bool
		switch c.Op {
		case "=":
			ok = order == 0
		case "!=":
			ok = order != 0
		case "<":
			ok = order < 0
		case "<=":
			ok = order <= 0
		case ">":
			ok = order > 0
		case ">=":
			ok = order >= 0
		case "contains":
			ok = strings.Contains(cell, c.Value)
		}
		if !ok {
			return false
		}
	}
	return true
}

// compareCells orders two cells as numbers if both are, else as text.
func compareCells(a, b string) int {
	x, okX := decimal(a)
	y, okY := decimal(b)
	if okX && okY {
		return x.Cmp(y)
	}
	return cmp.Compare(a, b)
}

// decimal reads a cell that is a plain decimal number. Exponents are left out: 1e999999999 is a short way to ask for
// a lot of memory.
func decimal(cell string) (*big.Rat, bool) {
	cell = strings.TrimSpace(cell)
	if cell == "" || len(cell) > 64 || strings.Trim(cell, "+-.0123456789") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(cell)
}

func (q *csvQuery) show(t *csvTable) (string, error) {
	names := q.Select
	if len(names) == 0 {
		names = t.header
	}
	at, err := t.columns(names)
	if err != nil {
		return "", err
	}
	rows := t.rows
	if q.Limit > 0 && len(rows) > q.Limit {
		rows = rows[:q.Limit]
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(names) // a strings.Builder does not fail
	for _, row := range rows {
		_ = w.Write(pick(row, at))
	}
	w.Flush()
	fmt.Fprintf(&b, "(%d of %d rows that match)\n", len(rows), len(t.rows))
	return b.String(), nil
}

func pick(row []string, at []int) []string {
	cells := make([]string, len(at))
	for i, c := range at {
		cells[i] = row[c]
	}
	return cells
}

func (q *csvQuery) aggregate(t *csvTable) (string, error) {
	by, err := t.columns(q.GroupBy)
	if err != nil {
		return "", err
	}
	groups := map[string][]int{} // rows of each group
	var order []string
	for i, row := range t.rows {
		key := strings.Join(pick(row, by), "\x00")
		if _, seen := groups[key]; !seen {
			order = append(order, key)
		}
		groups[key] = append(groups[key], i)
	}
	if len(by) == 0 && len(order) == 0 {
		order = []string{""} // an aggregate over no rows is still one line
	}
	slices.Sort(order)

	var b strings.Builder
	w := csv.NewWriter(&b)
	head := slices.Clone(q.GroupBy)
	for _, a := range q.Aggregate {
		head = append(head, a.name())
	}
	_ = w.Write(head) // a strings.Builder does not fail
	empty := 0
	for _, key := range order {
		var line []string
		if len(by) > 0 {
			line = strings.Split(key, "\x00")
		}
		for _, a := range q.Aggregate {
			value, skipped, err := a.over(t, groups[key])
			if err != nil {
				return "", err
			}
			empty += skipped
			line = append(line, value)
		}
		_ = w.Write(line)
	}
	w.Flush()
	if empty > 0 {
		fmt.Fprintf(&b, "(%d empty cells left out)\n", empty)
	}
	return b.String(), nil
}

func (a csvAggregate) name() string {
	if a.Column == "" {
		return a.Op
	}
	return a.Op + "(" + a.Column + ")"
}

// over computes the aggregate over some rows of t; empty cells are left out and counted.
func (a csvAggregate) over(t *csvTable, rows []int) (value string, skipped int, err error) {
	if a.Op == "count" && a.Column == "" {
		return fmt.Sprint(len(rows)), 0, nil
	}
	at, err := t.column(a.Column)
	if err != nil {
		return "", 0, err
	}
	n, sum := 0, new(big.Rat)
	var least, most *big.Rat
	for _, i := range rows {
		cell := t.rows[i][at]
		if strings.TrimSpace(cell) == "" {
			skipped++
			continue
		}
		n++
		if a.Op == "count" {
			continue
		}
		x, ok := decimal(cell)
		if !ok {
			return "", 0, fmt.Errorf("line %d: %s is %q, not a number; leave such rows out with where", t.lines[i], a.Column, cell)
		}
		sum.Add(sum, x)
		if least == nil || x.Cmp(least) < 0 {
			least = x
		}
		if most == nil || x.Cmp(most) > 0 {
			most = x
		}
	}
	switch {
	case a.Op == "count":
		return fmt.Sprint(n), skipped, nil
	case a.Op == "sum":
		return plain(sum), skipped, nil
	case n == 0:
		return "", skipped, nil
	case a.Op == "avg":
		return plain(sum.Quo(sum, new(big.Rat).SetInt64(int64(n)))), skipped, nil
	case a.Op == "min":
		return plain(least), skipped, nil
	}
	return plain(most), skipped, nil
}

// plain writes a number with as many decimals as it has, at most ten.
func plain(x *big.Rat) string {
	text := x.FloatString(10)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
