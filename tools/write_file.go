package tools

import (
	"context"
	"fmt"
	"path"
)

// WriteFile returns the tool write_file: create or replace a text file, with the folders above it.
func WriteFile(box *Box) Tool {
	type args struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	return define("write_file",
		"Write a text file of the working folder: create it, or replace all of it.",
		`{"type":"object","additionalProperties":false,"required":["path","content"],"properties":{
			"path":{"type":"string","minLength":1,"description":"path inside the working folder"},
			"content":{"type":"string","description":"the whole new content"}}}`,
		defaultTimeout,
		func(_ context.Context, a args) (string, error) {
			name := clean(a.Path)
			if len(a.Content) > largestFile {
				return "", fmt.Errorf("%d bytes are too many; the most is %d", len(a.Content), largestFile)
			}
			if info, err := box.Root.Stat(name); err == nil && !info.Mode().IsRegular() {
				return "", fmt.Errorf("%q is not a file that can be written", a.Path)
			}
			if dir := path.Dir(name); dir != "." {
				if err := box.Root.MkdirAll(dir, 0o755); err != nil {
					return "", box.explain(a.Path, err)
				}
			}
			if err := box.Root.WriteFile(name, []byte(a.Content), 0o644); err != nil {
				return "", box.explain(a.Path, err)
			}
			return fmt.Sprintf("wrote %d bytes to %s", len(a.Content), name), nil
		})
}
