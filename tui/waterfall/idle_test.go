package waterfall

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

func TestOnlyTimeInWhichNothingHappensIsIdle(t *testing.T) {
	cases := []struct{ name, run, want string }{
		{"waiting for a person is", `
			run        ====================
			 chat      ww
			 write       ================
			  approval   ==============
			 chat                        oo`, "[2-16]"},
		{"the agent's own time between two calls is", `
			run        ====================
			 chat      ww
			 chat                        oo`, "[2-18]"},
		{"a tool that runs is not", `
			run        ====================
			 chat      ww
			 write       ================
			 chat                        oo`, "[]"},
		{"what runs beside the wait keeps its time", `
			run        ====================
			 chat      ww
			 write       ================
			  approval   ==============
			 grep        =====
			 chat                        oo`, "[7-16]"},
		{"little of it is not worth a break", `
			run        ====================
			 chat      wwoooooo
			 chat              wwooooooooo`, "[]"},
	}
	for _, c := range cases {
		var got []string
		for _, g := range idle(measure.Of(tracetest.Parse(t, c.run))) {
			got = append(got, fmt.Sprintf("%d-%d", g.From/time.Millisecond, g.To/time.Millisecond))
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
