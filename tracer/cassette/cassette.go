// Package cassette keeps recorded responses with their timing, and plays them again.
//
// A cassette is a file of JSON lines: a head, then one exchange a line, in the order in which they ended. An exchange is what its
// request asked for, as far as a later request is matched with it, and the response: status, a few headers, and the body piece by
// piece, each with the time at which it arrived. Pieces are cut as they came, so that a reader of the stream meets the same splits.
//
// Unless content is asked for, everything that may be said in a body is replaced by filler of the same length: the framing, the
// JSON, the kinds of events, ids, names, counts and times stay, so that whatever measures the stream measures the same. See Mask.
package cassette

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Schema names the format in a cassette's first line.
const Schema = "longpole.cassette/v1"

type fileHead struct {
	Schema  string `json:"schema"`
	Content bool   `json:"content"`
}

// An Exchange is one request and its recorded response. Times count from the moment at which the request had been sent.
type Exchange struct {
	Request Request       `json:"request"`
	Status  int           `json:"status"`
	Header  http.Header   `json:"header"` // those of Headers only; the body is not encoded
	HeadAt  time.Duration `json:"head_ns"`
	Chunks  []Chunk       `json:"chunks"`
	EndAt   time.Duration `json:"end_ns"`
	Ending  Ending        `json:"ending"`
}

// A Request is what a later request is matched by.
type Request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Model  string `json:"model,omitempty"`
	Stream bool   `json:"stream,omitempty"`
	Body   string `json:"body_sha256,omitempty"` // only where content is kept: a hash tells whether a guess is right
}

// A Chunk is what one read of the network brought.
type Chunk struct {
	At    time.Duration
	Bytes []byte
}

// An Ending is how a response ended.
type Ending string

// The endings.
const (
	EOF       Ending = "eof"       // completely
	Aborted   Ending = "aborted"   // the connection broke off
	Cancelled Ending = "cancelled" // the client left
)

// Headers are the response headers that are kept. None of them holds a secret.
var Headers = []string{"Content-Type", "Retry-After", "Retry-After-Ms", "X-Should-Retry", "X-Request-Id", "Request-Id", "Openai-Processing-Ms",
	"Anthropic-Version", "Openai-Version"}

type chunkJSON struct {
	At    int64   `json:"at_ns"`
	Text  *string `json:"text,omitempty"`  // where the piece is UTF-8
	Bytes []byte  `json:"bytes,omitempty"` // base64, where it is not
}

// MarshalJSON writes the bytes as text where they are.
func (c Chunk) MarshalJSON() ([]byte, error) {
	j := chunkJSON{At: int64(c.At), Bytes: c.Bytes}
	if utf8.Valid(c.Bytes) {
		text := string(c.Bytes)
		j.Text, j.Bytes = &text, nil
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Chunk) UnmarshalJSON(b []byte) error {
	var j chunkJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	c.At, c.Bytes = time.Duration(j.At), j.Bytes
	if j.Text != nil {
		c.Bytes = []byte(*j.Text)
	}
	return nil
}

// A Writer writes a cassette. It is safe for concurrent use.
type Writer struct {
	content bool

	mu    sync.Mutex
	w     io.Writer
	begun bool
	err   error
}

// NewWriter returns a writer to w. content keeps what was said; else it is masked.
func NewWriter(w io.Writer, content bool) *Writer { return &Writer{w: w, content: content} }

// Write appends an exchange, one line in one write. The exchange stays as it is. After an error every call returns it.
func (w *Writer) Write(x Exchange) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	w.err = w.write(x)
	return w.err
}

// Err returns the error that ended the cassette before its last exchange; nil: there was none.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *Writer) write(x Exchange) error {
	if !w.content {
		x.Request.Body = ""
		x.Chunks = masked(x)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if !w.begun {
		if err := e.Encode(fileHead{Schema, w.content}); err != nil {
			return err
		}
	}
	if err := e.Encode(x); err != nil {
		return err
	}
	if _, err := io.WriteString(w.w, b.String()); err != nil {
		return fmt.Errorf("write cassette: %w", err)
	}
	w.begun = true
	return nil
}

// masked returns the chunks of an exchange with filler, cut as they were.
func masked(x Exchange) []Chunk {
	var body []byte
	for _, c := range x.Chunks {
		body = append(body, c.Bytes...)
	}
	Mask(body)
	chunks := make([]Chunk, len(x.Chunks))
	for i, c := range x.Chunks {
		n := len(c.Bytes)
		chunks[i] = Chunk{c.At, body[:n:n]}
		body = body[n:]
	}
	return chunks
}

// A Cassette is what a file held.
type Cassette struct {
	Content   bool // what was said is kept
	Exchanges []Exchange
	CutShort  bool // the last line of the file was, and is left out
}

// Read reads a cassette.
func Read(r io.Reader) (*Cassette, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	var c *Cassette
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && c != nil {
			c.CutShort = len(line) > 0
			return c, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read cassette: line %d: %w", number, err)
		}
		if c == nil {
			var head fileHead
			if json.Unmarshal(line, &head) != nil || head.Schema != Schema {
				return nil, fmt.Errorf("read cassette: line 1 does not say %q; is it a file that --cassette wrote?", Schema)
			}
			c = &Cassette{Content: head.Content}
			continue
		}
		var x Exchange
		if err := json.Unmarshal(line, &x); err != nil {
			return nil, fmt.Errorf("read cassette: line %d: %w; record it again", number, err)
		}
		c.Exchanges = append(c.Exchanges, x)
	}
}
