package simmodel

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// An api is one way to talk to the models: where it is asked, what a request says, and how an error is worded. How an
// answer is worded comes with the request that was read.
type api interface {
	name() string     // in truths
	routes(s *Server) // puts its handlers on s.mux
	read(s *Server, r *http.Request, body []byte) (*request, error)
	fail(w http.ResponseWriter, e *apiError)
}

// apis are the APIs that every server speaks.
var apis = []api{
	chatAPI{},
	responsesAPI{},
	messagesAPI{},
	ollamaAPI{},
	ollamaAPI{generate: true},
	geminiAPI{},
}

// generates returns the handler of requests for output.
func (s *Server) generates(a api) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := readBody(w, r)
		received := time.Now()
		if err != nil {
			a.fail(w, asAPIError(err))
			return
		}
		g := s.generation(r.Context(), a, received)
		g.retries, _ = strconv.Atoi(r.Header.Get("X-Stainless-Retry-Count"))
		g.refuse = func(e *apiError) { a.fail(w, e) }
		w.Header().Set("X-Request-Id", g.truth.RequestID)
		defer g.log()
		asked, err := a.read(s, r, body)
		if err == nil {
			err = g.prepare(asked)
		}
		if err != nil {
			g.fail(err)
			return
		}
		g.serve(asked.answer(g, w))
	}
}

// maxBody bounds what a request may make the server hold.
const maxBody = 64 << 20

// readBody reads a request's body and undoes its compression.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	in := io.Reader(http.MaxBytesReader(w, r.Body, maxBody))
	var err error
	switch coding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		in, err = gzip.NewReader(in)
	case "deflate":
		in, err = zlib.NewReader(in)
	case "zstd":
		var z *zstd.Decoder
		if z, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody)); err == nil {
			defer z.Close()
			in = z
		}
	default:
		return nil, &apiError{status: http.StatusUnsupportedMediaType, kind: "invalid_request_error",
			message: fmt.Sprintf("content encoding %q is not supported; send gzip, deflate, zstd or none", coding)}
	}
	if err != nil {
		return nil, badRequest("", "the body cannot be read: %v", err)
	}
	body, err := io.ReadAll(io.LimitReader(in, maxBody+1))
	if err != nil {
		return nil, badRequest("", "the body cannot be read: %v", err)
	}
	if len(body) > maxBody {
		return nil, badRequest("", "the body is larger than %d bytes", maxBody)
	}
	return body, nil
}

// unmarshal reads a request of one API.
func unmarshal(body []byte, into any, what string) error {
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(into); err != nil {
		return badRequest("", "the body is not %s: %v", what, err)
	}
	return nil
}

// An apiError is what a client is told to be wrong. Its words are OpenAI's; the other APIs have theirs for its status.
type apiError struct {
	status     int
	message    string
	kind       string
	param      string
	code       string
	retryAfter time.Duration // modelled; 0: it does not say
}

func (e *apiError) Error() string { return e.message }

func badRequest(param, format string, args ...any) *apiError {
	return &apiError{status: http.StatusBadRequest, message: fmt.Sprintf(format, args...), kind: "invalid_request_error", param: param}
}

func asAPIError(err error) *apiError {
	var e *apiError
	if !errors.As(err, &e) {
		e = &apiError{status: http.StatusInternalServerError, kind: "server_error", message: err.Error()}
	}
	return e
}

func rateLimited(d time.Duration) *apiError {
	return &apiError{status: http.StatusTooManyRequests, kind: "requests", code: "rate_limit_exceeded", retryAfter: d,
		message: fmt.Sprintf("the simulated rate limit is reached; try again in %v", d)}
}

func broken() *apiError {
	return &apiError{status: http.StatusInternalServerError, kind: "server_error", code: "server_error",
		message: "the simulated server had an error, as it was told to"}
}

// headers returns those that ask for a pause.
func (e *apiError) headers() http.Header {
	h := http.Header{}
	if d := e.retryAfter; d > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(d.Seconds()))))
		if d%time.Second != 0 {
			h.Set("Retry-After-Ms", strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64))
		}
	}
	return h
}

// write sends the error as a JSON document.
func (e *apiError) write(w http.ResponseWriter, document any) {
	maps.Copy(w.Header(), e.headers())
	writeJSON(w, e.status, document)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body := append(quote(v), '\n')
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // if the client is gone, nobody misses it
}

// quote returns v as JSON. It is for our own types only, which all have a form in JSON.
func quote(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
