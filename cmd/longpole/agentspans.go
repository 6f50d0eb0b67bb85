package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// agentSpans receives the spans that a recorded command sends by itself. They go into the run's file as they come, beside those of the
// wire, and are joined with these whenever the file is read: so a kill at any moment leaves what both had said until then.
type agentSpans struct {
	receiver *otlp.Receiver // nil: the command's spans go elsewhere
	listener net.Listener
	run      session.Run
	notes    []string
	count    atomic.Int64
}

// endpoints are the variables that say where spans go.
var endpoints = []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"}

// receiveSpans begins to receive spans and to write them to sink. If that cannot be, the command's spans go where they went, and a note
// says so.
func receiveSpans(ctx context.Context, sink session.Sink, run session.Run) *agentSpans {
	s := &agentSpans{run: run}
	if endpoint := cmp.Or(os.Getenv(endpoints[0]), os.Getenv(endpoints[1])); endpoint != "" {
		s.notes = append(s.notes, fmt.Sprintf("the command's own spans go to %s, as the environment says, and not into the run", endpoint))
		return s
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		s.notes = append(s.notes, fmt.Sprintf("the command's own spans are not received: %v", err))
		return s
	}
	s.listener = listener
	s.receiver = otlp.NewReceiver(func(records []traces.Record) {
		removeContent(records)
		for i := range records {
			records[i].Attrs = records[i].Attrs.With(traces.KeyRunID, run.ID)
		}
		s.count.Add(int64(len(records)))
		_ = sink.Write(records...) // the writer counts what is lost
	})
	go func() { _ = s.receiver.Serve(listener) }() // until it is closed
	return s
}

// environment returns the command's environment with what its spans need: where they go, and which span they lie below. Where they
// go elsewhere, what they lie below there stays.
func (s *agentSpans) environment(env []string) []string {
	set := map[string]string{"TRACEPARENT": fmt.Sprintf("00-%s-%s-01", s.run.TraceID, s.run.SpanID)}
	if s.receiver != nil {
		set["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://" + s.listener.Addr().String()
		set["OTEL_EXPORTER_OTLP_PROTOCOL"] = "http/protobuf"
	} else if os.Getenv("TRACEPARENT") != "" {
		return env
	}
	env = slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		_, ours := set[name]
		return ours
	})
	for _, name := range slices.Sorted(maps.Keys(set)) {
		env = append(env, name+"="+set[name])
	}
	return env
}

// received returns how many spans have come.
func (s *agentSpans) received() int64 { return s.count.Load() }

// end takes what is under way, for two seconds at most.
func (s *agentSpans) end() {
	if s.receiver == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = s.receiver.Close(ctx) // spans that take longer are lost, as they are when a collector goes away
}

// contentKeys are words in the keys of attributes that hold what was said, or what a tool was given or gave, in any library's spelling.
var contentKeys = regexp.MustCompile(`(?i)(^|[._])(prompts?|inputs?|outputs?|messages?|content|text|body|arguments?|args|parameters|results?|query|headers?|cookies?|values?|` +
	`completions?|instructions?|commands?|cmd|argv|stacktrace|documents?|description|url|uri|path|file|cwd|diff|metadata|tags|user|email|authorization|api_key|token|secret|password)([._0-9]|$)|` +
	`(?i)(prompt|input|output|message|text|args|arguments|result|schema|stack)s?$`)

// removeContent takes out of another program's spans what may be content: of their attributes, and those of their resources, numbers, truth
// values and single words stay, unless the key says that they are content. The message of a status is content.
func removeContent(records []traces.Record) {
	resources := map[*traces.Resource]*traces.Resource{nil: nil}
	for i := range records {
		rec := &records[i]
		rec.Message = ""
		rec.Attrs = withoutContent(rec.Attrs)
		for k := range rec.Events {
			rec.Events[k].Attrs = withoutContent(rec.Events[k].Attrs)
		}
		for k := range rec.Links {
			rec.Links[k].Attrs = withoutContent(rec.Links[k].Attrs)
		}
		clean, ok := resources[rec.Resource]
		if !ok {
			clean = &traces.Resource{Attrs: withoutContent(rec.Resource.Attrs)}
			resources[rec.Resource] = clean
		}
		rec.Resource = clean
	}
}

func withoutContent(attrs traces.Attrs) traces.Attrs {
	var kept traces.Attrs
	for _, a := range attrs {
		switch v := a.Value.(type) {
		case bool, int64, float64:
		case string:
			if contentKeys.MatchString(a.Key) || !isWord(v) {
				continue
			}
		case []any:
			words := len(v) > 0 && !contentKeys.MatchString(a.Key)
			for _, item := range v {
				s, ok := item.(string)
				words = words && ok && isWord(s)
			}
			if !words {
				continue
			}
		default:
			continue
		}
		kept = append(kept, a)
	}
	return kept
}

// isWord reports whether s is a name, an id or the like, and no text.
func isWord(s string) bool {
	const longest = 128
	return len(s) <= longest && !strings.ContainsAny(s, "\n\r\t{}[]<>\"'=") && strings.Count(s, " ") <= 3
}
