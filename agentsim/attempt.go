package agentsim

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

// errCut is a stream that ended without saying why: a cut connection can look like a clean end of the body.
var errCut = errors.New("the stream ended without a finish reason")

// A streamError is what went wrong after the response had begun.
type streamError struct{ error }

func (e streamError) Unwrap() error { return e.error }

// request returns the body of the next model call. The SDK would put it together anew for each attempt, inside the model
// call, which is nearly all that it does there: 160 of 175 µs for a conversation of 10 kB. That time is the agent's own,
// not the model's, so it is spent before the call, once.
func (l *loop) request() ([]byte, error) {
	body, err := l.params.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("the request cannot be written as JSON: %w", err)
	}
	return body, nil
}

// attempt makes the n-th request of a model call and reads its stream to the end.
func (l *loop) attempt(ctx context.Context, body []byte, n int) (*reply, error) {
	options := []option.RequestOption{
		option.WithMaxRetries(0),
		option.WithHeader("X-Stainless-Retry-Count", strconv.Itoa(n-1)), // as the SDK itself would count
	}
	if l.Tracer != nil {
		options = append(options, option.WithMiddleware(l.Tracer.Middleware))
	}
	var response *http.Response
	err := l.Client.Post(ctx, "chat/completions", body, &response, options...)
	stream := ssestream.NewStream[openai.ChatCompletionChunk](ssestream.NewDecoder(response), err)
	defer stream.Close()
	if err := stream.Err(); err != nil {
		return nil, refused(err)
	}
	l.replied = true
	r := &reply{}
	for stream.Next() {
		r.add(stream.Current())
	}
	switch {
	case stream.Err() != nil:
		return nil, streamError{stream.Err()}
	case r.finish == "":
		return nil, streamError{errCut}
	}
	for i, c := range r.calls {
		if c.id == "" { // results must be told apart
			c.id = fmt.Sprintf("call_%d_%d", len(l.params.Messages), i)
		}
	}
	return r, nil
}

// A reply is an assistant's turn, put together from its chunks.
type reply struct {
	text   strings.Builder // what it said, also if it is a refusal
	calls  []*call
	finish string
}

// A call is one tool call the model asked for.
type call struct {
	index int64 // as the provider numbers them; -1: it does not
	id    string
	name  string
	args  strings.Builder
}

// add takes the next chunk. Only the first choice counts; chunks without choices carry usage, which the tracer reads.
func (r *reply) add(chunk openai.ChatCompletionChunk) {
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		r.text.WriteString(choice.Delta.Content)
		r.text.WriteString(choice.Delta.Refusal)
		if choice.FinishReason != "" {
			r.finish = choice.FinishReason
		}
		for _, delta := range choice.Delta.ToolCalls {
			r.addCall(delta)
		}
	}
}

// addCall takes a piece of a tool call. Providers differ: an empty id or name means the same as none, and where there
// is no index a new id or name begins a new call.
func (r *reply) addCall(delta openai.ChatCompletionChunkChoiceDeltaToolCall) {
	c := r.callOf(delta)
	if c.id == "" {
		c.id = delta.ID
	}
	if c.name == "" {
		c.name = delta.Function.Name
	}
	c.args.WriteString(delta.Function.Arguments)
}

func (r *reply) callOf(delta openai.ChatCompletionChunkChoiceDeltaToolCall) *call {
	index := int64(-1)
	if delta.JSON.Index.Valid() {
		index = delta.Index
		for _, c := range r.calls {
			if c.index == index {
				return c
			}
		}
	} else if n := len(r.calls); n > 0 {
		last := r.calls[n-1]
		begins := delta.ID != "" && delta.ID != last.id || delta.ID == "" && delta.Function.Name != ""
		if !begins {
			return last
		}
	}
	c := &call{index: index}
	r.calls = append(r.calls, c)
	return c
}

// message is the reply as it goes back to the model.
func (r *reply) message() openai.ChatCompletionMessageParamUnion {
	message := &openai.ChatCompletionAssistantMessageParam{}
	if r.text.Len() > 0 {
		message.Content.OfString = openai.String(r.text.String())
	}
	for _, c := range r.calls {
		message.ToolCalls = append(message.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.id,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.name, Arguments: c.args.String()},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: message}
}
