package format_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/format"
)

// span is a line of OTLP JSON with one span.
func span(id string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","spanId":"` + id + `"}]}]}]}` + "\n"
}

func zipped(t *testing.T, texts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// directory writes files, by their paths, and returns the directory they are in.
func directory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func ids(records []traces.Record) string {
	var ids []string
	for _, s := range records {
		ids = append(ids, s.SpanID)
	}
	return strings.Join(ids, " ")
}

// messages returns the messages of problems, a line each, without the directory.
func messages(problems []traces.Problem, dir string) string {
	var lines []string
	for _, p := range problems {
		lines = append(lines, strings.ReplaceAll(p.Message, dir, "DIR"))
	}
	return strings.Join(lines, "\n")
}

func ExampleOpen() {
	text := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","spanId":"02","name":"invoke_agent demo"}]}]}]}`
	source, err := format.Open(context.Background(), "-", strings.NewReader(text))
	fmt.Println(source.Name, source.Records[0].Name, err)
	_, err = format.Open(context.Background(), "-", strings.NewReader(`{"traceEvents":[{"ph":"X"}]}`))
	fmt.Println(err)
	// Output:
	// stdin invoke_agent demo <nil>
	// open stdin: a Chrome or Perfetto trace, no traces that can be read; export OTLP from where it was made
}

func TestOpenReadsAFileForWhatItHolds(t *testing.T) {
	whole := zipped(t, span("a")+span("b"))
	cases := []struct{ name, file, text, spans, problems string }{
		{"OTLP JSON", "t.json", span("a"), "a", ""},
		{"whatever its name", "notes.txt", "\ufeff \n" + span("a"), "a", ""},
		{"Tempo's JSON", "t", `{"batches":[{"scopeSpans":[{"spans":[{"spanId":"a"}]}]}]}`, "a", ""},
		{"the key after much else", "t", `{"metrics":{"inspected":"` + strings.Repeat("1", 20_000) + `"},"trace":` + span("a") + `}`, "a", ""},
		{"compressed", "t.json.gz", whole, "a b", ""},
		{"compressed, in two parts", "t", zipped(t, span("a"), span("b")), "a b", ""},
		{"with a torn line", "t", span("a") + `{"resourceSpans":[`, "a", "DIR/t: line 2: cut off in the middle; skipped"},
		{"without spans", "t", `{"resourceSpans":[]}`, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := directory(t, map[string]string{c.file: c.text})
			path := filepath.Join(dir, c.file)
			s, err := format.Open(t.Context(), path, nil)
			if got := ids(s.Records); got != c.spans || err != nil || s.Name != path {
				t.Errorf("got %q from %s, %v, want %q", got, s.Name, err, c.spans)
			}
			if got := messages(s.Problems, dir); got != c.problems {
				t.Errorf("got problems %q, want %q", got, c.problems)
			}
		})
	}
}

func TestOpenReadsACompressedFileThatIsCutOff(t *testing.T) {
	var lines []string
	for i := range 2000 {
		lines = append(lines, span(fmt.Sprintf("%x", 1+i*7919)))
	}
	text := zipped(t, strings.Join(lines, ""))
	s, err := format.Open(t.Context(), "-", strings.NewReader(text[:len(text)/2]))
	if n := len(s.Records); err != nil || n < 100 || n > 1900 || ids(s.Records[:3]) != "1 1ef0 3ddf" {
		t.Errorf("read %d records, %v", n, err)
	}
	if len(s.Problems) == 0 || s.Problems[0].Message != "stdin: the gzip file is cut off; what came before is read" {
		t.Errorf("got problems %v", s.Problems)
	}
}

func TestOpenSaysWhatItCannotRead(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"nothing", "", "empty, no traces that can be read; nothing was recorded, or it was not written yet"},
		{"blank lines", " \n\n", "empty, no traces that can be read; nothing was recorded, or it was not written yet"},
		{"HTML", "\n<!DOCTYPE html><html>", "HTML or XML, "},
		{"Jaeger JSON", `{"data":[{"traceID":"a1","spans":[{"operationName":"turn"}],"processes":{"p1":{}}}]}`, "Jaeger JSON, "},
		{"Zipkin JSON", `[{"traceId":"a1","id":"b1","localEndpoint":{"serviceName":"x"}}]`, "Zipkin JSON, "},
		{"a Chrome trace in an array", `[{"name":"a","ph":"B","ts":1,"pid":1}]`, "a Chrome or Perfetto trace, "},
		{"a LangSmith run tree", "[\n {\n  \"run_type\": \"chain\",\n  \"dotted_order\": \"x\"}]", "a LangSmith run tree, "},
		{"spans of the OpenAI Agents SDK", `{"object":"trace.span","id":"span_1"}`, "spans of the OpenAI Agents SDK, "},
		{"Go's stdout exporter", `{"Name":"a","SpanContext":{"TraceID":"01"},"SpanKind":1}`, "spans of Go's stdout exporter, "},
		{"Python's console exporter", "{\n    \"name\": \"a\",\n    \"kind\": \"SpanKind.CLIENT\"}", "spans of Python's console exporter, "},
		{"a Claude Code session", `{"parentUuid":null,"sessionId":"x","type":"user"}`, "a session log of Claude Code, "},
		{"a HAR file", `{"log":{"entries":[{"startedDateTime":"x"}]}}`, "an HTTP archive (HAR), "},
		{"a request log", `{"t_ms":0,"method":"POST","path":"/v1","headers":{}}`, "a log of HTTP requests, "},
		{"a request log that quotes OTLP", `{"method":"POST","path":"/v1/traces","headers":{},"body":"{\"resourceSpans\":[]}"}`, "a log of HTTP requests, "},
		{"some JSON", `{"hello":"world"}`, "JSON that holds no spans known here, "},
		{"text", "hello", "plain text, "},
		{"protobuf", "\x0a\xf1\x03\x0a\x20\x0a\x1e\x0a\x0cservice.name", "binary data, perhaps OTLP as protobuf, "},
		{"a zip archive", "PK\x03\x04", "a zip archive, "},
		{"zstd", "\x28\xb5\x2f\xfd\x00", "compressed with zstd, "},
		{"text, compressed", zipped(t, "hello"), "plain text, "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := format.Open(t.Context(), "-", strings.NewReader(c.text))
			if !errors.Is(err, format.ErrNoTraces) || !strings.HasPrefix(err.Error(), "open stdin: "+c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if len(s.Records) > 0 {
				t.Errorf("got records %v", s.Records)
			}
		})
	}
}

