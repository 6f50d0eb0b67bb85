package stream_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/tracer/stream"
)

func TestSocket(t *testing.T) {
	const (
		hi   = `{"type":"response.output_text.delta","output_index":0,"delta":"Hi"}`
		done = `{"type":"response.completed","response":{"id":"%s","status":"completed"}}`
	)
	cases := []struct {
		name   string
		frames []string // a millisecond apart; what begins with ">" is the client's
		want   []string // calls in the order in which they ended
	}{
		{"a call is timed from its own message", []string{`>{"type":"response.create","model":"m"}`, hi, fmt.Sprintf(done, "a")},
			[]string{"at 1: m; 1o2; says Hi; ok completed"}},
		{"calls of one lane are answered in turn", []string{`>{"type":"response.create","model":"m"}`, `>{"type":"response.create","model":"n"}`, hi, fmt.Sprintf(done, "a"), hi, fmt.Sprintf(done, "b")},
			[]string{"at 1: m; 2o2; says Hi; ok completed", "at 2: n; 3o2; says Hi; ok completed"}},
		{"lanes are apart", []string{`>{"type":"response.create","model":"m","stream_id":"x"}`, `>{"type":"response.create","model":"n","stream_id":"y"}`,
			strings.Replace(hi, "{", `{"stream_id":"y",`, 1), strings.Replace(fmt.Sprintf(done, "b"), "{", `{"stream_id":"y",`, 1), strings.Replace(hi, "{", `{"stream_id":"x",`, 1)},
			[]string{"at 2: n; 1o2; says Hi; ok completed", "at 1: m; 4o2; says Hi; cancelled"}},
		{"warming up is told apart", []string{`>{"type":"response.create","generate":false,"response":{"model":"m"}}`, fmt.Sprintf(done, "a")}, []string{"at 1: m warms up; ok completed"}},
		{"an error that is said twice is not the next call's", []string{`>{"type":"response.create","model":"m"}`, `>{"type":"response.create","model":"n"}`, `{"type":"response.created","response":{"id":"a"}}`,
			`{"type":"error","status":429,"error":{"code":"slow_down"}}`, `{"type":"response.failed","response":{"id":"a","status":"failed"}}`, hi, fmt.Sprintf(done, "b")},
			[]string{"at 1: m; error  slow_down", "at 2: n; 4o2; says Hi; ok completed"}},
		{"other messages are of no call", []string{`{"type":"session.created"}`, hi, `>{"type":"response.steer"}`, `>no JSON`, `no JSON`}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := stream.NewSocket(stream.Options{Content: true})
			var got []string
			note := func(call *stream.SocketCall) {
				mode := ""
				if !call.Request.Generates {
					mode = " warms up"
				}
				got = append(got, fmt.Sprintf("at %d: %s%s; %s", call.At.Milliseconds(), call.Request.Model, mode, drawn(call.Result())))
			}
			for i, f := range c.frames {
				at := ms(float64(i + 1))
				if f, ok := strings.CutPrefix(f, ">"); ok {
					s.Client(at, []byte(f))
				} else if call := s.Server(at, []byte(f)); call != nil && call.Result().End != nil {
					note(call)
				}
			}
			for _, call := range s.Close(ms(float64(len(c.frames)+1)), context.Canceled) {
				note(call)
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
