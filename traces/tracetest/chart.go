// Package tracetest draws runs as text, so that a test of one is a picture of it.
//
// One line is one span: its name, indented by one space a level below its parent; a bar, one column a millisecond, the root's
// first column being 0; and notes.
//
//	run      ==================
//	 step    ==================
//	  model  wwrrroo                asks:c1
//	  grep           =====x         call:c1
//	  read           ========
//
// The bar. "=" is a millisecond; a last "x" too, and says that the span failed; "|" alone is a span without length; a last ">"
// takes no time and says that no end was recorded, at ">" the span was seen alive. In the bar of a model or attempt, a letter is
// a millisecond of a phase, which becomes a span below it: c connect, w wait, q queue, p prefill, r reasoning, o output,
// a tool_args, s stall, t tail, e response.
//
// The name says the role: run, agent; step; model, chat; attempt, try; approval, backoff, rate_limit (waits); the long name of a
// phase; each followed by digits or not. Anything else is a tool, unless a role is put behind it: serve:server, plan:internal. A
// span's id is its name without the role; where names repeat, the second is name.2, and so on.
//
// The notes. key=value is an attribute (a number, a truth value, else text). Shorter are error, cancelled, background, bound,
// inferred; status:429, outcome:timeout, call:ID (tool call id), asks:ID,ID (the tool calls a model asked for), ttft:MS, side,
// model:NAME, host:NAME, op:ID, link:ID (declared to have waited for that span), parent:ID (another parent than the one drawn above),
// trace:ID (a trace other than "t", for a root).
package tracetest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// Epoch is the instant of column 0.
var Epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// letters are the phases as a bar shows them.
var letters = map[byte]traces.Component{
	'c': traces.Connect, 'w': traces.Wait, 'q': traces.Queue, 'p': traces.Prefill, 'r': traces.Reasoning, 'o': traces.Output,
	'a': traces.ToolArgs, 's': traces.Stall, 't': traces.Tail, 'e': traces.Response,
}

// Parse builds the run that text draws. A mistake in the drawing, and more than one run in it, end the test.
func Parse(t testing.TB, text string) *traces.Run {
	t.Helper()
	runs, problems := traces.Build(Records(t, text))
	if len(runs) != 1 || len(problems) > 0 {
		t.Fatalf("the drawing holds %d runs, problems %v; want one run", len(runs), problems)
	}
	return runs[0]
}

// Records returns the spans that text draws, in order of lines, as a source would have recorded them.
func Records(t testing.TB, text string) []traces.Record {
	t.Helper()
	c := chart{seen: map[string]int{}}
	for line := range strings.Lines(outdent(text)) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := c.line(strings.TrimRight(line, " \n")); err != nil {
			t.Fatalf("drawing: %v in line\n%s", err, line)
		}
	}
	return c.recs
}

// outdent removes what all lines are indented by.
func outdent(text string) string {
	var lines []string
	least := math.MaxInt
	for line := range strings.Lines(text) {
		line = strings.TrimRight(strings.ReplaceAll(line, "\t", "        "), " \n")
		lines = append(lines, line)
		if line != "" {
			least = min(least, len(line)-len(strings.TrimLeft(line, " ")))
		}
	}
	for i, line := range lines {
		lines[i] = line[min(least, len(line)):]
	}
	return strings.Join(lines, "\n")
}

type chart struct {
	recs  []traces.Record
	stack []int // the record of each level above the next line
	zero  int   // column of time 0
	seen  map[string]int
}

func (c *chart) line(line string) error {
	name := strings.TrimLeft(line, " ")
	level := len(line) - len(name)
	name, rest, _ := strings.Cut(name, " ")
	bar := strings.TrimLeft(rest, " ")
	column := len(line) - len(bar)
	bar, notes, _ := strings.Cut(bar, " ")
	if level > len(c.stack) {
		return fmt.Errorf("%q is indented by more than one below the line above", name)
	}
	if len(c.recs) == 0 {
		c.zero = column
	}
	name, role, ok := strings.Cut(name, ":")
	if !ok {
		role = string(roleOf(name))
	}
	rec := traces.Record{TraceID: "t", SpanID: c.unique(name), Name: name, Kind: kindOf(traces.Role(role)), Start: at(column - c.zero)}
	if level > 0 {
		above := &c.recs[c.stack[level-1]]
		rec.ParentID, rec.TraceID = above.SpanID, above.TraceID
	}
	if rec.Kind == traces.KindInternal || rec.Kind == traces.KindClient {
		rec.Attrs = rec.Attrs.With(traces.KeyRole, role)
	}
	switch traces.Role(role) {
	case traces.RoleTool:
		rec.Attrs = rec.Attrs.With(traces.KeyToolName, name)
	case traces.RolePhase:
		rec.Attrs = rec.Attrs.With(traces.KeyPhase, word(name))
	case traces.RoleWait:
		rec.Attrs = rec.Attrs.With(traces.KeyWait, word(name))
	}
	for note := range strings.FieldsSeq(notes) {
		if err := annotate(&rec, note); err != nil {
			return err
		}
	}
	phases, err := c.bar(&rec, bar)
	if err != nil {
		return err
	}
	c.stack = append(c.stack[:level], len(c.recs))
	c.recs = append(c.recs, rec)
	c.recs = append(c.recs, phases...)
	return nil
}

