package bench

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/traces/store"
)

func TestAServerIsToldTheKeyOrElseTheUserOfItsAddress(t *testing.T) {
	for _, c := range []struct{ name, user, key, want string }{
		{"a key", "", "sk-secret", "Bearer sk-secret"},
		{"nothing", "", "", "Bearer none"},
		{"a user", "ann:secret@", "", "Basic YW5uOnNlY3JldA=="},
		{"both: the key", "ann:secret@", "sk-secret", "Bearer sk-secret"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p Plan) {
				got := make(chan string, 1)
				stop := serveOn(t, &p, func(w http.ResponseWriter, r *http.Request) {
					got <- r.Header.Get("Authorization")
					http.Error(w, `{"error":{"message":"wrong: `+r.Header.Get("Authorization")+`, secret"}}`, http.StatusUnauthorized)
				})
				defer stop()
				p.Endpoints[0].URL, p.Endpoints[0].APIKey = "http://"+c.user+"model.test:80/v1", c.key
				p.NoWarmUp, p.Tasks, p.Trials, p.Efforts = true, p.Tasks[:1], 1, []string{"low"}
				runs, err := p.Run(t.Context())
				if err != nil || len(runs) != 1 || runs[0].Err == nil {
					t.Fatalf("%d runs, %v", len(runs), err)
				}
				if authorization := <-got; authorization != c.want {
					t.Errorf("the server was told %q, want %q", authorization, c.want)
				}
				if strings.Contains(runs[0].Err.Error(), "secret") {
					t.Errorf("an error that repeats a secret: %v", runs[0].Err)
				}
				nothingKept(t, p.Store, "secret")
			})
		})
	}
}

// serveOn makes the plan ask a server of the given handler, in place of the simulated model.
func serveOn(t *testing.T, p *Plan, handler http.HandlerFunc) (stop func()) {
	t.Helper()
	l, err := p.listen()
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	dial := p.dial
	p.dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dial(ctx, network, l.Addr().String())
	}
	p.Sim, p.Endpoints = nil, []Endpoint{{Name: "x"}}
	return func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-done
	}
}

// nothingKept fails if some file of the store holds the text.
func nothingKept(t *testing.T, s *store.Store, text string) {
	t.Helper()
	err := filepath.WalkDir(s.Dir(), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), text) {
			t.Errorf("%s holds %q", path, text)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
