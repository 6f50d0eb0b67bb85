package otlp_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// Randomness comes from a seed; -rapid.seed gives another.
func init() { _ = flag.Set("rapid.seed", "1") }

// same compares records by what they say: NaN is NaN, and an empty list is no list.
var same = cmp.Options{cmpopts.EquateEmpty(), cmpopts.EquateNaNs()}

// anyValue draws a value of every type that an attribute may have.
func anyValue(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.Just[any](nil),
		rapid.String().AsAny(),
		rapid.Bool().AsAny(),
		rapid.Int64().AsAny(),
		rapid.SampledFrom([]any{int64(math.MaxInt64), int64(math.MinInt64), int64(1<<53 + 1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 5e-324, ""}),
		rapid.Float64().AsAny(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) any { return append([]byte{}, b...) }),
	}
	if depth > 0 {
		kinds = append(kinds,
			rapid.Map(rapid.SliceOfN(anyValue(depth-1), 0, 4), func(list []any) any { return list }),
			rapid.Map(attrs(depth-1), func(a traces.Attrs) any { return a }))
	}
	return rapid.OneOf(kinds...)
}

// attrs draws attributes, now and then with one key twice.
func attrs(depth int) *rapid.Generator[traces.Attrs] {
	return rapid.Custom(func(t *rapid.T) traces.Attrs {
		var a traces.Attrs
		for range rapid.IntRange(0, 5).Draw(t, "attributes") {
			key := rapid.OneOf(rapid.SampledFrom([]string{"stringValue", "values", "key", "longpole.chunks"}), rapid.String()).Draw(t, "key")
			a = append(a, traces.Attr{Key: key, Value: anyValue(depth).Draw(t, "value")})
		}
		return a
	})
}

func records() *rapid.Generator[[]traces.Record] {
	id := rapid.OneOf(rapid.StringMatching(`0[1-9a-f][0-9a-f]{14}`), rapid.StringMatching(`span_[A-Za-z0-9]{4}`))
	instant := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64())
	return rapid.Custom(func(t *rapid.T) []traces.Record {
		resources := []*traces.Resource{nil, {}, {Attrs: attrs(2).Draw(t, "resource")}}
		list := make([]traces.Record, rapid.IntRange(0, 8).Draw(t, "records"))
		for i := range list {
			list[i] = traces.Record{
				TraceID: id.Draw(t, "trace"), SpanID: id.Draw(t, "span"), ParentID: rapid.OneOf(rapid.Just(""), id).Draw(t, "parent"),
				Name: rapid.String().Draw(t, "name"), Kind: traces.Kind(rapid.IntRange(0, 5).Draw(t, "kind")),
				Start: instant.Draw(t, "start"), End: instant.Draw(t, "end"),
				Status: traces.Status(rapid.IntRange(0, 2).Draw(t, "status")), Message: rapid.String().Draw(t, "message"),
				Attrs: attrs(3).Draw(t, "attributes"), Resource: rapid.SampledFrom(resources).Draw(t, "resource"),
				Scope:   rapid.SampledFrom([]string{"", "longpole", "a \"b\""}).Draw(t, "scope"),
				Dropped: traces.Dropped{Attrs: rapid.Uint32().Draw(t, "dropped"), Events: rapid.Uint32().Draw(t, "dropped"), Links: rapid.Uint32().Draw(t, "dropped")},
			}
			for range rapid.IntRange(0, 2).Draw(t, "events") {
				list[i].Events = append(list[i].Events, traces.Event{Name: rapid.String().Draw(t, "event"), Time: instant.Draw(t, "time"), Attrs: attrs(1).Draw(t, "event attributes")})
			}
			for range rapid.IntRange(0, 2).Draw(t, "links") {
				list[i].Links = append(list[i].Links, traces.Link{TraceID: id.Draw(t, "link"), SpanID: id.Draw(t, "link"), Attrs: attrs(1).Draw(t, "link attributes")})
			}
		}
		return list
	})
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := records().Draw(t, "records")
		text := otlp.AppendJSON(nil, want...)
		if !json.Valid(text) || !utf8.Valid(text) || bytes.ContainsAny(text, "\n\r") {
			t.Fatalf("not one line of JSON: %s", text)
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, text, "", "\t"); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(text), pretty.String(), string(nativeFile(want))} {
			got, problems, err := otlp.Read(strings.NewReader(text))
			if err != nil || len(problems) > 0 {
				t.Fatalf("problems %v, error %v in %s", problems, err, text)
			}
			if diff := cmp.Diff(want, got, same); diff != "" {
				t.Fatalf("records (-written +read):\n%s", diff)
			}
		}
	})
}

// A file that is cut anywhere loses the record that was cut, never more, and is never misread.
func TestAFileThatIsCutAnywhereKeepsItsWholeLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := records().Filter(func(r []traces.Record) bool { return len(r) > 0 }).Draw(t, "records")
		file := nativeFile(want)
		cut := rapid.IntRange(0, len(file)).Draw(t, "cut")
		whole := bytes.Count(file[:cut], []byte("\n"))
		got, _, err := otlp.Read(bytes.NewReader(file[:cut]))
		if err != nil || len(got) < whole || len(got) > whole+1 { // the line may lack but its end
			t.Fatalf("cut at %d of %d: read %d records of %d whole lines, error %v", cut, len(file), len(got), whole, err)
		}
		if diff := cmp.Diff(want[:len(got)], got, same); diff != "" {
			t.Fatalf("records (-written +read):\n%s", diff)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(span("a") + "\n" + span("b")))
	f.Add([]byte(`[{"batches":[{"resource":{"attributes":{"a":{"stringValue":"\ud83d\ude00"}}},"scopeSpans":[{"spans":[{"spanId":"AAAAAAAAAAE=","kind":"SPAN_KIND_CLIENT"}]}]}]}]`))
	files, _ := filepath.Glob("testdata/*.json*")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		first, _, _ := otlp.Read(bytes.NewReader(text))
		line := otlp.AppendJSON(nil, first...)
		if !json.Valid(line) || !utf8.Valid(line) || bytes.IndexByte(line, '\n') >= 0 {
			t.Fatalf("not one line of JSON: %q", line)
		}
		// What was written once is repaired, and is read and written again without a change.
		second, problems, err := otlp.Read(bytes.NewReader(line))
		if err != nil || len(problems) > 0 || len(second) != len(first) {
			t.Fatalf("read %d records, wrote %d: %v, %v", len(second), len(first), problems, err)
		}
		third, _, _ := otlp.Read(bytes.NewReader(otlp.AppendJSON(nil, second...)))
		if diff := cmp.Diff(second, third, same); diff != "" {
			t.Fatalf("records (-written +read):\n%s", diff)
		}
		if shallow := bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) < 64; shallow && utf8.Valid(text) {
			if diff := cmp.Diff(first, second, same); diff != "" {
				t.Fatalf("records (-read +written and read):\n%s", diff)
			}
		}
	})
}
