package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestJaegerHoldsEverySpan records runs with the bench command, lets longpole send them to a real Jaeger in both of the ways it
// has (beside the recording, and afterwards from the file, over HTTP and over gRPC), and reads every span back through Jaeger's API.
func TestJaegerHoldsEverySpan(t *testing.T) {
	longpole := buildLongpole(t)
	jaeger := startJaeger(t)

	t.Run("sent beside the recording, over HTTP", func(t *testing.T) {
		home := t.TempDir()
		run(t, longpole, home, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + jaeger.otlpHTTP},
			"bench", "--no-tui", "--task", "csv-total,fix-config", "--effort", "low,high", "--trials", "1", "--speed", "20x", "--seed", "7")
		jaeger.mustHold(t, recorded(t, home))
	})
	t.Run("sent afterwards from the files, over gRPC", func(t *testing.T) {
		home := t.TempDir()
		run(t, longpole, home, nil,
			"bench", "--no-tui", "--task", "csv-total", "--effort", "medium", "--trials", "2", "--speed", "20x", "--seed", "8")
		run(t, longpole, home, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + jaeger.otlpGRPC, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"},
			"export", "--to", "otlp")
		jaeger.mustHold(t, recorded(t, home))
	})
}

// A span is what must survive the way through Jaeger, in comparable form.
type span struct {
	Name, Trace, Parent, Kind, Status string
	Start, End                        string
	Attrs, Resource                   map[string]string // values as JSON
	Links                             []string          // linked span ids, sorted
}

// otlp is the part of an OTLP JSON document that the test reads.
type otlp struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes []keyValue }
		ScopeSpans []struct {
			Spans []struct {
				TraceID, SpanID, ParentSpanID      string
				Name                               string
				Kind                               int
				StartTimeUnixNano, EndTimeUnixNano json.RawMessage
				Attributes                         []keyValue
				Status                             struct{ Code int }
				Links                              []struct{ SpanID string }
			}
		}
	}
}

type keyValue struct {
	Key   string
	Value map[string]any
}

func (d *otlp) spans(into map[string]span) {
	for _, rs := range d.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			for _, s := range ss.Spans {
				out := span{
					Name: s.Name, Trace: s.TraceID, Parent: s.ParentSpanID, Kind: fmt.Sprint(s.Kind), Status: fmt.Sprint(s.Status.Code),
					Start: strings.Trim(string(s.StartTimeUnixNano), `"`), End: strings.Trim(string(s.EndTimeUnixNano), `"`),
					Attrs: values(s.Attributes), Resource: values(rs.Resource.Attributes),
				}
				for _, l := range s.Links {
					out.Links = append(out.Links, l.SpanID)
				}
				slices.Sort(out.Links)
				into[s.TraceID+"/"+s.SpanID] = out
			}
		}
	}
}

// values makes attribute values comparable: 64-bit integers may be JSON strings or numbers.
func values(list []keyValue) map[string]string {
	out := map[string]string{}
	for _, kv := range list {
		for kind, v := range kv.Value {
			if kind == "intValue" || kind == "doubleValue" {
				out[kv.Key] = fmt.Sprint(v)
				continue
			}
			text, _ := json.Marshal(v)
			out[kv.Key] = string(text)
		}
	}
	return out
}

