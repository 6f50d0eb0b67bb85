package otlp

import (
	"testing"

	"github.com/seed46266073/longpole/traces"
)

func TestAFullQueueRefusesUntilThereIsRoom(t *testing.T) {
	proceed := make(chan struct{})
	q := queue{limit: 100, take: func([]traces.Record) { <-proceed }}
	one := []traces.Record{{SpanID: "01"}}
	for _, c := range []struct {
		name  string
		bytes int
		want  bool
	}{
		{"the first batch may be larger than the queue", 150, true},
		{"while it waits, nothing else has room", 1, false},
	} {
		if got := q.put(one, c.bytes); got != c.want {
			t.Errorf("%s: got %t", c.name, got)
		}
	}
	if !q.put(nil, 1000) {
		t.Error("a batch without records takes no room, and was refused")
	}
	proceed <- struct{}{}
	<-q.empty()
	if !q.put(one, 100) || q.put(one, 1) {
		t.Error("a queue that was emptied takes 100 bytes and no more")
	}
	proceed <- struct{}{}
	<-q.empty()
	if taken, lost := q.counts(); taken != 2 || lost != 0 {
		t.Errorf("%d taken, %d lost; want 2 and 0", taken, lost)
	}
}
