package cassette_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tracer/cassette"
)

var update = flag.Bool("update", false, "write the golden files")

const ms = time.Millisecond

func exchange(path, body string, chunks ...cassette.Chunk) cassette.Exchange {
	return cassette.Exchange{
		Request: cassette.Request{Method: "POST", Path: path, Model: "m", Stream: true, Body: body},
		Status:  200, Header: http.Header{"Content-Type": {"text/event-stream"}}, HeadAt: 50 * ms, Chunks: chunks,
		EndAt: chunks[len(chunks)-1].At, Ending: cassette.EOF,
	}
}

func chunk(at time.Duration, text string) cassette.Chunk {
	return cassette.Chunk{At: at, Bytes: []byte(text)}
}

func TestMask(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"text in a stream", `data: {"id":"c-1","model":"acme/large:1","choices":[{"index":0,"delta":{"content":"My key is A1-b2."},"finish_reason":null}]}` + "\n\ndata: [DONE]\n\n",
			`data: {"id":"c-1","model":"acme/large:1","choices":[{"index":0,"delta":{"content":"xx xxx xx x1-x1."},"finish_reason":null}]}` + "\n\ndata: [DONE]\n\n"},
		{"names of events stay, comments do not", "event: message_start\nretry: 10\nid: 7\n: hello 1\ndata:\n\n", "event: message_start\nretry: 10\nxx: 1\n: xxxxx 1\ndata:\n\n"},
		{"arguments in pieces stay pieces of JSON", `{"arguments":"{\"path\":\"a/b.go\",\"all\":true,\"n\":27"}`, `{"arguments":"{\"xxxx\":\"x/x.xx\",\"xxx\":true,\"x\":11"}`},
		{"arguments as an object are masked throughout", `{"name":"read","arguments":{"path":"a","n":[-2.5e3,null],"type":"b"},"type":"c"}`,
			`{"name":"read","arguments":{"xxxx":"x","x":[-1.1e1,null],"xxxx":"x"},"type":"c"}`},
		{"tags around thoughts stay", `{"content":"<think>no</think>yes \u003cthink\u003e"}`, `{"content":"<think>xx</think>xxx \u003cthink\u003e"}`},
		{"characters keep their size", `{"content":"é文🙂\u00e9\n\ud83d\ude00"}`, `{"content":"é文🙂\u0078\n\ud83d\ude42"}`},
		{"what has a name for a thing but is a sentence", `{"type":"my secret","id":"http://u:p@h"}`, `{"type":"xx xxxxxx","id":"xxxx://x:x@x"}`},
		{"counts stay", `{"usage":{"input_tokens":512}}`, `{"usage":{"input_tokens":512}}`},
		{"lines of JSON", "{\"message\":{\"content\":\"ab\"}}\n{\"done\":true}\n", "{\"message\":{\"content\":\"xx\"}}\n{\"done\":true}\n"},
		{"JSON over several data lines", "data: {\"type\":\"a\",\r\ndata: \"text\":\"b\"}\r\n\r\n", "data: {\"type\":\"a\",\r\ndata: \"text\":\"x\"}\r\n\r\n"},
		{"what is neither", "<html>Bad gateway at 10.0.0.1</html>", "<xxxx>xxx xxxxxxx xx 11.1.1.1</xxxx>"},
		{"a word within a word", `{"text":"untrue, true, nullable"}`, `{"text":"xxxxxx, true, xxxxxxxx"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := []byte(test.body)
			if cassette.Mask(got); string(got) != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// Filler has the length of what it stands for, and what was UTF-8 or JSON still is.
func FuzzMask(f *testing.F) {
	for _, seed := range []string{`{"a":"b"}`, "data: {\"a\":[1,\"\\u00e9\"]}\n\n", `[{"arguments":{"a":1e5}}]`, "\xff\xc3", `{"a`, `{"a":"\`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got := bytes.Clone(body)
		cassette.Mask(got)
		if len(got) != len(body) || utf8.Valid(body) && !utf8.Valid(got) || utf8.RuneCount(got) != utf8.RuneCount(body) && utf8.Valid(body) {
			t.Errorf("%q became %q", body, got)
		}
		if json.Valid(body) && !json.Valid(got) {
			t.Errorf("%q is JSON, %q is not", body, got)
		}
		again := bytes.Clone(got)
		if cassette.Mask(again); !bytes.Equal(again, got) {
			t.Errorf("%q masked again is %q", got, again)
		}
	})
}

func TestReadGivesWhatWasWritten(t *testing.T) {
	want := []cassette.Exchange{
		exchange("/v1/a", "abc", chunk(100*ms, "data: <\xc3"), chunk(110*ms, "\xa9>\u2028\n\n")),
		exchange("/v1/b", "", chunk(0, "x")),
	}
	var file bytes.Buffer
	w := cassette.NewWriter(&file, true)
	for _, x := range want {
		if err := w.Write(x); err != nil {
			t.Fatal(err)
		}
	}
	file.WriteString(`{"request":{"meth`) // the writer was killed
	got, err := cassette.Read(&file)
	if err != nil || !got.Content || !got.CutShort || !reflect.DeepEqual(got.Exchanges, want) {
		t.Errorf("got  %+v %v\nwant %+v", got, err, want)
	}
}

func TestFileFormat(t *testing.T) {
	var file bytes.Buffer
	w := cassette.NewWriter(&file, false)
	w.Write(exchange("/v1/chat/completions", "abc", chunk(100*ms, `data: {"choices":[{"delta":{"content":"se`), chunk(120*ms, "cret ü\"}}]}\n\n")))
	const golden = "testdata/masked.jsonl"
	if *update {
		os.WriteFile(golden, file.Bytes(), 0o644)
	}
	want, err := os.ReadFile(golden)
	if err != nil || file.String() != string(want) {
		t.Errorf("got\n%swant\n%s%v", file.String(), want, err)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"", "line 1 does not say"}, {"{}\n", "line 1 does not say"}, {`{"schema":"longpole.cassette/v1"}` + "\nnot JSON\n", "line 2"},
	} {
		if _, err := cassette.Read(strings.NewReader(test.file)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v", test.file, err)
		}
	}
	w := cassette.NewWriter(full{}, false)
	if err := w.Write(exchange("/", "", chunk(0, ""))); err == nil || !strings.HasPrefix(err.Error(), "write cassette: ") {
		t.Error(err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left on device") }

// play asks a handler, over a network, and returns what it answers: "status at: text@ms text@ms…".
func play(t *testing.T, h http.Handler, requests ...string) (got []string) {
	synctest.Test(t, func(t *testing.T) {
		n := simnet.New()
		defer n.Close()
		n.Serve("cassette", h)
		client := simnet.Client(n)
		for _, request := range requests {
			path, body, _ := strings.Cut(request, " ")
			start := time.Now()
			resp, err := client.Post("http://cassette"+path, "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			line := fmt.Sprintf("%d@%d:", resp.StatusCode, time.Since(start)/ms)
			for buf := make([]byte, 4096); ; {
				n, err := resp.Body.Read(buf)
				if n > 0 && resp.StatusCode == 200 {
					line += fmt.Sprintf(" %s@%d", buf[:n], time.Since(start)/ms)
				}
				if err != nil {
					if err != io.EOF {
						line += " " + err.Error()
					}
					break
				}
			}
			got = append(got, line)
		}
	})
	return got
}

func TestHandler(t *testing.T) {
	const (
		hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // SHA-256 of "hello"
		bye   = "b49f425a7e1f9cff3856329ada223f2f9d368f15a00cf48df16ca95986137fe8" // of "bye"
	)
	aborted := exchange("/a", "", chunk(60*ms, "1"))
	aborted.Ending = cassette.Aborted
	whole := exchange("/v1/chat/completions", "", chunk(60*ms, "whole"))
	whole.Request.Stream = false
	for _, test := range []struct {
		name     string
		speed    float64
		tape     []cassette.Exchange
		requests []string
		want     []string
	}{
		{"the recorded timing", 1, []cassette.Exchange{exchange("/a", "", chunk(100*ms, "1"), chunk(300*ms, "2"))}, []string{"/a"}, []string{"200@50: 1@100 2@300"}},
		{"twice as fast", 2, []cassette.Exchange{exchange("/a", "", chunk(100*ms, "1"), chunk(300*ms, "2"))}, []string{"/a"}, []string{"200@25: 1@50 2@150"}},
		{"in order for each path, and never again", 1, []cassette.Exchange{exchange("/a", "", chunk(60*ms, "1")), exchange("/b", "", chunk(60*ms, "2")), exchange("/a", "", chunk(60*ms, "3"))},
			[]string{"/a", "/a", "/a", "/b"}, []string{"200@50: 1@60", "200@50: 3@60", "404@0:", "200@50: 2@60"}},
		{"by the body where it is known, else by order", 1, []cassette.Exchange{exchange("/a", hello, chunk(60*ms, "1")), exchange("/a", bye, chunk(60*ms, "2")), exchange("/a", hello, chunk(60*ms, "3"))},
			[]string{"/a bye", "/a new", "/a hello"}, []string{"200@50: 2@60", "200@50: 1@60", "200@50: 3@60"}},
		{"a stream to the request for one", 1, []cassette.Exchange{exchange("/v1/chat/completions", "", chunk(60*ms, "1")), whole},
			[]string{`/v1/chat/completions {"model":"m"}`, `/v1/chat/completions {"model":"m","stream":true}`}, []string{"200@50: whole@60", "200@50: 1@60"}},
		{"of another kind where none else is left", 1, []cassette.Exchange{whole}, []string{`/v1/chat/completions {"model":"other","stream":true}`}, []string{"200@50: whole@60"}},
		{"what broke off breaks off", 1, []cassette.Exchange{aborted}, []string{"/a"}, []string{"200@50: 1@60 unexpected EOF"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := cassette.NewHandler(&cassette.Cassette{Exchanges: test.tape}, test.speed)
			if got := play(t, h, test.requests...); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}
