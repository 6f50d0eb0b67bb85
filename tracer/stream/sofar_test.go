package stream_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
)

func TestWhileItIsOpenAResponseTellsWhatCameLast(t *testing.T) {
	d, _ := stream.New("/v1/messages", stream.Options{})
	for i, step := range []struct{ arrives, want string }{
		{`: hello`, "byte 0 event - hidden -"},
		{`data: {"type":"message_start","message":{"id":"m"}}`, "byte 1 event 1 hidden -"},
		{`data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking"}}`, "byte 2 event 2 hidden 2"},
		{`: still here`, "byte 3 event 2 hidden 2"},
		{`data: {"type":"ping"}`, "byte 4 event 4 hidden 2"},
		{`data: {"type":"content_block_stop","index":0}`, "byte 5 event 5 hidden -"},
		{`data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Done."}}`, "byte 6 event 6 hidden -"},
	} {
		d.Feed(time.Duration(i), []byte(step.arrives+"\n\n"))
		r := d.Result()
		event, hidden := "-", "-"
		if r.FirstEvent != nil {
			event = fmt.Sprint(int64(r.LastEvent))
		}
		if r.HiddenSince != nil {
			hidden = fmt.Sprint(int64(*r.HiddenSince))
		}
		if got := fmt.Sprintf("byte %d event %s hidden %s", int64(r.LastByte), event, hidden); got != step.want {
			t.Errorf("after %s: %s, want %s", step.arrives, got, step.want)
		}
	}
}
