package tools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"
)

// SearchText returns the tool search_text: lines that match a pattern, in a file or all files below a folder. Files
// that are not text, and links, are passed over. Patterns are Go's regular expressions, so their cost is linear.
func SearchText(box *Box) Tool {
	type args struct {
		Pattern    string `json:"pattern"`
		Path       string `json:"path"`
		Regexp     bool   `json:"regexp"`
		IgnoreCase bool   `json:"ignore_case"`
	}
	return define("search_text",
		"Search files for lines that contain a text or match a regular expression. Answers with path:line: text.",
		`{"type":"object","additionalProperties":false,"required":["pattern"],"properties":{
			"pattern":{"type":"string","minLength":1,"description":"text to find"},
			"path":{"type":"string","description":"file or folder to search; default the whole working folder"},
			"regexp":{"type":"boolean","description":"pattern is a regular expression (RE2); default false"},
			"ignore_case":{"type":"boolean","description":"default false"}}}`,
		defaultTimeout,
		func(ctx context.Context, a args) (string, error) {
			pattern := a.Pattern
			if !a.Regexp {
				pattern = regexp.QuoteMeta(pattern)
			}
			if a.IgnoreCase {
				pattern = "(?i)" + pattern
			}
			re, err := regexp.Compile(pattern)
			if err != nil {
				return "", fmt.Errorf("pattern: %w", err)
			}
			start := clean(a.Path)
			if _, err := box.Root.Stat(start); err != nil {
				return "", box.explain(a.Path, err)
			}
			s := search{box: box, re: re}
			err = fs.WalkDir(box.Root.FS(), start, func(name string, e fs.DirEntry, err error) error {
				switch {
				case ctx.Err() != nil:
					return ctx.Err()
				case err != nil || !e.Type().IsRegular():
					return nil
				}
				return s.file(ctx, name)
			})
			if errors.Is(err, errEnough) {
				return box.cutRest(s.out.String(), unknown), nil
			}
			if err != nil {
				return "", err
			}
			if s.out.Len() == 0 {
				return fmt.Sprintf("no match in %d files", s.files), nil
			}
			return box.cut(s.out.String()), nil
		})
}

type search struct {
	box   *Box
	re    *regexp.Regexp
	out   strings.Builder
	files int
}

// file appends the matches of one file; a file that cannot be read or is not text has none.
func (s *search) file(ctx context.Context, name string) error {
	f, err := s.box.Root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	if head, _ := r.Peek(512); bytes.IndexByte(head, 0) >= 0 {
		return nil
	}
	s.files++
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !s.re.Match(lines.Bytes()) {
			continue
		}
		fmt.Fprintf(&s.out, "%s:%d: %s\n", name, n, shorten(strings.ToValidUTF8(lines.Text(), "\uFFFD"), 240))
		if s.out.Len() > s.box.limit() {
			return errEnough
		}
	}
	if lines.Err() != nil {
		fmt.Fprintf(&s.out, "%s: searched only in part: %v\n", name, lines.Err())
	}
	return nil
}

// shorten cuts a line to at most n bytes at a character's end.
func shorten(line string, n int) string {
	if len(line) <= n {
		return line
	}
	for n > 0 && !utf8.RuneStart(line[n]) {
		n--
	}
	return line[:n] + " …"
}
