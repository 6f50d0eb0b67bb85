package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/tracer/cassette"
	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/report"
)

// recordingOptions are the flags that record and proxy share.
type recordingOptions struct {
	listen    string
	upstreams []string
	think     string
	stall     time.Duration
	cassette  string
	content   bool
	selfCheck bool
}

var thinkWords = map[string]stream.ThinkTags{"auto": stream.ThinkAuto, "on": stream.ThinkOn, "off": stream.ThinkOff}

// flags declares the flags.
func (opt *recordingOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&opt.think, "think-tags", "auto", "`WHEN` text between <think> tags is reasoning: on, off, or auto: where a reply opens with the tag")
	f.DurationVar(&opt.stall, "stall-threshold", 0, "silence in a stream that counts as a stall (default: the larger of 500ms and 20 × its median gap)")
	f.StringVar(&opt.cassette, "cassette", "", "`FILE` for the responses with their timing, to be served by longpole model --replay")
	f.BoolVar(&opt.content, "content", false, "keep what was said, in the cassette and only there (default: filler of the same length)")
	f.BoolVar(&opt.selfCheck, "self-check", false, "say how much time the proxy itself has added")
	_ = cmd.RegisterFlagCompletionFunc("think-tags", cobra.FixedCompletions([]string{"auto", "on", "off"}, cobra.ShellCompDirectiveNoFileComp))
}

// check reads the flags, and returns the upstreams.
func (opt *recordingOptions) check() ([]proxy.Upstream, error) {
	if _, ok := thinkWords[opt.think]; !ok {
		return nil, misused("--think-tags %q: want auto, on or off", opt.think)
	}
	if err := checkStall(opt.stall); err != nil {
		return nil, err
	}
	if opt.content && opt.cassette == "" {
		return nil, misused("--content is for --cassette FILE: nothing else keeps what was said")
	}
	var ups []proxy.Upstream
	for _, text := range opt.upstreams {
		up, err := proxy.ParseUpstream(text)
		if err != nil {
			return nil, misused("--upstream: %w", err)
		}
		ups = append(ups, up)
	}
	return ups, nil
}

// A recording is a proxy at work, whose traffic becomes runs.
type recording struct {
	listener net.Listener
	proxy    *proxy.Proxy
	tally    *tally
	tape     *os.File // of the cassette; nil: none
	cassette *cassette.Writer
	served   chan error
}

// listenFor opens the address that the proxy will have, and warns of one that others reach.
func (opt *recordingOptions) listenFor(ctx context.Context, stderr io.Writer) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", opt.listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w; choose another address with --listen", opt.listen, err)
	}
	if addr, ok := listener.Addr().(*net.TCPAddr); ok && !addr.IP.IsLoopback() {
		fmt.Fprintf(stderr, "longpole: whoever reaches %s can use this proxy; 127.0.0.1 is for this machine alone\n", addr)
	}
	return listener, nil
}

// reachable returns the address at which programs on this machine reach a listener.
func reachable(l net.Listener) string {
	if addr, ok := l.Addr().(*net.TCPAddr); ok && addr.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", addr.Port)
	}
	return l.Addr().String()
}

// start begins to forward what comes to listener to the upstreams. The recording owns the listener, also if there is an error.
func (opt *recordingOptions) start(listener net.Listener, upstreams []proxy.Upstream, tracker *session.Tracker) (*recording, error) {
	r := &recording{listener: listener, tally: &tally{Tracker: tracker, others: map[string]int{}}, served: make(chan error, 1)}
	config := proxy.Config{Upstreams: upstreams, Observer: r.tally, Think: thinkWords[opt.think]}
	if opt.cassette != "" {
		tape, err := os.OpenFile(opt.cassette, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			listener.Close()
			return nil, fmt.Errorf("cassette: %w", err)
		}
		r.tape = tape
		r.cassette = cassette.NewWriter(tape, opt.content)
		config.Tap = r.cassette
	}
	r.proxy = proxy.New(config)
	go func() { r.served <- r.proxy.Serve(listener) }()
	return r, nil
}

// end breaks off what is under way, and closes the runs; at is when the traffic ended.
func (r *recording) end(at time.Time) error {
	_ = r.proxy.Close() // of a listener that is closed already
	r.tally.Close(at)
	if r.tape == nil {
		return nil
	}
	if err := cmp.Or(r.cassette.Err(), r.tape.Close()); err != nil {
		return fmt.Errorf("cassette: %w", err)
	}
	return nil
}

// sayOverhead prints what the proxy has added.
func (r *recording) sayOverhead(w io.Writer) {
	s := r.proxy.SelfCheck()
	fmt.Fprintf(w, "self-check  %s, %s timed", traces.FormatCount(int(s.Exchanges), "request"), traces.FormatCount(int(s.Chunks), "chunk"))
	if s.Chunks > 0 {
		fmt.Fprintf(w, ": added %s at the median, %s at the 99th percentile, %s at worst; %s held for a slow reader",
			report.Duration(s.Median), report.Duration(s.P99), report.Duration(s.Worst), traces.FormatCount(int(r.tally.heldChunks()), "chunk"))
	}
	if s.Incomplete > 0 {
		fmt.Fprintf(w, "; %s not recorded completely", traces.FormatCount(int(s.Incomplete), "request"))
	}
	fmt.Fprintln(w)
}

// A tally counts exchanges on their way to the tracker.
type tally struct {
	*session.Tracker

	mu     sync.Mutex
	calls  int            // that asked for output
	others map[string]int // requests by method and path, and how they ended
	held   int64
}

// End counts an exchange.
func (t *tally) End(x *proxy.Exchange) {
	t.mu.Lock()
	t.held += int64(x.Overhead.Held)
	switch {
	case x.Request.Generates:
		t.calls++
	case x.Tunnel == 0 || !x.Prewarm:
		word := x.Err
		if x.Status != 0 {
			word = fmt.Sprintf("%d %s", x.Status, http.StatusText(x.Status))
		}
		t.others[fmt.Sprintf("%s %s: %s", x.Method, x.Path, cmp.Or(word, "no response"))]++
	}
	t.mu.Unlock()
	t.Tracker.End(x)
}

func (t *tally) heldChunks() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held
}

// modelCalls returns how many requests asked for output.
func (t *tally) modelCalls() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls
}

// otherRequests describes the requests that asked for no output.
func (t *tally) otherRequests() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.others))
}
