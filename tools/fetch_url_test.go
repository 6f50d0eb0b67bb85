package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/internal/simnet"
)

func TestFetchURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mux := http.NewServeMux()
		mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
		mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://far.test/", http.StatusFound)
		})
		mux.HandleFunc("/here", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/page", http.StatusFound) })
		mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
		mux.HandleFunc("/long", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 1000)) })
		mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		net := simnet.New()
		defer net.Close()
		net.Serve("near.test", mux)
		box := newBox(t, nil)
		box.Output, box.Hosts, box.Dial = 100, []string{"near.test"}, net.DialContext
		tool := FetchURL(box)
		for _, c := range []toolCase{
			{name: "a page is its text", args: `{"url":"http://near.test/page"}`, want: "hello"},
			{name: "a redirect to an allowed host is followed", args: `{"url":"http://near.test/here"}`, want: "hello"},
			{name: "a redirect elsewhere is refused", args: `{"url":"http://near.test/away"}`, wrong: "far.test: this host is not allowed"},
			{name: "a redirect in circles ends", args: `{"url":"http://near.test/round"}`, wrong: "more than 5 redirects"},
			{name: "a long page is cut with a note", args: `{"url":"http://near.test/long"}`, want: strings.Repeat("x", 100) + "\n[cut: 100 of 1000 bytes shown; ask for less]"},
			{name: "a bad status is an error with the page's beginning", args: `{"url":"http://near.test/none"}`, wrong: "404 Not Found: 404 page not found"},
			{name: "another host is refused with those that are allowed", args: `{"url":"http://far.test/"}`, wrong: "allowed are: near.test"},
			{name: "another scheme is refused", args: `{"url":"file:///etc/passwd"}`, wrong: "is not an http or https address"},
			{name: "a credential in the address is not repeated", args: `{"url":"ftp://me:secret@near.test"}`, wrong: "xxxxx"},
		} {
			got, err := tool.Call(t.Context(), json.RawMessage(c.args))
			switch {
			case c.wrong == "" && err != nil, c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
				t.Errorf("%s: error %v, want %q", c.name, err, c.wrong)
			case got != c.want:
				t.Errorf("%s: got %q, want %q", c.name, got, c.want)
			}
		}

		ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
		defer stop()
		began := time.Now()
		if _, err := tool.Call(ctx, json.RawMessage(`{"url":"http://near.test/slow"}`)); err == nil || time.Since(began) != 3*time.Second {
			t.Errorf("a slow page ended after %v with %v", time.Since(began), err)
		}
	})
}

func TestFetchURLWithoutAListReachesThisMachineOnly(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "local") }))
	defer server.Close()
	runCases(t, FetchURL(newBox(t, nil)), []toolCase{
		{name: "loopback is allowed", args: `{"url":"` + server.URL + `"}`, want: "local"},
		{name: "a name is not", args: `{"url":"http://example.com/"}`, wrong: "only this machine's own addresses"},
		{name: "a private address is not", args: `{"url":"http://192.168.0.1/"}`, wrong: "only this machine's own addresses"},
		{name: "the address of everything is not", args: `{"url":"http://0.0.0.0/"}`, wrong: "only this machine's own addresses"},
		{name: "a number in disguise is not", args: `{"url":"http://2130706433/"}`, wrong: "only this machine's own addresses"},
	})
}
