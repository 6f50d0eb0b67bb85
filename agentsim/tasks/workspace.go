package tasks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/tools"
)

// Options are the surroundings of a task. The zero value is the real network and the real pace.
type Options struct {
	Speed  float64                                                           // recorded time ÷ real time; 0: 1
	Listen func() (net.Listener, error)                                      // where a site listens; nil: loopback, any port
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error) // how fetch_url gets there; nil: the real network
}

// real returns how long a recorded duration is on the real clock.
func (o Options) real(d time.Duration) time.Duration {
	if o.Speed <= 0 {
		return d
	}
	return time.Duration(float64(d) / o.Speed)
}

// A Workspace is a task laid out in a folder of its own, ready to be worked on by one agent.
type Workspace struct {
	Root  *os.Root
	Tools []tools.Tool // confined to Root

	task Task
	site *http.Server // nil: none
}

// Open lays the task's files out in a new temporary folder and starts its site. Close the workspace afterwards.
func (t Task) Open(opt Options) (_ *Workspace, err error) {
	dir, err := os.MkdirTemp("", "longpole-"+t.Name+"-")
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", t.Name, err)
	}
	w := &Workspace{task: t}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("task %s: %w", t.Name, err), w.Close(), os.RemoveAll(dir))
		}
	}()
	if t.Files != nil {
		if err := os.CopyFS(dir, t.Files); err != nil {
			return nil, err
		}
	}
	if w.Root, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	if err := w.write(t.Texts); err != nil {
		return nil, err
	}
	if t.Site != nil {
		if err := w.serve(t.Site, opt); err != nil {
			return nil, err
		}
	}
	box := &tools.Box{Root: w.Root, Commands: t.Commands, Dial: opt.Dial}
	if t.Pause > 0 {
		box.Env = []string{fmt.Sprintf("PAUSE=%.4f", opt.real(t.Pause).Seconds())}
	}
	w.Tools, err = tools.Pick(box, t.Tools...)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// write lays files out, over those that are there.
func (w *Workspace) write(texts map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if err := w.Root.MkdirAll(slashpath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := w.Root.WriteFile(filepath.FromSlash(name), []byte(texts[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Verify decides whether the task was done.
func (w *Workspace) Verify(ctx context.Context, answer string) (correct bool, says string) {
	return w.task.Verify(ctx, answer, w.Root)
}

// Close stops the site and removes the folder.
func (w *Workspace) Close() error {
	var errs []error
	if w.site != nil {
		errs = append(errs, w.site.Close())
	}
	if w.Root != nil {
		errs = append(errs, w.Root.Close(), os.RemoveAll(w.Root.Name()))
	}
	return errors.Join(errs...)
}

// serve starts the site and writes its address to site.txt.
func (w *Workspace) serve(site *Site, opt Options) error {
	listen := opt.Listen
	if listen == nil {
		listen = func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
	}
	l, err := listen()
	if err != nil {
		return fmt.Errorf("site: %w", err)
	}
	w.site = &http.Server{Handler: site.handler(opt), ReadHeaderTimeout: 10 * time.Second}
	go w.site.Serve(l) //nolint:errcheck // it ends with ErrServerClosed when Close is called
	return w.Root.WriteFile("site.txt", []byte("http://"+l.Addr().String()+"\n"), 0o644)
}

func (s *Site) handler(opt Options) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.txt"
		}
		select {
		case <-time.After(opt.real(s.Delay[name])):
		case <-r.Context().Done():
			return
		}
		page, err := fs.ReadFile(s.Pages, name)
		if err != nil {
			http.NotFound(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = rw.Write(page) // a client that went away needs no page
	})
}