// bar reads the span's times, and the phases in it.
func (c *chart) bar(rec *traces.Record, bar string) ([]traces.Record, error) {
	switch {
	case bar == "|":
		rec.End = rec.Start
		return nil, nil
	case strings.HasSuffix(bar, ">"):
		if bar = strings.TrimSuffix(bar, ">"); bar != "" {
			rec.Attrs = rec.Attrs.With(traces.KeyCheckpoint, rec.Start+ms(len(bar)))
		}
	case strings.HasSuffix(bar, "x"):
		rec.End = rec.Start + ms(len(bar))
		rec.Status = traces.StatusError
		bar = bar[:len(bar)-1] + "="
	case bar == "":
		return nil, fmt.Errorf("%q has no bar", rec.Name)
	default:
		rec.End = rec.Start + ms(len(bar))
	}
	var phases []traces.Record
	for i := 0; i < len(bar); {
		letter, from := bar[i], i
		for i < len(bar) && bar[i] == letter {
			i++
		}
		if letter == '=' {
			continue
		}
		phase, ok := letters[letter]
		if !ok {
			return nil, fmt.Errorf("a bar has no %q", letter)
		}
		phases = append(phases, traces.Record{TraceID: rec.TraceID, SpanID: c.unique(rec.SpanID + "/" + string(phase)), ParentID: rec.SpanID,
			Name: string(phase), Kind: traces.KindInternal, Start: rec.Start + ms(from), End: rec.Start + ms(i),
			Attrs: traces.Attrs{{Key: traces.KeyRole, Value: string(traces.RolePhase)}, {Key: traces.KeyPhase, Value: string(phase)}}})
	}
	return phases, nil
}

func annotate(rec *traces.Record, note string) error {
	if key, value, ok := strings.Cut(note, "="); ok {
		rec.Attrs = append(rec.Attrs, traces.Attr{Key: key, Value: parse(value)})
		return nil
	}
	set := func(key string, value any) { rec.Attrs = rec.Attrs.With(key, value) }
	word, value, _ := strings.Cut(note, ":")
	switch word {
	case "error":
		rec.Status = traces.StatusError
	case "cancelled":
		set(traces.KeyCancelled, true)
	case "background":
		set(traces.KeyBackground, true)
	case "bound", "inferred":
		set(traces.KeyQuality, word)
	case "side":
		set(traces.KeySide, true)
	case "status":
		set(traces.KeyHTTPStatus, parse(value))
	case "outcome":
		set(traces.KeyOutcome, value)
	case "call":
		set(traces.KeyToolCallID, value)
	case "asks":
		var ids []any
		for id := range strings.SplitSeq(value, ",") {
			ids = append(ids, id)
		}
		set(traces.KeyToolCallIDs, ids)
	case "ttft":
		f, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return err
		}
		set(traces.KeyTTFT, f/1000)
	case "model":
		set(traces.KeyRequestModel, value)
	case "op":
		set(traces.KeyOp, value)
	case "host":
		rec.Resource = &traces.Resource{Attrs: traces.Attrs{{Key: traces.KeyHostName, Value: value}}}
	case "link":
		rec.Links = append(rec.Links, traces.Link{SpanID: value, Attrs: traces.Attrs{{Key: traces.KeyDep, Value: true}}})
	case "parent":
		rec.ParentID = value
	case "trace":
		rec.TraceID = value
	default:
		return fmt.Errorf("unknown note %q", note)
	}
	return nil
}

func parse(value string) any {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(value, 64); err == nil {
		return f
	}
	if b, err := strconv.ParseBool(value); err == nil {
		return b
	}
	return value
}

func (c *chart) unique(name string) string {
	c.seen[name]++
	if n := c.seen[name]; n > 1 {
		return fmt.Sprintf("%s.%d", name, n)
	}
	return name
}

func at(column int) int64 { return Epoch.UnixNano() + ms(column) }

func ms(n int) int64 { return int64(n) * int64(time.Millisecond) }

// word is a name without the digits that tell it from its like.
func word(name string) string { return strings.TrimRight(name, "0123456789") }

func roleOf(name string) traces.Role {
	switch word(name) {
	case "run", "agent":
		return traces.RoleAgent
	case "step":
		return traces.RoleStep
	case "model", "chat":
		return traces.RoleModel
	case "attempt", "try":
		return traces.RoleAttempt
	case "approval", "backoff", "rate_limit":
		return traces.RoleWait
	}
	if isPhase(word(name)) {
		return traces.RolePhase
	}
	return traces.RoleTool
}

func isPhase(name string) bool {
	for _, c := range letters {
		if string(c) == name {
			return true
		}
	}
	return false
}

func kindOf(r traces.Role) traces.Kind {
	switch r {
	case traces.RoleServer:
		return traces.KindServer
	case traces.RoleProducer:
		return traces.KindProducer
	case traces.RoleConsumer:
		return traces.KindConsumer
	case traces.RoleModel, traces.RoleAttempt, traces.RoleClient:
		return traces.KindClient
	}
	return traces.KindInternal
}
