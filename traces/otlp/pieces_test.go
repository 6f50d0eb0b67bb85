package otlp

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed46266073/longpole/traces"
)

// A reading is all that Read says of a text.
type reading struct {
	Records   []traces.Record
	Resources []int // which of the records share one, by the first of them
	Problems  []traces.Problem
	Err       string
}

// readIn reads a text in pieces of about size bytes.
func readIn(src io.Reader, size int) reading {
	r := newReader(&resources{})
	defer r.pool.release()
	err := r.readAll(src, size)
	if err == nil {
		err = r.verdict()
	}
	found := reading{Records: r.records, Problems: r.problems, Err: fmt.Sprint(err)}
	first := map[*traces.Resource]int{}
	for i, rec := range r.records {
		if _, ok := first[rec.Resource]; !ok {
			first[rec.Resource] = i
		}
		found.Resources = append(found.Resources, first[rec.Resource])
	}
	return found
}

const inOneGo = 1 << 40 // bytes of a piece that no text has

func samePieces(t *testing.T, text string, sizes ...int) {
	t.Helper()
	want := readIn(strings.NewReader(text), inOneGo)
	for _, size := range sizes {
		if diff := cmp.Diff(want, readIn(strings.NewReader(text), size), cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("in pieces of %d bytes (-in one go +in pieces):\n%s\n%s", size, diff, text)
		}
	}
}

// oddText is lines of all kinds that files are made of, sound and not.
func oddText(r *rand.Rand) string {
	var b strings.Builder
	for i := range r.IntN(40) {
		span := fmt.Sprintf(`{"traceId":"0%d","spanId":"%x","name":"n%d","attributes":[{"key":"k","value":{"intValue":"%d"}}]}`, r.IntN(3), i+1, i, r.IntN(9))
		resource := fmt.Sprintf(`"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"h%d"}}]}`, r.IntN(5)/4)
		line := fmt.Sprintf(`{"resourceSpans":[{%s,"scopeSpans":[{"scope":{"name":"s"},"spans":[%s]}]}]}`, resource, span)
		switch r.IntN(40) {
		case 0:
			line = line[:r.IntN(len(line))] // torn
		case 1:
			line = strings.NewReplacer("{", "{\n", ",", ",\n").Replace(line) // pretty-printed, without indentation
		case 2:
			line = "[\n" + line + ",\n" + line + "\n]"
		case 3:
			line = "[\n" + line + "," // the array ends where another line says so, or never
		case 4:
			line = "]"
		case 5:
			line = `{"resourceLogs":[]}`
		case 6:
			line = `{"hello":"world"}`
		case 7:
			line = strings.Replace(line, `"spanId"`, `"id"`, 1)
		case 8:
			line = strings.Replace(line, `"n`, `"n\\u12`, 1) // a broken escape
		case 9:
			line = "\ufeff \t\r\n" + line
		case 10:
			line = "no JSON"
		case 11:
			line += line
		case 12:
			line = `{"status":"PARTIAL","trace":` + line + `}`
		case 13:
			line = strings.Replace(line, `{"resourceSpans":[`, `{"resourceSpans":[],"resourceLogs":[],"resourceSpans":[`, 1)
		case 14:
			line = strings.TrimSuffix(line, "}") + `,"status":"PARTIAL"}`
		case 15:
			line = strings.TrimSuffix(line, "]}]}") + `],"scope":{"name":"late"}}]}]}`
		case 16:
			line = strings.TrimSuffix(line, "}]}") + `},{"spans":[` + span + `]}]}]}`
		case 17:
			line = strings.Replace(line, span, span+" , "+span, 1)
		}
		b.WriteString(line)
		if r.IntN(30) > 0 {
			b.WriteString("\n")
		}
	}
	text := b.String()
	if len(text) > 0 && r.IntN(4) == 0 {
		text = text[:r.IntN(len(text))]
	}
	return text
}

func TestTextReadInPiecesSaysWhatItSaysInOneGo(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		samePieces(t, oddText(r), 1, 1+r.IntN(300), 1+r.IntN(3000))
	}
}

// Read one by one, no line knows what the one before began with.
func TestLinesThatBeginAlikeAreReadAsIfAlone(t *testing.T) {
	const spans = `"scopeSpans":[{"scope":{"name":"s"},"spans":[{"spanId":"a"}]}]}]}`
	for _, line := range []string{
		`{"resourceSpans":[{"resource":{"attributes":{"k":"v"}},` + spans,
		`{"resourceSpans":[{` + spans,
		`{"resourceSpans":[{"resource":{}},{` + spans,
		`{"resourceSpans":[],"resourceLogs":[],"resourceSpans":[{` + spans,
		`{"resourceSpans":[],"trace":{"resourceSpans":[]},"resourceSpans":[{` + spans,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"b"}]},{"spans":[{"spanId":"a"}]}]}]}`,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"without an id"}]},{"spans":[{"spanId":"a"}]}]}]}`,
		`{"resourceSpans":[{"scopeSpans":1,` + spans,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"a"}],"scope":{"name":"late"}}]}]}`,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"a"}]}],"resource":{"attributes":{"k":"late"}}}]}`,
		`{"resourceSpans":[{"scopeSpans":[{"spans":{"spanId":"a"}}]}]}`,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"a"}]}]}],"status":"PARTIAL"}`,
		`{"trace":{"resourceSpans":[{` + spans + `}`,
	} {
		samePieces(t, strings.Repeat(line+"\n", 3), 1)
	}
}

func TestFilesReadInPiecesSayWhatTheySayInOneGo(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		samePieces(t, string(text), 1, 1000, 5000)
	}
}

func TestAFailingSourceIsReadAsFarAsItGoes(t *testing.T) {
	broken := errors.New("the disk is gone")
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		text := oddText(r)
		src := func() io.Reader {
			return io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		}
		want, got := readIn(src(), inOneGo), readIn(src(), 1+r.IntN(300))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || got.Err != broken.Error() {
			t.Fatalf("error %s (-in one go +in pieces):\n%s", got.Err, diff)
		}
	}
}

func FuzzPieces(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(oddText(rand.New(rand.NewPCG(seed, 3))), uint16(seed*20))
	}
	f.Fuzz(func(t *testing.T, text string, size uint16) { samePieces(t, text, 1, 1+int(size)) })
}
