package simmodel_test

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// A wire is the client's end of a WebSocket, by hand, with a decoder that listens to both sides.
type wire struct {
	t     *testing.T
	conn  net.Conn
	in    *bufio.Reader
	start time.Time
	heard *stream.Socket
}

func (b *bench) dial(t *testing.T) *wire {
	t.Helper()
	conn, err := b.client.Transport.(*http.Transport).DialContext(t.Context(), "tcp", "model.test:80")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{t, conn, bufio.NewReader(conn), time.Now(), stream.NewSocket(stream.Options{Content: true})}
	fmt.Fprint(conn, "GET /v1/responses HTTP/1.1\r\nHost: model.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	resp, err := http.ReadResponse(w.in, nil)
	if err != nil || resp.StatusCode != 101 || resp.Header.Get("Sec-Websocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		t.Fatalf("handshake: %v, %v", resp, err) // the key and its answer are RFC 6455's own
	}
	return w
}

// frame sends one frame.
func (w *wire) frame(head byte, payload string) {
	out := []byte{head}
	switch n := len(payload); {
	case n < 126:
		out = append(out, 0x80|byte(n))
	case n < 1<<16:
		out = binary.BigEndian.AppendUint16(append(out, 0x80|126), uint16(n))
	default:
		out = binary.BigEndian.AppendUint64(append(out, 0x80|127), uint64(n))
	}
	mask := [4]byte{1, 2, 3, 4}
	out = append(out, mask[:]...)
	for i := range len(payload) {
		out = append(out, payload[i]^mask[i%4])
	}
	if _, err := w.conn.Write(out); err != nil {
		w.t.Fatal(err)
	}
}

// ask sends a message in one frame.
func (w *wire) ask(message string) *stream.SocketCall {
	w.frame(0x81, message)
	return w.heard.Client(time.Since(w.start), []byte(message))
}

// next returns the next frame.
func (w *wire) next() (op byte, payload []byte, err error) {
	var head [2]byte
	if _, err := io.ReadFull(w.in, head[:]); err != nil {
		return 0, nil, err
	}
	size := uint64(head[1])
	switch size {
	case 126:
		var n uint16
		err = binary.Read(w.in, binary.BigEndian, &n)
		size = uint64(n)
	case 127:
		err = binary.Read(w.in, binary.BigEndian, &size)
	}
	if err != nil || size > 1<<20 {
		return 0, nil, errors.Join(err, fmt.Errorf("a frame of %d bytes", size))
	}
	payload = make([]byte, size)
	_, err = io.ReadFull(w.in, payload)
	return head[0] & 0x0f, payload, err
}

// listen hears the server until it has ended n calls; the error is that of the connection.
func (w *wire) listen(n int) error {
	for n > 0 {
		op, payload, err := w.next()
		if err != nil || op == 8 {
			w.heard.Close(time.Since(w.start), err)
			return errors.Join(err, map[bool]error{true: io.EOF}[op == 8])
		}
		call := w.heard.Server(time.Since(w.start), payload)
		if call == nil {
			w.t.Fatalf("a message of no call: %s", payload)
		}
		if call.Ended() || call.Result().Outcome == traces.Error {
			n--
		}
	}
	return nil
}

func TestASocketIsDecodedToTheNanosecond(t *testing.T) {
	b := &bench{}
	serve(t, everything, func(t *testing.T, inner *bench) {
		b = inner
		w := b.dial(t)
		defer w.conn.Close()
		time.Sleep(70 * ms)
		calls := []*stream.SocketCall{w.ask(`{"type":"response.create","model":"exact","store":false,"input":"go"}`)}
		if err := w.listen(1); err != nil {
			t.Fatal(err)
		}
		first := calls[0].Result()
		calls = append(calls, w.ask(fmt.Sprintf(`{"type":"response.create","model":"exact","previous_response_id":%q,`+
			`"input":[{"type":"function_call_output","call_id":%q,"output":"x"}]}`, first.ID, first.ToolCalls[0].ID)))
		if err := w.listen(1); err != nil {
			t.Fatal(err)
		}
		want := []traces.Stretch{
			{Component: traces.Wait, From: 0, To: 300 * ms},
			{Component: traces.Reasoning, From: 300 * ms, To: 340 * ms},
			{Component: traces.Output, From: 340 * ms, To: 465 * ms},
			{Component: traces.ToolArgs, From: 465 * ms, To: 890 * ms},
			{Component: traces.Tail, From: 890 * ms, To: 915 * ms},
		}
		if diff := cmp.Diff(want, first.Chunks.Stretches(0, *first.End, 0, traces.Response)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if r := calls[1].Result(); r.Text != "Done." || r.PreviousID != first.ID || r.Outcome != traces.OK {
			t.Errorf("second response %+v", r)
		}
	})
	for i, truth := range b.truths {
		if !truth.Socket || truth.API != "responses" || truth.Turn != i {
			t.Errorf("call %d: %+v", i, truth)
		}
	}
}

func TestASocketWarmsUp(t *testing.T) {
	b := &bench{}
	serve(t, everything, func(t *testing.T, inner *bench) {
		b = inner
		w := b.dial(t)
		defer w.conn.Close()
		warm := w.ask(`{"type":"response.create","generate":false,"model":"exact","input":[{"role":"user","content":"go"}]}`)
		if err := w.listen(1); err != nil {
			t.Fatal(err)
		}
		r := warm.Result()
		if warm.Request.Generates || len(r.Chunks.List) != 0 || r.Outcome != traces.OK || *r.End != 0 || *r.Usage.Input != 5 || *r.Usage.Output != 0 {
			t.Errorf("%+v, %+v", warm.Request, r)
		}
		call := w.ask(fmt.Sprintf(`{"type":"response.create","model":"exact","previous_response_id":%q,"input":[]}`, r.ID))
		if err := w.listen(1); err != nil || call.Result().Text != "Two files, please." {
			t.Errorf("%v, %+v", err, call.Result())
		}
	})
	if len(b.truths) != 1 {
		t.Errorf("%d truths: a warm-up is no request for output", len(b.truths))
	}
}

// Lanes are answered at the same time, what one lane asks one after the other.
func TestLanesOfASocket(t *testing.T) {
	b := &bench{}
	cfg := everything
	cfg.FreshIDs = true
	serve(t, cfg, func(t *testing.T, inner *bench) {
		b = inner
		w := b.dial(t)
		defer w.conn.Close()
		var calls []*stream.SocketCall
		for _, lane := range []string{"a", "b", "a"} {
			calls = append(calls, w.ask(`{"type":"response.create","stream_id":"`+lane+`","model":"exact","input":"go"}`))
		}
		if err := w.listen(3); err != nil {
			t.Fatal(err)
		}
		for i, want := range []time.Duration{915 * ms, 915 * ms, 1830 * ms} {
			if r := calls[i].Result(); *r.End != want || r.Text != "Two files, please." {
				t.Errorf("call %d ends at %v, want %v, with %q", i, *r.End, want, r.Text)
			}
		}
	})
	if q := b.truths[2].Phase(traces.Queue); q != 965*ms {
		t.Errorf("the one that waited was in the queue for %v", q)
	}
}

func TestFaultsOfASocket(t *testing.T) {
	for _, test := range []struct {
		fault   simmodel.Fault
		outcome traces.Outcome
		word    string
		end     time.Duration
		finish  string
	}{
		{simmodel.Fault{Kind: simmodel.RateLimit, For: 1500 * ms}, traces.Error, "rate_limit_exceeded", 0, "error"},
		{simmodel.Fault{Kind: simmodel.ServerError}, traces.Error, "server_error", 0, "error"},
		{simmodel.Fault{Kind: simmodel.StreamError, After: 2}, traces.Error, "server_error", 200 * ms, "error"},
		{simmodel.Fault{Kind: simmodel.Cut, After: 2}, traces.Truncated, "", 200 * ms, "cut"},
		{simmodel.Fault{Kind: simmodel.EarlyEnd, After: 2}, traces.Truncated, "", 200 * ms, "cut"},
		{simmodel.Fault{Kind: simmodel.Stall, After: 2, For: 2 * time.Second}, traces.OK, "", 3100 * ms, "stop"},
	} {
		t.Run(string(test.fault.Kind), func(t *testing.T) {
			test.fault.Request = 1
			b := &bench{}
			serve(t, tenTokens(simmodel.Faults{List: []simmodel.Fault{test.fault}}), func(t *testing.T, inner *bench) {
				b = inner
				w := b.dial(t)
				defer w.conn.Close()
				call := w.ask(`{"type":"response.create","model":"exact","input":"go"}`)
				err := w.listen(1)
				if broken := test.outcome == traces.Truncated; broken != (err != nil) {
					t.Errorf("the connection: %v", err)
				}
				r := call.Result()
				if r.Outcome != test.outcome || r.ErrorType != test.word || r.End == nil || *r.End != test.end {
					t.Errorf("outcome %s, error %q, end %v", r.Outcome, r.ErrorType, r.End)
				}
			})
			if got := b.truths[0].Finish; got != test.finish {
				t.Errorf("finish %q", got)
			}
		})
	}
}

func TestAClientThatLeavesASocketStopsTheWork(t *testing.T) {
	b := &bench{}
	serve(t, everything, func(t *testing.T, inner *bench) {
		b = inner
		w := b.dial(t)
		w.ask(`{"type":"response.create","model":"exact","input":"go"}`)
		time.Sleep(400 * ms)
		w.conn.Close()
	})
	if truth := b.truths[0]; truth.Finish != "cancelled" || truth.End != 400*ms {
		t.Errorf("finish %q at %v", truth.Finish, truth.End)
	}
}

func TestFramesOfASocket(t *testing.T) {
	serve(t, everything, func(t *testing.T, b *bench) {
		w := b.dial(t)
		defer w.conn.Close()
		w.frame(0x89, "are you there") // a ping
		if op, payload, err := w.next(); op != 0x0A || string(payload) != "are you there" || err != nil {
			t.Errorf("pong %d %q, %v", op, payload, err)
		}
		w.frame(0x01, `{"type":"response.create","model":"exact",`) // a message in pieces, with a pong between
		w.frame(0x8A, "")
		w.frame(0x80, `"input":"go","instructions":"`+strings.Repeat("long ", 20_000)+`"}`)
		_, payload, err := w.next()
		var e struct{ Type string }
		if json.Unmarshal(payload, &e) != nil || e.Type != "response.created" || err != nil {
			t.Errorf("%s, %v", payload, err)
		}
		for e.Type != "response.completed" && err == nil {
			if _, payload, err = w.next(); json.Unmarshal(payload, &e) != nil {
				t.Fatalf("%s, %v", payload, err)
			}
		}
		for message, want := range map[string]string{
			`{"type":"response.steer"}`:                                                        "response.create",
			`{"type":"response.create"`:                                                        "not a message",
			`{"type":"response.create","model":"other","input":"go"}`:                          `no model`,
			`{"type":"response.create","model":"other","generate":false,"input":"go"}`:         `no model`,
			`{"type":"response.create","model":"exact","previous_response_id":"x","input":""}`: "previous_response_not_found",
		} {
			w.frame(0x81, message)
			if _, payload, err := w.next(); !strings.Contains(string(payload), want) || !strings.Contains(string(payload), `"status":4`) {
				t.Errorf("%s: %s, %v", message, payload, err)
			}
		}
		w.frame(0x88, "\x03\xe8") // goodbye
		if op, _, err := w.next(); op != 8 || err != nil {
			t.Errorf("%d, %v", op, err)
		}
		if _, _, err := w.next(); err == nil {
			t.Error("the connection is still open")
		}
	})
}

// OpenAI's own client holds a conversation over a WebSocket.
func TestOpenAIClientOverASocket(t *testing.T) {
	serve(t, everything, func(t *testing.T, b *bench) {
		client := openai.NewClient(option.WithBaseURL("http://model.test/v1"), option.WithAPIKey("any"), option.WithHTTPClient(b.client))
		conn, err := client.Responses.Connect(t.Context(), responses.ResponseConnectionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if err := conn.SendRaw(t.Context(), json.RawMessage(`{"type":"response.create","model":"exact","input":"go"}`)); err != nil {
			t.Fatal(err)
		}
		r, err := conn.FinalResponse(t.Context())
		if err != nil || r.OutputText() != "Two files, please." || len(r.Output) != 4 || r.Usage.OutputTokens != 27 {
			t.Errorf("%v: %s", err, r.RawJSON())
		}
	})
}

func FuzzSocketFrames(f *testing.F) {
	f.Add([]byte{0x81, 0x85, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte{0x89, 0x80, 0, 0, 0, 0, 0x88, 0x80, 0, 0, 0, 0})
	f.Add([]byte{0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, sent []byte) {
		serve(t, everything, func(t *testing.T, b *bench) {
			w := b.dial(t)
			_, _ = w.conn.Write(sent)
			w.conn.Close()
		})
	})
}
