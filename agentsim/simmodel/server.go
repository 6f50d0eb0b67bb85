package simmodel

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Config is what a server needs to know. The zero value serves the published profiles, without scripts and faults.
type Config struct {
	Profiles []Profile // nil: Published()
	Scripts  []Script
	Fallback Script // plays prompts that no script has, whatever its Prompt; without a Play, a short reply says so
	Default  string // profile that plays models that no profile is called; "": they are unknown
	Seed     int64
	Speed    float64 // modelled time ÷ real time; 0: 1
	Faults   Faults
	FreshIDs bool        // ids differ from request to request, as real ones; else the same request gets the same ones
	Truth    func(Truth) // called once a request, before its handler returns; concurrently
	Chunks   bool        // truths list every chunk
}

// A Server answers as the models of its profiles. It is safe for concurrent use.
type Server struct {
	cfg      Config
	mux      *http.ServeMux
	models   []*model
	scripts  map[string]Script // by prompt
	prompts  []string          // longest first
	fallback Script
	memory   memory

	requests atomic.Int64
	mu       sync.Mutex
	hit      map[[sha256.Size]byte]bool // keys of requests that a drawn fault hit and that did not come again yet
}

// A model is a profile at work.
type model struct {
	Profile
	slots  chan struct{} // nil: no limit
	active atomic.Int64  // streams served
}

// New returns a server. It panics if two profiles or two scripts' prompts are the same, or if no profile has the name of
// the default one.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, mux: http.NewServeMux(), scripts: map[string]Script{}, hit: map[[sha256.Size]byte]bool{}}
	if s.cfg.Speed <= 0 {
		s.cfg.Speed = 1
	}
	if s.cfg.Profiles == nil {
		s.cfg.Profiles = Published()
	}
	for _, p := range s.cfg.Profiles {
		if s.profile(p.Name) != nil {
			panic(fmt.Sprintf("simmodel: two profiles are called %q", p.Name))
		}
		m := &model{Profile: p}
		if p.Slots > 0 {
			m.slots = make(chan struct{}, p.Slots)
		}
		s.models = append(s.models, m)
	}
	if cfg.Default != "" && s.profile(cfg.Default) == nil {
		panic(fmt.Sprintf("simmodel: no profile is called %q, the default", cfg.Default))
	}
	for _, script := range cfg.Scripts {
		prompt := strings.TrimSpace(script.Prompt)
		if _, has := s.scripts[prompt]; has {
			panic(fmt.Sprintf("simmodel: script %q has the prompt of another", script.Name))
		}
		s.scripts[prompt] = script
		if prompt != "" { // which every message contains
			s.prompts = append(s.prompts, prompt)
		}
	}
	slices.SortFunc(s.prompts, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	if s.fallback = cfg.Fallback; s.fallback.Play == nil {
		s.fallback = unscripted
	}
	s.fallback.Prompt = ""
	for _, a := range apis {
		a.routes(s)
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		chatAPI{}.fail(w, &apiError{status: http.StatusNotFound, kind: "invalid_request_error",
			message: fmt.Sprintf("no %s %s here; there are POST /v1/chat/completions, /v1/responses, /v1/messages, /api/chat, /api/generate, "+
				"/v1beta/models/MODEL:generateContent and GET /v1/models", r.Method, r.URL.Path)})
	})
	return s
}

// ServeHTTP answers a request. It panics with http.ErrAbortHandler to break a connection when a fault says so.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// model returns the model that plays a name, or nil.
func (s *Server) model(name string) *model {
	if m := s.profile(name); m != nil || s.cfg.Default == "" || name == "" {
		return m
	}
	return s.profile(s.cfg.Default)
}

func (s *Server) profile(name string) *model {
	i := slices.IndexFunc(s.models, func(m *model) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return s.models[i]
}

// created is the time stamp of everything: constant, so that the same request gets the same bytes.
const created = 1767225600 // 2026-01-01

func (s *Server) unknownModel(name string) *apiError {
	var known []string
	for _, m := range s.models {
		known = append(known, m.Name)
	}
	return &apiError{status: http.StatusNotFound, kind: "invalid_request_error", code: "model_not_found", param: "model",
		message: fmt.Sprintf("there is no model %q; there are %s", name, strings.Join(known, ", "))}
}

// script returns the script for a conversation: one whose prompt is a message of the user, which is bare then, or is in
// one, the longest first.
func (s *Server) script(messages []Message) (script Script, bare bool) {
	for _, m := range messages {
		if script, ok := s.scripts[strings.TrimSpace(m.Content)]; ok && m.Role == "user" {
			return script, true
		}
	}
	for _, m := range messages {
		if m.Role != "user" {
			continue
		}
		for _, prompt := range s.prompts {
			if strings.Contains(m.Content, prompt) {
				return s.scripts[prompt], false
			}
		}
	}
	return s.fallback, false
}

// fault decides whether a request goes wrong, and returns which attempt it is.
func (s *Server) fault(g *generation) (fault *Fault, attempt int) {
	faults := cmp.Or(g.model.Faults, &s.cfg.Faults)
	retries := g.retries
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hit[g.key] {
		delete(s.hit, g.key)
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
		s.hit[g.key] = true
	}
	return f, 1
}

// forget drops the record of a fault after which the request was served all the same: no retry will come.
func (s *Server) forget(key [sha256.Size]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.hit, key)
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
