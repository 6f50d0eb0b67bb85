package simmodel

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Config is what a server needs to know. The zero value serves the published profiles, without scripts and faults.
type Config struct {
	Profiles []Profile // nil: Published()
	Scripts  []Script
	Seed     int64
	Speed    float64 // modelled time ÷ real time; 0: 1
	Faults   Faults
	Truth    func(Truth) // called once a request, before its handler returns; concurrently
	Chunks   bool        // truths list every chunk
}

// A Server answers as the models of its profiles. It is safe for concurrent use.
type Server struct {
	cfg     Config
	mux     *http.ServeMux
	models  []*model
	scripts map[string]Script // by prompt

	requests atomic.Int64
	mu       sync.Mutex
	hit      map[[sha256.Size]byte]bool // bodies of requests that a drawn fault hit and that did not come again yet
}

// A model is a profile at work.
type model struct {
	Profile
	slots  chan struct{} // nil: no limit
	active atomic.Int64  // streams served
}

// New returns a server. It panics if two profiles or two scripts' prompts are the same.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, mux: http.NewServeMux(), scripts: map[string]Script{}, hit: map[[sha256.Size]byte]bool{}}
	if s.cfg.Speed <= 0 {
		s.cfg.Speed = 1
	}
	if s.cfg.Profiles == nil {
		s.cfg.Profiles = Published()
	}
	for _, p := range s.cfg.Profiles {
		if s.model(p.Name) != nil {
			panic(fmt.Sprintf("simmodel: two profiles are called %q", p.Name))
		}
		m := &model{Profile: p}
		if p.Slots > 0 {
			m.slots = make(chan struct{}, p.Slots)
		}
		s.models = append(s.models, m)
	}
	for _, script := range cfg.Scripts {
		prompt := strings.TrimSpace(script.Prompt)
		if _, has := s.scripts[prompt]; has {
			panic(fmt.Sprintf("simmodel: script %q has the prompt of another", script.Name))
		}
		s.scripts[prompt] = script
	}
	s.mux.HandleFunc("POST /v1/chat/completions", s.chat)
	s.mux.HandleFunc("GET /v1/models", s.listModels)
	s.mux.HandleFunc("GET /v1/models/{id}", s.oneModel)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, &apiError{status: http.StatusNotFound, Type: "invalid_request_error",
			Message: fmt.Sprintf("no %s %s here; there are POST /v1/chat/completions and GET /v1/models", r.Method, r.URL.Path)})
	})
	return s
}

// ServeHTTP answers a request. It panics with http.ErrAbortHandler to break a connection when a fault says so.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Server) model(name string) *model {
	i := slices.IndexFunc(s.models, func(m *model) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return s.models[i]
}

// created is the time stamp of everything: constant, so that the same request gets the same bytes.
const created = 1767225600 // 2026-01-01

type modelInfo struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func (m *model) info() modelInfo { return modelInfo{m.Name, "model", created, "longpole"} }

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) {
	data := make([]modelInfo, len(s.models))
	for i, m := range s.models {
		data[i] = m.info()
	}
	writeJSON(w, http.StatusOK, struct {
		Object string      `json:"object"`
		Data   []modelInfo `json:"data"`
	}{"list", data})
}

func (s *Server) oneModel(w http.ResponseWriter, r *http.Request) {
	if m := s.model(r.PathValue("id")); m != nil {
		writeJSON(w, http.StatusOK, m.info())
		return
	}
	writeError(w, s.unknownModel(r.PathValue("id")))
}

func (s *Server) unknownModel(name string) *apiError {
	var known []string
	for _, m := range s.models {
		known = append(known, m.Name)
	}
	code, param := "model_not_found", "model"
	return &apiError{status: http.StatusNotFound, Type: "invalid_request_error", Code: &code, Param: &param,
		Message: fmt.Sprintf("there is no model %q; there are %s", name, strings.Join(known, ", "))}
}

// maxBody bounds what a request may make the server hold.
const maxBody = 64 << 20

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	received := time.Now()
	if err != nil {
		writeError(w, badRequest("", "the body cannot be read: %v", err))
		return
	}
	g := &generation{server: s, request: r, pace: pace{received: received, speed: s.cfg.Speed}}
	g.truth = Truth{Request: int(s.requests.Add(1)), Attempt: 1, Received: received, Speed: s.cfg.Speed, Status: http.StatusOK}
	g.truth.RequestID = fmt.Sprintf("req_%06d", g.truth.Request)
	w.Header().Set("X-Request-Id", g.truth.RequestID)
	defer func() {
		g.truth.Late = g.pace.late
		if s.cfg.Truth != nil {
			s.cfg.Truth(g.truth)
		}
	}()
	if err := g.prepare(body); err != nil {
		g.fail(w, err)
		return
	}
	g.serve(w)
}

// fault decides whether a request goes wrong, and returns which attempt it is.
func (s *Server) fault(g *generation) (fault *Fault, attempt int) {
	faults := cmp.Or(g.model.Faults, &s.cfg.Faults)
	retries, _ := strconv.Atoi(g.request.Header.Get("X-Stainless-Retry-Count"))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hit[g.body] {
		delete(s.hit, g.body)
		retries = max(retries, 1)
	}
	if f := faults.listed(g.truth.Request); f != nil {
		return f, retries + 1
	}
	if retries > 0 {
		return nil, retries + 1
	}
	f := faults.draw(g.rand("fault", true), len(g.pieces))
	if f != nil {
		s.hit[g.body] = true
	}
	return f, 1
}

// forget drops the record of a fault after which the request was served all the same: no retry will come.
func (s *Server) forget(body [sha256.Size]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.hit, body)
}

// derive returns a source of randomness for the parts of a key.
func derive(parts ...any) *rand.Rand {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%v\x00", p)
	}
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}

// admit waits for a slot and says if it had to; release gives it back.
func (m *model) admit(ctx context.Context) (release func(), queued bool, err error) {
	if m.slots != nil {
		select {
		case m.slots <- struct{}{}:
		default:
			queued = true
			select {
			case m.slots <- struct{}{}:
			case <-ctx.Done():
				return nil, true, ctx.Err()
			}
		}
	}
	m.active.Add(1)
	return func() {
		m.active.Add(-1)
		if m.slots != nil {
			<-m.slots
		}
	}, queued, nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		panic(err) // only our own types come here
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // if the client is gone, nobody misses it
}

func writeError(w http.ResponseWriter, err error) {
	var e *apiError
	if !errors.As(err, &e) {
		e = &apiError{status: http.StatusInternalServerError, Type: "server_error", Message: err.Error()}
	}
	writeJSON(w, e.status, struct {
		Error *apiError `json:"error"`
	}{e})
}
