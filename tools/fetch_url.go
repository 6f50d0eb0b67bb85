package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
)

// FetchURL returns the tool fetch_url: the text behind an http or https address, of the hosts that the box allows.
// Redirects are followed within those hosts. "localhost" that resolves to another machine is refused when dialling.
func FetchURL(box *Box) Tool {
	type args struct {
		URL string `json:"url"`
	}
	client := &http.Client{
		Transport:     &http.Transport{DialContext: box.dial, DisableKeepAlives: true},
		CheckRedirect: func(req *http.Request, via []*http.Request) error { return box.redirect(req, via) },
	}
	return define("fetch_url",
		"Fetch the text behind an http or https address.",
		`{"type":"object","additionalProperties":false,"required":["url"],"properties":{
			"url":{"type":"string","minLength":1,"description":"whole address, with http://"}}}`,
		defaultTimeout,
		func(ctx context.Context, a args) (string, error) {
			target, err := url.Parse(a.URL)
			if err != nil {
				return "", fmt.Errorf("%q is not an address", a.URL)
			}
			if err := box.allows(target); err != nil {
				return "", err
			}
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
			if err != nil {
				return "", err
			}
			resp, err := client.Do(req)
			if err != nil {
				var outer *url.Error
				if errors.As(err, &outer) {
					err = outer.Err
				}
				return "", fmt.Errorf("%s: %w", a.URL, err)
			}
			defer resp.Body.Close()
			return box.body(a.URL, resp)
		})
}

// body returns the response's text, cut at the limit; a status that is not 2xx is an error with the text's beginning.
func (b *Box) body(address string, resp *http.Response) (string, error) {
	content, err := io.ReadAll(io.LimitReader(resp.Body, int64(b.limit())+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", address, err)
	}
	text := strings.ToValidUTF8(string(content), "\uFFFD")
	if resp.StatusCode/100 != 2 {
		return "", fmt.Errorf("%s: %s: %s", address, resp.Status, shorten(strings.TrimSpace(text), 200))
	}
	switch {
	case len(content) <= b.limit():
		return text, nil
	case resp.ContentLength > 0:
		return b.cutRest(text, int(resp.ContentLength)-len(content)), nil
	}
	return b.cutRest(text, unknown), nil
}

var errHost = errors.New("this host is not allowed")

func (b *Box) allows(target *url.URL) error {
	if target.Scheme != "http" && target.Scheme != "https" {
		return fmt.Errorf("%q is not an http or https address", target.Redacted())
	}
	if len(b.Hosts) == 0 {
		if isLoopback(target.Hostname()) {
			return nil
		}
		return fmt.Errorf("%s: %w; only this machine's own addresses are", target.Host, errHost)
	}
	if slices.Contains(b.Hosts, target.Host) || slices.Contains(b.Hosts, target.Hostname()) {
		return nil
	}
	return fmt.Errorf("%s: %w; allowed are: %s", target.Host, errHost, strings.Join(b.Hosts, ", "))
}

func (b *Box) redirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return errors.New("more than 5 redirects")
	}
	return b.allows(req.URL)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// dial connects; without a list of hosts only to loopback, whatever a name resolved to.
func (b *Box) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if b.Dial != nil {
		return b.Dial(ctx, network, addr)
	}
	d := net.Dialer{}
	if len(b.Hosts) == 0 {
		d.Control = func(_, addr string, _ syscall.RawConn) error {
			if host, _, err := net.SplitHostPort(addr); err != nil || !isLoopback(host) {
				return fmt.Errorf("%s: %w", addr, errHost)
			}
			return nil
		}
	}
	return d.DialContext(ctx, network, addr)
}
