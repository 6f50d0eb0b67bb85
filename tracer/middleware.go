package tracer

import (
	"bytes"
	"hash/maphash"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"

	"go.opentelemetry.io/otel/trace"

	"github.com/seed46266073/longpole/tracer/stream"
)

// maxRequest bounds the copy of a request's body; of a larger one nothing is read.
const maxRequest = 16 << 20

// Middleware records one HTTP request to a model as an attempt and passes it on. It fits openai-go's option.Middleware. The
// response is the caller's as it was: same bytes, same errors, Close cancels the request.
//
// The request belongs to the model call of its context. Without one, a call is made for it, and joined by requests with
// an equal body that follow a failed one as its retries. Requests that generate nothing (lists of models, files, embeddings) are
// passed on unrecorded unless a model call was started for them.
func (t *Tracer) Middleware(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if t == nil {
		return next(req)
	}
	a, traced := t.begin(req)
	if a == nil {
		return next(traced)
	}
	resp, err := next(traced)
	a.answer(resp, err)
	return resp, err
}

// begin starts the attempt of a request. The request returned is the one to send; a is nil if it is not recorded.
func (t *Tracer) begin(req *http.Request) (a *attempt, traced *http.Request) {
	traced = req
	defer func() {
		if recover() != nil {
			a = nil
		}
	}()
	call := callOf(req.Context())
	decoder, known := stream.New(req.URL.Path, stream.Options{Think: t.opt.Think, Content: t.opt.Content})
	if call != nil && (call.isEnded() || call.run.tracer != t) {
		call = nil
	}
	if call == nil && (!known || req.Method != http.MethodPost) {
		return nil, req
	}
	traced = req.Clone(req.Context())
	body := copyBody(traced)
	facts := stream.ParseRequest(req.Method, req.URL.Path, req.Header, body)
	if call == nil {
		call = t.implicitCall(req, body, facts)
	}
	call.describe(facts)
	a = call.startAttempt(req, decoder)
	ctx := trace.ContextWithSpan(req.Context(), a.span)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				a.wroteRequest()
			}
		},
	})
	return a, traced.WithContext(ctx)
}

func (c *ModelCall) isEnded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

var hashSeed = maphash.MakeSeed()

// implicitCall returns the failed call that the request repeats, or a new one.
func (t *Tracer) implicitCall(req *http.Request, body []byte, facts stream.Request) *ModelCall {
	run := runOf(req.Context())
	if run == nil || run.tracer != t {
		run = t.loose
	}
	hash := maphash.Bytes(hashSeed, body)
	if before := run.take(hash); before != nil {
		if count := req.Header.Get("X-Stainless-Retry-Count"); count != "0" && len(body) > 0 {
			return before
		}
		before.endImplicit()
	}
	call := run.startCall(req.Context(), ModelRequest{Model: facts.Model, Effort: facts.Effort, Stream: facts.Stream})
	call.implicit, call.hash = true, hash
	return call
}

// copyBody returns the body of a request that is about to be sent, without taking it from the sender; nil if that
// cannot be done.
func copyBody(req *http.Request) []byte {
	if req.Body == nil || req.Body == http.NoBody || req.Header.Get("Content-Encoding") != "" || req.ContentLength > maxRequest {
		return nil
	}
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil
		}
		defer body.Close()
		b, err := io.ReadAll(io.LimitReader(body, maxRequest+1))
		if err != nil || len(b) > maxRequest {
			return nil
		}
		return b
	}
	if req.ContentLength <= 0 {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(req.Body, req.ContentLength))
	rest := io.Reader(req.Body)
	if err != nil {
		rest = failing{err}
	}
	req.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(b), rest), req.Body}
	return b
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// answer takes what came of the request, and puts the recording body around the response's own. The caller gets its
// response whatever happens here.
func (a *attempt) answer(resp *http.Response, err error) {
	defer func() { _ = recover() }() // nothing here may reach the agent
	switch {
	case err != nil:
		a.fail(err)
	case resp.StatusCode == http.StatusSwitchingProtocols || resp.Body == nil || resp.Body == http.NoBody:
		a.gotHeaders(resp)
		a.finish(a.offset(), io.EOF)
	default:
		a.gotHeaders(resp)
		if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
			a.blind()
		}
		resp.Body = newBody(resp.Body, a)
	}
}

// blind gives up on decoding a body that is compressed: its bytes are timed, its contents unknown.
func (a *attempt) blind() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.decodeWith(&stream.Opaque{})
}

// fail ends an attempt that got no response.
func (a *attempt) fail(err error) {
	at := a.offset()
	a.mu.Lock()
	a.err = err
	a.mu.Unlock()
	a.finish(at, err)
}
