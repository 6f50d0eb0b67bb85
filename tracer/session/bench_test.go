package session_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/traces"
)

type discard struct{}

func (discard) Write(...traces.Record) error { return nil }

func sinkOfNothing(string) (session.Sink, error) { return discard{}, nil }

// What observing costs for an exchange of a run that has so many behind it.
func BenchmarkExchange(b *testing.B) {
	for _, steps := range []int{10, 1000} {
		b.Run(fmt.Sprint(steps, " steps"), func(b *testing.B) {
			list := make([]*proxy.Exchange, steps)
			says := "sys:s user:u"
			for i := range list {
				id := fmt.Sprint("call", i)
				list[i] = req{at: 2 * i, end: 2*i + 1, says: says, asks: id + "=ls"}.exchange(int64(i + 1))
				says += " call:" + id + " result:" + id
			}
			b.ReportAllocs()
			for b.Loop() {
				tracker := session.New(session.Options{Open: sinkOfNothing, OneRun: true})
				for _, x := range list {
					begun, ended := *x, *x
					result := *x.Result
					ended.Result = &result
					tracker.Begin(&begun)
					tracker.End(&ended)
				}
				tracker.Close(list[steps-1].End)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/exchange")
		})
	}
}

// What a report of progress costs while so many stream at once, each with 500 chunks so far.
func BenchmarkProgress(b *testing.B) {
	const streams = 1000
	tracker := session.New(session.Options{Open: sinkOfNothing})
	list := make([]*proxy.Exchange, streams)
	for i := range list {
		x := req{at: 0, end: 1_000_000, conn: int64(i), says: "sys:s user:" + fmt.Sprint(i)}.exchange(int64(i + 1))
		tracker.Begin(streaming(x))
		var chunks []time.Duration
		for k := range 500 {
			chunks = append(chunks, time.Duration(k)*20*msec)
		}
		list[i] = streaming(x, chunks...)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		x := list[i%streams]
		x.LastByte = epoch.Add(10*time.Second + time.Duration(i)*msec/4) // 4,000 reports a second
		tracker.Progress(x)
		i++
	}
}
