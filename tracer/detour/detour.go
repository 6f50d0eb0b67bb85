// Package detour leads an agent's model requests past an address, without changing the agent.
//
// In go a command line, its environment and the address of a proxy; out come the command line and environment to run instead, and the
// upstreams that the proxy has to forward to: for each place where the agent finds a base URL, the server that is set there now, else the
// provider's own. Each server has a path of its own at the proxy, so that none gets what was meant for another, and the path of the base
// URL that was set stays as it is, behind that. Keys are neither read nor changed.
//
// Where base URLs are found: in the environment variables that SDKs and agents read (Environment), and, for agents that know them from
// files alone, where these leave something that wins over their files: codex on its command line, opencode in a variable, pi
// in an extension. No file of theirs is changed. What cannot be led is said in Notes.
package detour

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed46266073/longpole/tracer/proxy"
)

// Config is what a detour is planned from.
type Config struct {
	Address   string           // host:port that the proxy listens on
	Args      []string         // the command line
	Env       []string         // its environment, KEY=VALUE
	Dir       string           // its working directory, where project configurations are looked for
	Upstreams []proxy.Upstream // servers to go to instead of those that are set: for one API, or, without an API, for all; no prefixes
	Variables []Variable       // that the agent reads beside those that are known
}

// A Variable is an environment variable that holds a base URL.
type Variable struct {
	Name string
	Path string // of the base URL; "": that of the URL it holds
}

// A Detour is a command that takes it.
type Detour struct {
	Agent     string           // the agent's name if it is one that is known, else the command's
	Args, Env []string         // to run
	Upstreams []proxy.Upstream // for the proxy
	Notes     []string         // what is not led past the address, and what to do about it; one line each

	address string
	instead []proxy.Upstream
	names   map[string]string // of prefixes, by server
	before  environ           // as it was
	env     environ
	dir     string
	temp    []string
}

// Plan plans the detour of a command. Close it when the command has ended.
func Plan(c Config) *Detour {
	d := &Detour{Args: append([]string(nil), c.Args...), address: c.Address, instead: c.Upstreams, names: map[string]string{},
		before: newEnviron(c.Env), env: newEnviron(c.Env), dir: c.Dir}
	agent, at := agentOf(d.Args)
	d.Agent = agent
	byAPI := d.variables(c.Variables)
	switch agent {
	case "codex":
		d.codex(at)
	case "opencode":
		d.opencode()
	case "pi":
		d.pi(at)
	case "claude":
		d.claude()
	}
	d.exceptFromProxies()
	d.Upstreams = append(d.Upstreams, byAPI...)
	d.Env = d.env.list
	return d
}

// Close removes what was made for the time of the command.
func (d *Detour) Close() {
	for _, path := range d.temp {
		_ = os.Remove(path) // it is in the directory for temporary files
	}
}

// lead returns the base URL that leads past the address to the server of base, with base's path. name is what the server's prefix is
// called if it has none yet.
func (d *Detour) lead(name string, base *url.URL) string {
	server := &url.URL{Scheme: base.Scheme, User: base.User, Host: base.Host}
	switch server.Scheme {
	case "ws":
		server.Scheme = "http"
	case "wss":
		server.Scheme = "https"
	}
	prefix, ok := d.names[server.String()]
	if !ok {
		prefix = d.unused(name)
		d.names[server.String()] = prefix
		d.Upstreams = append(d.Upstreams, proxy.Upstream{Prefix: prefix, URL: server})
	}
	led := *base
	led.User, led.Host, led.Scheme = nil, d.address, "http"
	if strings.HasPrefix(base.Scheme, "ws") {
		led.Scheme = "ws"
	}
	led.Path, led.RawPath = prefix+base.Path, prefix+base.EscapedPath()
	return led.String()
}

// unused returns a prefix like name that no server has yet.
func (d *Detour) unused(name string) string {
	prefix := "/" + plainName(name)
	for n := 2; ; n++ {
		taken := false
		for _, p := range d.names {
			taken = taken || p == prefix
		}
		if !taken {
			return prefix
		}
		prefix = "/" + plainName(name) + "-" + strconv.Itoa(n)
	}
}

// plainName returns name as a path segment.
func plainName(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	if plain = strings.Trim(plain, "-"); plain == "" {
		return "other"
	}
	return plain
}

// chosen returns the base URL of the server that the user chose for an API, nil if none was: the one for the API, else the one for all. bare
// is the path that a base URL of the API has on every server, "" if clients write all of it themselves.
func (d *Detour) chosen(api proxy.API, bare string) *url.URL {
	var up *proxy.Upstream
	for i, candidate := range d.instead {
		if candidate.API == api || candidate.API == "" && up == nil {
			up = &d.instead[i]
		}
	}
	if up == nil {
		return nil
	}
	base := *up.URL
	path := strings.TrimRight(base.EscapedPath(), "/")
	switch {
	case bare != "/v1" && up.API == "":
		path = strings.TrimSuffix(path, "/v1") + bare
	case path == "":
		path = bare
	}
	base.Path, _ = url.PathUnescape(path) // it was escaped just now
	base.RawPath = path
	return &base
}

func (d *Detour) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// home returns a path below the agent's home directory.
func (d *Detour) home(elem ...string) string {
	dir := d.env.get("HOME")
	if dir == "" {
		dir, _ = os.UserHomeDir()
	}
	return filepath.Join(append([]string{dir}, elem...)...)
}

// parseBase reads a base URL. It is nil for what is none.
func parseBase(s string) *url.URL {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" {
		return nil
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss":
		return u
	}
	return nil
}
