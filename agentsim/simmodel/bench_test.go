package simmodel_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

// 1,000 streams at once over loopback sockets, clients in the same process, each chunk's arrival against its timetable.
// The target is a 99th percentile below 5 ms on two cores.
func Benchmark1000Streams(b *testing.B) {
	const streams, tokens, rate, ttft, ramp = 1000, 200, 20.0, time.Second, 1003 * time.Millisecond
	server := &http.Server{Handler: simmodel.New(simmodel.Config{
		Profiles: exact(simmodel.Exact{TTFT: ttft, Rate: rate}),
		Scripts:  script(simmodel.Reply{Text: simmodel.Filler(tokens)}),
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go server.Serve(l)
	defer server.Close()

	for b.Loop() {
		lateness := make([][]time.Duration, streams)
		var wg sync.WaitGroup
		for i := range streams {
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			wg.Go(func() {
				time.Sleep(time.Duration(i) * ramp / streams)
				late, err := streamLateness(conn, tokens, func(n int) time.Duration {
					return ttft + time.Duration(float64(n)*float64(time.Second)/rate)
				})
				if err != nil {
					b.Error(err)
				}
				lateness[i] = late
			})
		}
		wg.Wait()
		all := slices.Concat(lateness...)
		if len(all) != streams*tokens {
			b.Fatalf("%d chunks", len(all))
		}
		slices.Sort(all)
		for name, q := range map[string]float64{"p50": 0.5, "p99": 0.99, "p99.9": 0.999, "max": 1} {
			b.ReportMetric(float64(all[min(len(all)-1, int(q*float64(len(all))))].Microseconds())/1000, name+"-ms")
		}
		b.ReportMetric(streams*rate, "chunks/s")
	}
}

// streamLateness asks for a stream on a bare connection and returns how late each chunk came.
func streamLateness(conn net.Conn, tokens int, due func(int) time.Duration) ([]time.Duration, error) {
	body := ask("go")
	sent := time.Now()
	if _, err := fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: model.test\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		return nil, err
	}
	in := bufio.NewReader(conn)
	late := make([]time.Duration, 0, tokens)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return late, err
		}
		if bytes.Contains(line, []byte(`"content":`)) && !bytes.Contains(line, []byte(`"role"`)) {
			late = append(late, time.Since(sent)-due(len(late)))
		}
		if bytes.HasPrefix(line, []byte("data: [DONE]")) {
			return late, nil
		}
	}
}
