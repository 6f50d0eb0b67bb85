package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// ListFiles returns the tool list_files: the names in a folder, with sizes.
func ListFiles(box *Box) Tool {
	type args struct {
		Path      string `json:"path"`
		Recursive bool   `json:"recursive"`
	}
	return define("list_files",
		"List the files of a folder with their sizes in bytes; folders end in /.",
		`{"type":"object","additionalProperties":false,"properties":{
			"path":{"type":"string","description":"folder inside the working folder; default the working folder itself"},
			"recursive":{"type":"boolean","description":"also what is in folders below; default false"}}}`,
		defaultTimeout,
		func(ctx context.Context, a args) (string, error) {
			dir := clean(a.Path)
			info, err := box.Root.Stat(dir)
			if err != nil {
				return "", box.explain(a.Path, err)
			}
			if !info.IsDir() {
				return "", fmt.Errorf("%q is a file; read it with read_file", a.Path)
			}
			var b strings.Builder
			err = fs.WalkDir(box.Root.FS(), dir, func(name string, e fs.DirEntry, err error) error {
				switch {
				case ctx.Err() != nil:
					return ctx.Err()
				case name == dir && err == nil:
					return nil
				case err != nil:
					fmt.Fprintf(&b, "%s  (not readable)\n", name)
					return nil
				case b.Len() > box.limit():
					return errEnough
				case e.IsDir():
					fmt.Fprintf(&b, "%s/\n", name)
					if !a.Recursive {
						return fs.SkipDir
					}
				case e.Type()&fs.ModeSymlink != 0:
					fmt.Fprintf(&b, "%s  (link)\n", name)
				default:
					if info, err := e.Info(); err == nil {
						fmt.Fprintf(&b, "%s  %d\n", name, info.Size())
					}
				}
				return nil
			})
			if errors.Is(err, errEnough) {
				return box.cutRest(b.String(), unknown), nil
			}
			if err != nil {
				return "", err
			}
			if b.Len() == 0 {
				return "the folder is empty", nil
			}
			return box.cut(b.String()), nil
		})
}

// errEnough ends a walk whose output is full.
var errEnough = errors.New("output is full")
