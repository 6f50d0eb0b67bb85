package otlp

import (
	"context"
	"errors"

	logspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip" // exporters may use it
	encodingproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// newService returns the OTLP services over gRPC; the receiver's own server carries them.
func (r *Receiver) newService() *grpc.Server {
	s := grpc.NewServer(grpc.MaxRecvMsgSize(maxBody), grpc.ForceServerCodecV2(guarded{encoding.GetCodecV2(encodingproto.Name)}))
	collectorpb.RegisterTraceServiceServer(s, traceService{receiver: r})
	logspb.RegisterLogsServiceServer(s, logService{receiver: r})
	metricspb.RegisterMetricsServiceServer(s, metricService{receiver: r})
	return s
}

type traceService struct {
	collectorpb.UnimplementedTraceServiceServer
	receiver *Receiver
}

func (s traceService) Export(_ context.Context, req *collectorpb.ExportTraceServiceRequest) (*collectorpb.ExportTraceServiceResponse, error) {
	var d delivery
	d.records, d.nameless = fromProtos(req.GetResourceSpans())
	if err := s.receiver.hand(d.records, d.nameless, proto.Size(req)); err != nil {
		return nil, status.Error(codes.Unavailable, err.Error())
	}
	return d.response(), nil
}

type logService struct {
	logspb.UnimplementedLogsServiceServer
	receiver *Receiver
}

func (s logService) Export(context.Context, *logspb.ExportLogsServiceRequest) (*logspb.ExportLogsServiceResponse, error) {
	s.receiver.logs.Add(1)
	return &logspb.ExportLogsServiceResponse{}, nil
}

type metricService struct {
	metricspb.UnimplementedMetricsServiceServer
	receiver *Receiver
}

func (s metricService) Export(context.Context, *metricspb.ExportMetricsServiceRequest) (*metricspb.ExportMetricsServiceResponse, error) {
	s.receiver.metrics.Add(1)
	return &metricspb.ExportMetricsServiceResponse{}, nil
}

// guarded is gRPC's own codec, but for requests: spans are decoded with care, and the rest not at all.
type guarded struct{ encoding.CodecV2 }

func (c guarded) Unmarshal(data mem.BufferSlice, v any) error {
	switch req := v.(type) {
	case *collectorpb.ExportTraceServiceRequest:
		return unmarshal(data.Materialize(), req)
	case *logspb.ExportLogsServiceRequest, *metricspb.ExportMetricsServiceRequest:
		return nil
	}
	return c.CodecV2.Unmarshal(data, v)
}

// Limits for what is in a message. An empty message takes two bytes on the wire and a hundred times that in memory, so the size of a
// body alone bounds little.
const (
	maxMessages = 1 << 20 // parts of a request that are messages themselves
	maxLevels   = 4 * maxNesting
)

var errTooMuch = errors.New("the body holds more than a million parts, or parts nested too deep; send smaller batches")

// unmarshal decodes a request that is not too much for the memory.
func unmarshal(body []byte, req *collectorpb.ExportTraceServiceRequest) error {
	left := maxMessages
	if !fits(body, req.ProtoReflect().Descriptor(), maxLevels, &left) {
		return errTooMuch
	}
	return proto.Unmarshal(body, req)
}

// fits walks over the wire form of a message and counts those within it down. What is malformed is left to Unmarshal.
func fits(b []byte, message protoreflect.MessageDescriptor, levels int, left *int) bool {
	if *left--; *left < 0 || levels < 0 {
		return false
	}
	fields := message.Fields()
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return true
		}
		b = b[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
				return true
			}
			b = b[n:]
			continue
		}
		value, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return true
		}
		b = b[n:]
		if f := fields.ByNumber(number); f != nil && f.Message() != nil && !fits(value, f.Message(), levels-1, left) {
			return false
		}
	}
	return true
}
