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
)

// A Handler answers requests with the recorded responses of a cassette, each once. It is safe for concurrent use.
//
// A request gets the response to the first recorded request not yet used that had the same method and path, and, where the
// cassette has hashes and one of them fits, the same body. When there is none left it gets status 404 and a body that says so.
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
	hash := sha256.New()
	if _, err := io.Copy(hash, r.Body); err != nil {
		return // the client has left
	}
	sent := time.Now()
	x, ok := h.pick(r, hex.EncodeToString(hash.Sum(nil)))
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
func (h *Handler) pick(r *http.Request, body string) (Exchange, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	same := func(x Exchange) bool { return x.Request.Method == r.Method && x.Request.Path == r.URL.Path }
	i := slices.IndexFunc(h.left, func(x Exchange) bool { return same(x) && x.Request.Body == body })
	if i < 0 {
		i = slices.IndexFunc(h.left, same)
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
