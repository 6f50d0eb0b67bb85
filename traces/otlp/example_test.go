package otlp_test

import (
	"context"
	"fmt"
	"net"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

func ExampleReceiver() {
	receiver := otlp.NewReceiver(func(records []traces.Record) {
		for _, s := range records {
			fmt.Println(s.Name)
		}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	served := make(chan error)
	go func() { served <- receiver.Serve(listener) }()

	ctx := context.Background()
	for _, protocol := range []string{"http/protobuf", "grpc"} { // on one port
		span := []traces.Record{{TraceID: "01", SpanID: "02", Name: "chat over " + protocol, Start: 1, End: 2}}
		if _, err := otlp.Export(ctx, span, otlp.Options{Endpoint: "http://" + listener.Addr().String(), Protocol: protocol}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(receiver.Close(ctx), <-served)
	fmt.Println(receiver.Received().Spans, "spans")
	// Output:
	// chat over http/protobuf
	// chat over grpc
	// <nil> <nil>
	// 2 spans
}
