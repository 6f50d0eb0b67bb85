package whatif

import (
	"strings"
	"testing"
	"time"
)

func TestAnEditIsReadAsItIsMeant(t *testing.T) {
	for _, c := range []struct {
		text string
		want Edit
		says string // String, if it differs
	}{
		{"output*0.5", Edit{Target: Target{Name: "output"}, Factor: 0.5}, ""},
		{" reasoning = 0 ", Edit{Target: Target{Name: "reasoning"}, How: Set}, "reasoning=0"},
		{"approval=0s", Edit{Target: Target{Name: "approval"}, How: Set}, "approval=0"},
		{"wait=1.5s", Edit{Target: Target{Name: "wait"}, How: Set, Time: 1500 * time.Millisecond}, ""},
		{"wait=250 ms", Edit{Target: Target{Name: "wait"}, How: Set, Time: 250 * time.Millisecond}, "wait=250ms"},
		{"wait=cached", Edit{Target: Target{Name: "wait"}, How: Cached}, ""},
		{"retry=off", Edit{Target: Target{Name: "retry"}, How: Off}, ""},
		{"ttft*2", Edit{Target: Target{Name: "TTFT"}, Factor: 2}, "TTFT*2"},
		{"Tools=OFF", Edit{Target: Target{Name: "tools"}, How: Off}, "tools=off"},
		{"agent*0.1", Edit{Target: Target{Name: "agent"}, Factor: 0.1}, ""},
		{"decode.rate=120", Edit{Target: DecodeRate, How: Set, Rate: 120}, ""},
		{"decode.rate*2", Edit{Target: DecodeRate, Factor: 2}, ""},
		{"decode*2", Edit{Target: Target{Name: "decode"}, Factor: 2}, ""},
		{"tool*0.5", Edit{Target: Target{Name: "tool"}, Factor: 0.5}, ""},
		{"tool[grep]*0.1", Edit{Target: Tool("grep"), Factor: 0.1}, ""},
		{"tool[fetch]=cached", Edit{Target: Tool("fetch"), How: Cached}, ""},
		{"tool[go test]=2s", Edit{Target: Tool("go test"), How: Set, Time: 2 * time.Second}, ""},
		{"tool[a*b=c]*0.5", Edit{Target: Tool("a*b=c"), Factor: 0.5}, ""},
		{"tool[x]=off]*0.5", Edit{Target: Tool("x]=off"), Factor: 0.5}, ""},
		{"TOOL[Grep]*1", Edit{Target: Tool("Grep"), Factor: 1}, "tool[Grep]*1"},
		{"tool[読む]=0", Edit{Target: Tool("読む"), How: Set}, ""},
	} {
		got, err := ParseEdit(c.text)
		if err != nil || got != c.want {
			t.Errorf("%q: got %+v, %v, want %+v", c.text, got, err, c.want)
			continue
		}
		want := c.says
		if want == "" {
			want = c.text
		}
		if got.String() != want {
			t.Errorf("%q: says %q, want %q", c.text, got, want)
		}
	}
}

func TestABadEditIsOneLineThatHelps(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `want TARGET*FACTOR or TARGET=VALUE`},
		{"output", `want TARGET*FACTOR or TARGET=VALUE`},
		{"output/2", `want TARGET*FACTOR or TARGET=VALUE`},
		{"outptu*0.5", `there is no target "outptu"; did you mean output? A tool is written tool[outptu]*0.5. Targets are connect, wait,`},
		{"retires=off", `did you mean retries?`},
		{"banana=0", `there is no target "banana". A tool is written tool[banana]=0. Targets are connect, wait,`},
		{"tool[grep*0.1", `want TARGET*FACTOR or TARGET=VALUE`},
		{"tool[]*0.1", `names no tool`},
		{"output*", `"" is no factor; want a number from 0, as 0.5`},
		{"output*-1", `"-1" is no factor`},
		{"output*NaN", `"NaN" is no factor`},
		{"output*Inf", `"Inf" is no factor`},
		{"output*5000", `"5000" is too much; want a factor of at most 1000`},
		{"output=2", `"2" is no value; want a duration as 2s or 150ms, 0, or off`},
		{"output=-2s", `"-2s" is no value`},
		{"output=2000h", `"2000h" is too long; want at most 1000h`},
		{"output=cached", `output cannot be cached; wait, prefill, tool and tool[NAME] can`},
		{"decode.rate=off", `"off" is no rate; want tokens per second, as decode.rate=120`},
		{"decode.rate=0", `"0" is no rate`},
		{"decode.rate*0", `a rate of 0 never ends`},
	} {
		_, err := ParseEdit(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q in it", c.text, err, c.want)
		}
	}
}

func FuzzParseEdit(f *testing.F) {
	for _, s := range []string{"output*0.5", "tool[a]b]=cached", "decode.rate=120", "TTFT=2s", "tool[", "=", "tool[\n]=0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := ParseEdit(s)
		if err != nil {
			return
		}
		again, err := ParseEdit(e.String())
		if err != nil || again != e {
			t.Errorf("%q is %q, which is %+v, %v; want %+v", s, e, again, err, e)
		}
	})
}
