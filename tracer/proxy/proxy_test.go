package proxy_test

import (
	"testing"
	"time"
)

func TestStream(t *testing.T) {
	writes := []write{event(300*ms, `"role":"assistant","content":""`), event(500*ms, `"content":"a"`), event(520*ms, `"content":"b"`), finish(530 * ms)}
	simulate(t, plays(writes, "Content-Type: text/event-stream"), nil, func(w *world) {
		resp, err := w.post(ask)
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.reads(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range got {
			if r.at != writes[i].at || r.text != writes[i].text {
				t.Errorf("read %d: %v %q", i, r.at, r.text)
			}
		}
		x := w.only()
		t.Logf("%+v", x)
		t.Logf("%+v", x.Result)
		time.Sleep(time.Second)
	})
}
