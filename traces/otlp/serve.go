package otlp

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/seed46266073/longpole/traces"
)

// The content types of OTLP/HTTP.
const (
	typeProtobuf = "application/x-protobuf"
	typeJSON     = "application/json"
)

// A failure is why a request over HTTP is refused.
type failure struct {
	status  int
	message string
}

func (f *failure) Error() string { return f.message }

// serve answers a request over OTLP/HTTP: in the request's own encoding, failures as a google.rpc.Status, as the OTLP specification
// asks for.
func (r *Receiver) serve(w http.ResponseWriter, req *http.Request) {
	isJSON := mediaType(req) == typeJSON
	message, err := r.answer(w, req)
	if err != nil {
		refuse(w, isJSON, err)
		return
	}
	write(w, isJSON, http.StatusOK, message)
}

// answer does what a request asks for.
func (r *Receiver) answer(w http.ResponseWriter, req *http.Request) (proto.Message, error) {
	nothing := &collectorpb.ExportTraceServiceResponse{} // the answers of all signals are empty alike
	switch path := req.URL.Path; {
	case path != "/v1/traces" && path != "/v1/logs" && path != "/v1/metrics":
		return nil, &failure{http.StatusNotFound, fmt.Sprintf("there is nothing at %s; OTLP goes to /v1/traces", path)}
	case req.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return nil, &failure{http.StatusMethodNotAllowed, "OTLP is sent with POST"}
	case path == "/v1/logs":
		r.logs.Add(1)
		return nothing, discard(w, req)
	case path == "/v1/metrics":
		r.metrics.Add(1)
		return nothing, discard(w, req)
	}
	body, err := unpacked(w, req)
	if err != nil {
		return nil, err
	}
	var d delivery
	switch kind := mediaType(req); kind {
	case typeProtobuf, "application/protobuf":
		d, err = fromProtobuf(body)
	case typeJSON:
		d, err = fromJSON(body)
	default:
		return nil, &failure{http.StatusUnsupportedMediaType, fmt.Sprintf("content type %q is not OTLP's; send %s or %s", kind, typeProtobuf, typeJSON)}
	}
	if err != nil {
		return nil, &failure{http.StatusBadRequest, err.Error()}
	}
	if err := r.hand(d.records, d.nameless, len(body)); err != nil {
		return nil, err
	}
	return d.response(), nil
}

func mediaType(req *http.Request) string {
	kind, _, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if err != nil {
		return req.Header.Get("Content-Type")
	}
	return kind
}

// discard reads a body that is not wanted, so that the connection can be used again.
func discard(w http.ResponseWriter, req *http.Request) error {
	_, err := io.Copy(io.Discard, http.MaxBytesReader(w, req.Body, maxBody))
	return unreadable(err)
}

// unpacked reads the body.
func unpacked(w http.ResponseWriter, req *http.Request) ([]byte, error) {
	var src io.Reader = http.MaxBytesReader(w, req.Body, maxBody)
	switch coding := strings.ToLower(strings.TrimSpace(req.Header.Get("Content-Encoding"))); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		unzip, err := gzip.NewReader(src)
		if err != nil {
			return nil, unreadable(err)
		}
		src = unzip
	default:
		return nil, &failure{http.StatusUnsupportedMediaType, fmt.Sprintf("content encoding %q is not known; send gzip or none", coding)}
	}
	body, err := io.ReadAll(io.LimitReader(src, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = &http.MaxBytesError{Limit: maxBody}
	}
	return body, unreadable(err)
}

// unreadable says why a body could not be read.
func unreadable(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &tooLarge):
		return &failure{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes; send smaller batches", maxBody)}
	}
	return &failure{http.StatusBadRequest, "read body: " + err.Error()}
}

// A delivery is what one request brought.
type delivery struct {
	records  []traces.Record
	nameless int    // spans without an id, which are left out
	warning  string // of the records that are kept
}

func fromProtobuf(body []byte) (delivery, error) {
	var req collectorpb.ExportTraceServiceRequest
	if err := unmarshal(body, &req); err != nil {
		return delivery{}, err
	}
	var d delivery
	d.records, d.nameless = fromProtos(req.GetResourceSpans())
	return d, nil
}

// fromJSON takes a body whole or not at all.
func fromJSON(body []byte) (delivery, error) {
	r := newReader(&resources{})
	defer r.pool.release()
	_ = r.readAll(bytes.NewReader(body), pieceSize) // memory does not fail
	d := delivery{records: r.records, nameless: r.nameless.count}
	for _, p := range r.problems {
		switch {
		case p.Code == traces.UnreadableLine:
			return delivery{}, errors.New(p.Message)
		case d.warning == "":
			d.warning = p.Message
		}
	}
	if d.nameless == 0 {
		return d, r.verdict()
	}
	return d, nil
}

// response answers a delivery; what was left out is a partial success.
func (d *delivery) response() *collectorpb.ExportTraceServiceResponse {
	resp := &collectorpb.ExportTraceServiceResponse{}
	switch {
	case d.nameless > 0:
		resp.PartialSuccess = &collectorpb.ExportTracePartialSuccess{RejectedSpans: int64(d.nameless), ErrorMessage: "spans without an id"}
	case d.warning != "":
		resp.PartialSuccess = &collectorpb.ExportTracePartialSuccess{ErrorMessage: d.warning}
	}
	return resp
}

// busy refuses a request that found no place.
func busy(w http.ResponseWriter, req *http.Request, overGRPC bool) {
	if !overGRPC {
		refuse(w, mediaType(req) == typeJSON, errBusy)
		return
	}
	// A gRPC response of trailers only.
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Grpc-Status", fmt.Sprint(uint32(codes.Unavailable)))
	w.Header().Set("Grpc-Message", errBusy.Error())
	w.WriteHeader(http.StatusOK)
}

// refuse answers with a failure; errBusy is one that exporters try again after.
func refuse(w http.ResponseWriter, isJSON bool, err error) {
	code, httpStatus := codes.InvalidArgument, http.StatusServiceUnavailable
	var f *failure
	if errors.As(err, &f) {
		httpStatus = f.status
	} else {
		code = codes.Unavailable
		w.Header().Set("Retry-After", "1")
	}
	write(w, isJSON, httpStatus, status.New(code, err.Error()).Proto())
}

// write sends a message in the encoding of the request.
func write(w http.ResponseWriter, isJSON bool, httpStatus int, message proto.Message) {
	kind, encode := typeProtobuf, proto.Marshal
	if isJSON {
		kind, encode = typeJSON, protojson.Marshal
	}
	body, err := encode(message)
	if err != nil { // text that is not UTF-8, quoted from the request
		body = nil
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(httpStatus)
	_, _ = w.Write(body)
}
