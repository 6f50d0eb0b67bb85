package detour

import (
	"strconv"
	"strings"
)

// A table is a TOML table: of its values only strings and tables are kept.
type table map[string]any

// text returns the string at a path of keys, "" if there is none.
func (t table) text(path ...string) string {
	for _, key := range path[:len(path)-1] {
		t, _ = t[key].(table)
	}
	s, _ := t[path[len(path)-1]].(string)
	return s
}

// parseTOML reads as much of a TOML 1.0 document as is needed to find strings by their keys. What it cannot read it skips, to the end of
// the line.
func parseTOML(text string) table {
	p := tomlParser{rest: strings.ReplaceAll(text, "\r\n", "\n")}
	root := table{}
	current := root
	for p.blank(); p.rest != ""; p.blank() {
		switch {
		case p.skip("[["):
			p.keys()
			current = table{} // of an array: nothing is looked for there
			p.line()
		case p.skip("["):
			current = root.descend(p.keys())
			p.line()
		default:
			p.pair(current)
			p.line()
		}
	}
	return root
}

// descend returns the table at a path of keys, made if need be.
func (t table) descend(path []string) table {
	for _, key := range path {
		next, ok := t[key].(table)
		if !ok {
			next = table{}
			t[key] = next
		}
		t = next
	}
	return t
}

type tomlParser struct{ rest string }

func (p *tomlParser) skip(token string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.rest, token)
	return ok
}

func (p *tomlParser) space() { p.rest = strings.TrimLeft(p.rest, " \t") }

// blank skips white space, line feeds and comments.
func (p *tomlParser) blank() {
	for {
		p.rest = strings.TrimLeft(p.rest, " \t\n")
		if !strings.HasPrefix(p.rest, "#") {
			return
		}
		p.line()
	}
}

// line skips what is left of the line.
func (p *tomlParser) line() { _, p.rest, _ = strings.Cut(p.rest, "\n") }

// keys reads a key, which may have several parts.
func (p *tomlParser) keys() []string {
	var path []string
	for {
		p.space()
		if key, ok := p.quoted(); ok {
			path = append(path, key)
		} else {
			end := strings.IndexFunc(p.rest, func(r rune) bool {
				return !(r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
			})
			if end < 0 {
				end = len(p.rest)
			}
			path = append(path, p.rest[:end])
			p.rest = p.rest[end:]
		}
		p.space()
		if !p.skip(".") {
			return path
		}
	}
}

// pair reads key = value into t.
func (p *tomlParser) pair(t table) {
	path := p.keys()
	if !p.skip("=") {
		return
	}
	p.space()
	if value := p.value(); value != nil {
		t.descend(path[:len(path)-1])[path[len(path)-1]] = value
	}
}

// value reads a value: a string, a table, or nil for any other.
func (p *tomlParser) value() any {
	if s, ok := p.quoted(); ok {
		return s
	}
	switch {
	case p.skip("{"):
		t := table{}
		for p.blank(); p.rest != "" && !p.skip("}"); p.blank() {
			before := len(p.rest)
			p.pair(t)
			p.blank()
			if !p.skip(",") && len(p.rest) == before {
				return t // not TOML
			}
		}
		return t
	case p.skip("["):
		for p.blank(); p.rest != "" && !p.skip("]"); p.blank() {
			before := len(p.rest)
			p.value()
			p.blank()
			if !p.skip(",") && len(p.rest) == before {
				return nil
			}
		}
	default:
		end := strings.IndexAny(p.rest, ",]}#\n")
		if end < 0 {
			end = len(p.rest)
		}
		p.rest = p.rest[end:]
	}
	return nil
}

// quoted reads a string of any of the four kinds.
func (p *tomlParser) quoted() (string, bool) {
	for _, quote := range []string{`"""`, `'''`} {
		if p.skip(quote) {
			text, rest, _ := strings.Cut(p.rest, quote)
			p.rest = rest
			return strings.TrimPrefix(text, "\n"), true
		}
	}
	if p.skip("'") {
		end := strings.IndexAny(p.rest, "'\n")
		if end < 0 {
			end = len(p.rest)
		}
		text := p.rest[:end]
		p.rest = strings.TrimPrefix(p.rest[end:], "'")
		return text, true
	}
	if !strings.HasPrefix(p.rest, `"`) {
		return "", false
	}
	end := 1
	for end < len(p.rest) && p.rest[end] != '"' && p.rest[end] != '\n' {
		if p.rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(p.rest) || p.rest[end] != '"' {
		p.rest = p.rest[min(end, len(p.rest)):]
		return "", true
	}
	text, err := strconv.Unquote(p.rest[:end+1]) // TOML's escapes are Go's, but for \e and \/
	p.rest = p.rest[end+1:]
	if err != nil {
		return "", true
	}
	return text, true
}
