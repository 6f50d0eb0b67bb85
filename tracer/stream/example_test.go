package stream_test

import (
	"fmt"
	"io"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
)

// A decoder is fed what arrives, when it arrives, however it is cut.
func ExampleNew() {
	d, _ := stream.New("/v1/messages", stream.Options{})
	arrived := func(at time.Duration, bytes string) { d.Feed(at, []byte(bytes)) }
	arrived(200*time.Millisecond, `data: {"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":9,"output_tokens":1}}}`+"\n\n")
	arrived(300*time.Millisecond, `data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking"}}`+"\n\n")
	arrived(900*time.Millisecond, `data: {"type":"content_block_stop","index":0}`+"\n\ndata: {\"type\":\"content_block_")
	arrived(950*time.Millisecond, `delta","index":1,"delta":{"type":"text_delta","text":"Done."}}`+"\n\n")
	arrived(980*time.Millisecond, `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":40}}`+"\n\n")
	arrived(981*time.Millisecond, `data: {"type":"message_stop"}`+"\n\n")
	r := d.Close(990*time.Millisecond, io.EOF)

	for _, p := range r.Phases(10*time.Millisecond, *r.End, 0) {
		fmt.Println(p.Component, p.From, p.To, p.Quality)
	}
	fmt.Println(r.Outcome, r.FinishReason, *r.Usage.Input, *r.Usage.Output, r.Visibility)
	// Output:
	// connect 0s 10ms measured
	// wait 10ms 300ms measured
	// reasoning 300ms 900ms inferred
	// wait 900ms 950ms measured
	// tail 950ms 981ms measured
	// ok end_turn 9 40 hidden
}

func ExampleParseRequest() {
	first := stream.ParseRequest("POST", "/v1/chat/completions", nil, []byte(`{"model":"m","messages":[{"role":"user","content":"List the files."}]}`))
	next := stream.ParseRequest("POST", "/v1/chat/completions", nil, []byte(`{"model":"m","messages":[{"role":"user","content":"List the files."},
		{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"call_1","content":"README.md"}]}`))
	fmt.Println("goes on:", next.Prefix[len(first.Prefix)-1] == first.Prefix[len(first.Prefix)-1])
	fmt.Println("brings:", next.Fresh)
	// Output:
	// goes on: true
	// brings: [call_1]
}
