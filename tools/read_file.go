package tools

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ReadFile returns the tool read_file: a text file, or some of its lines.
func ReadFile(box *Box) Tool {
	type args struct {
		Path  string `json:"path"`
		From  int    `json:"from"`
		Lines int    `json:"lines"`
	}
	return define("read_file",
		"Read a text file of the working folder, whole or some of its lines.",
		`{"type":"object","additionalProperties":false,"required":["path"],"properties":{
			"path":{"type":"string","minLength":1,"description":"path inside the working folder"},
			"from":{"type":"integer","minimum":1,"description":"first line wanted, counted from 1; default 1"},
			"lines":{"type":"integer","minimum":1,"description":"how many lines; default all"}}}`,
		defaultTimeout,
		func(_ context.Context, a args) (string, error) {
			content, err := box.readAll(a.Path)
			if err != nil {
				return "", err
			}
			if bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content) {
				return "", fmt.Errorf("%q is not text", a.Path)
			}
			if a.From == 0 && a.Lines == 0 {
				return box.cut(string(content)), nil
			}
			lines := strings.SplitAfter(string(content), "\n")
			if lines[len(lines)-1] == "" {
				lines = lines[:len(lines)-1]
			}
			from := max(a.From, 1) - 1
			if from >= len(lines) {
				return "", fmt.Errorf("%q has only %d lines", a.Path, len(lines))
			}
			lines = lines[from:]
			if a.Lines > 0 {
				lines = lines[:min(a.Lines, len(lines))]
			}
			return box.cut(strings.Join(lines, "")), nil
		})
}