func TestOpenSaysWhereReadingFailed(t *testing.T) {
	if _, err := format.Open(t.Context(), filepath.Join("no", "such.json"), nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "such.json") {
		t.Errorf("a file that there is not: %v", err)
	}
	if _, err := format.Open(t.Context(), "-", strings.NewReader("\x1f\x8b nothing")); err == nil || !strings.HasPrefix(err.Error(), "open stdin: begins like a gzip file: ") {
		t.Errorf("a broken gzip file: %v", err)
	}
	if _, err := format.Open(t.Context(), "-", strings.NewReader(`{"resourceLogs":[{}]}`)); err == nil || !strings.Contains(err.Error(), "OTLP logs") {
		t.Errorf("logs: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, source := range []string{"-", directory(t, map[string]string{"a": span("a")})} {
		if _, err := format.Open(ctx, source, strings.NewReader(span("a"))); !errors.Is(err, context.Canceled) {
			t.Errorf("%s after a cancel: %v", source, err)
		}
	}
}

func TestOpenReadsADirectoryAsOne(t *testing.T) {
	cases := []struct {
		name            string
		files           map[string]string
		spans, problems string
	}{
		{
			"the files below it in the order of their paths",
			map[string]string{"otlp/002.json": span("b"), "otlp/001.json": span("a"), "zip.gz": zipped(t, span("c"))}, "a b c", "",
		},
		{
			"what holds no traces is one problem",
			map[string]string{"a.json": span("a"), "b.md": "text", "c/empty": "", "d.json": "{}", "e.bin": "\x00"}, "a",
			"b.md, c/empty, d.json and 1 more: no traces that can be read; skipped",
		},
		{
			"problems name their file",
			map[string]string{"x/a.json": span("a") + "{", "b.json": `{"resourceLogs":[]}`, "c.gz": "\x1f\x8b broken, as its third byte says"}, "a",
			"b.json: line 1 holds OTLP logs, not OTLP/JSON spans; export the traces\n" +
				"c.gz: begins like a gzip file: gzip: invalid header\n" +
				"x/a.json: line 2: cut off in the middle; skipped",
		},
		{"hidden directories are not entered", map[string]string{"a.json": span("a"), ".git/b.json": span("b")}, "a", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := directory(t, c.files)
			if err := os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling")); err != nil {
				t.Fatal(err)
			}
			s, err := format.Open(t.Context(), dir, nil)
			if got := ids(s.Records); got != c.spans || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, c.spans)
			}
			if got := messages(s.Problems, dir); got != c.problems {
				t.Errorf("got problems\n%s\nwant\n%s", got, c.problems)
			}
		})
	}
	for files, want := range map[string]string{
		"":                "a directory without files, no traces that can be read; name a file of OTLP JSON",
		"a.md":            "none of its files (1) can be read; a.md: plain text, no traces that can be read; export the traces as OTLP JSON",
		"a.md b.zip c.md": "none of its files (3) can be read; b.zip: a zip archive, no traces that can be read; unpack it first",
	} {
		texts := map[string]string{}
		for _, name := range strings.Fields(files) {
			texts[name] = map[string]string{".md": "text", ".zip": "PK\x03\x04"}[filepath.Ext(name)]
		}
		dir := directory(t, texts)
		if _, err := format.Open(t.Context(), dir, nil); !errors.Is(err, format.ErrNoTraces) || err.Error() != "open "+dir+": "+want {
			t.Errorf("a directory of %q: got %v, want %s", files, err, want)
		}
	}
}

func TestOpenSkipsWhatMayNotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("the superuser may read everything: only names are looked at")
	}
	dir := directory(t, map[string]string{"a.json": span("a"), "shut/b.json": span("b"), "c.json": span("c")})
	for _, name := range []string{"shut", "c.json"} {
		path := filepath.Join(dir, name)
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(path, 0o700) })
	}
	s, err := format.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, problems := "a", "c.json: permission denied\nshut: permission denied; skipped"
	if os.Geteuid() == 0 {
		want, problems = "a c b", ""
	}
	if got := ids(s.Records); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := messages(s.Problems, dir); got != problems {
		t.Errorf("got problems\n%s\nwant\n%s", got, problems)
	}
	if _, err := format.Open(t.Context(), filepath.Join(dir, "c.json"), nil); os.Geteuid() != 0 && strings.Count(err.Error(), "open") != 1 {
		t.Errorf("got %v, want one \"open\"", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(span("a")))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte(`[{"ph":"X"}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := format.Open(t.Context(), "-", bytes.NewReader(text))
		if err != nil && (!strings.HasPrefix(err.Error(), "open stdin: ") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("not one clear line: %q", err)
		}
	})
}
