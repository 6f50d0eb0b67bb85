package cassette

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
)

// A Handler answers requests with the recorded responses of a cassette, each once. It is safe for concurrent use.
//
// A request gets the response to the first recorded request not yet used that had the same method and path: the first of those with the
// same body, where the cassette has hashes; else of those that asked the same model, and for a stream as it does or not; else of all. When
// there is none left it gets status 404 and a body that says so.
type Handler struct {
	speed float64

	mu   sync.Mutex
	left []Exchange // in the order of the cassette
	used int
}

// NewHandler returns a handler for c. A speed of 2 plays it twice as fast; 0 means 1.
func NewHandler(c *Cassette, speed float64) *Handler {
	if speed <= 0 {
		speed = 1
	}
	return &Handler{speed: speed, left: slices.Clone(c.Exchanges)}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	sent := time.Now()
	x, ok := h.pick(r, body)
	if !ok {
		h.exhausted(w, r)
		return
	}
	until := func(at time.Duration) bool {
		select {
		case <-time.After(time.Until(sent.Add(time.Duration(float64(at) / h.speed)))):
			return true
		case <-r.Context().Done():
			return false
		}
	}
	if !until(x.HeadAt) {
		return
	}
	for name, values := range x.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(x.Status)
	flush := http.NewResponseController(w).Flush
	_ = flush()
	for _, c := range x.Chunks {
		if !until(c.At) {
			return
		}
		_, _ = w.Write(c.Bytes)
		_ = flush()
	}
	if until(x.EndAt) && x.Ending != EOF {
		panic(http.ErrAbortHandler)
	}
}

// pick takes the exchange that answers a request.
func (h *Handler) pick(r *http.Request, body []byte) (Exchange, bool) {
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	asked := stream.ParseRequest(r.Method, r.URL.Path, r.Header, body)
	h.mu.Lock()
	defer h.mu.Unlock()
	i := -1
	for _, fits := range []func(Request) bool{
		func(q Request) bool { return q.Body == hash },
		func(q Request) bool { return q.Model == asked.Model && q.Stream == asked.Stream },
		func(Request) bool { return true },
	} {
		i = slices.IndexFunc(h.left, func(x Exchange) bool {
			return x.Request.Method == r.Method && x.Request.Path == r.URL.Path && fits(x.Request)
		})
		if i >= 0 {
			break
		}
	}
	if i < 0 {
		return Exchange{}, false
	}
	x := h.left[i]
	h.left = slices.Delete(h.left, i, i+1)
	h.used++
	return x, true
}

// Left returns how many exchanges have not been played.
func (h *Handler) Left() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.left)
}

func (h *Handler) exhausted(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	message := fmt.Sprintf("the cassette has no response left for %s %s (%d played, %d left for others); record a longer one", r.Method, r.URL.Path, h.used, len(h.left))
	h.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "cassette_exhausted"}})
}