// recorded reads every run file of a store: the last line of each span counts, and the chunk series stays at home.
func recorded(t *testing.T, home string) map[string]span {
	t.Helper()
	spans := map[string]span{}
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		lines := bufio.NewReader(f)
		for {
			line, err := lines.ReadBytes('\n')
			if len(bytes.TrimSpace(line)) > 0 {
				var doc otlp
				dec := json.NewDecoder(bytes.NewReader(line))
				dec.UseNumber()
				if err := dec.Decode(&doc); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				doc.spans(spans)
			}
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range spans {
		delete(s.Attrs, "longpole.chunks")
	}
	if len(spans) < 20 {
		t.Fatalf("only %d spans were recorded under %s", len(spans), home)
	}
	return spans
}

// A jaegerServer is a running Jaeger.
type jaegerServer struct{ query, otlpHTTP, otlpGRPC string }

// mustHold fails unless Jaeger returns each of the spans with the same parent, times, attributes, resource, status and links.
func (j jaegerServer) mustHold(t *testing.T, want map[string]span) {
	t.Helper()
	traces := map[string]bool{}
	for _, s := range want {
		traces[s.Trace] = true
	}
	got := map[string]span{}
	deadline := time.Now().Add(30 * time.Second)
	for {
		for id := range traces {
			j.fetch(t, id, got)
		}
		if len(got) >= len(want) || time.Now().After(deadline) {
			break
		}
		<-time.After(200 * time.Millisecond)
	}
	wrong := 0
	for _, id := range slices.Sorted(maps.Keys(want)) {
		w, g := want[id], got[id]
		// Jaeger fills in what an exporter leaves out of the resource; what was sent must be there.
		for k := range g.Resource {
			if _, sent := w.Resource[k]; !sent {
				delete(g.Resource, k)
			}
		}
		a, _ := json.Marshal(w)
		b, _ := json.Marshal(g)
		if !bytes.Equal(a, b) {
			if wrong++; wrong <= 5 {
				t.Errorf("span %s\nrecorded %s\n  jaeger %s", id, a, b)
			}
		}
	}
	if len(got) != len(want) {
		t.Errorf("jaeger returned %d spans, recorded were %d", len(got), len(want))
	}
	t.Logf("%d spans of %d traces read back, %d differ", len(got), len(traces), wrong)
}

func (j jaegerServer) fetch(t *testing.T, trace string, into map[string]span) {
	t.Helper()
	resp, err := http.Get(j.query + "/api/v3/traces/" + trace)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return
	}
	dec := json.NewDecoder(resp.Body)
	dec.UseNumber()
	for {
		var answer struct{ Result otlp }
		if err := dec.Decode(&answer); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("jaeger's answer for trace %s: %v", trace, err)
		}
		answer.Result.spans(into)
	}
}

func buildLongpole(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "longpole")
	build := exec.Command("go", "build", "-o", bin, "./cmd/longpole")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build longpole: %v\n%s", err, out)
	}
	return bin
}

func run(t *testing.T, longpole, home string, env []string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, longpole, args...)
	cmd.Env = append(os.Environ(), append([]string{"LONGPOLE_HOME=" + home}, env...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("longpole %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// startJaeger builds Jaeger if the cache does not hold it yet, and runs it until the test ends.
func startJaeger(t *testing.T) jaegerServer {
	t.Helper()
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(sum)
	bin := filepath.Join(cache, "longpole-e2e", "jaeger-"+hex.EncodeToString(hash[:8]))
	if _, err := os.Stat(bin); err != nil {
		t.Log("building Jaeger, once; this takes minutes")
		if out, err := exec.Command("go", "build", "-o", bin, "github.com/jaegertracing/jaeger/cmd/jaeger").CombinedOutput(); err != nil {
			t.Fatalf("build jaeger: %v\n%s", err, out)
		}
	}

	ports := freePorts(t, 4)
	cmd := exec.Command(bin, "--config", "jaeger.yaml")
	cmd.Env = append(os.Environ(), "JAEGER_QUERY_PORT="+ports[0], "JAEGER_QUERY_GRPC_PORT="+ports[1],
		"JAEGER_OTLP_HTTP_PORT="+ports[2], "JAEGER_OTLP_GRPC_PORT="+ports[3])
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() { _ = cmd.Wait(); close(exited) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-exited })

	j := jaegerServer{query: "http://127.0.0.1:" + ports[0], otlpHTTP: "http://127.0.0.1:" + ports[2], otlpGRPC: "http://127.0.0.1:" + ports[3]}
	for range 300 {
		if resp, err := http.Get(j.query + "/api/services"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return j
			}
		}
		select {
		case <-exited:
			t.Fatalf("jaeger ended at once:\n%s", &log)
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatal("jaeger did not answer within 30 s")
	return j
}

func freePorts(t *testing.T, n int) []string {
	t.Helper()
	var ports []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	return ports
}
