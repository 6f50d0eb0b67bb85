package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Box confines tools: what they may touch, and how much they may say. Root is required. It must not be changed
// while tools made from it run.
type Box struct {
	Root     *os.Root // the only directory that exists for the tools
	Output   int      // bytes a result may have; 0: 16 KiB
	Commands []string // programs run_command may start, by base name; none by default. A shell in it allows whatever the shell can do
	Env      []string // KEY=value, for commands; of this process's own environment they get PATH, HOME and their likes only
	Hosts    []string // hosts fetch_url may ask, "name" or "name:port"; none: loopback only

	// Dial replaces the network of fetch_url, for tests; loopback is then a matter of names.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

const (
	defaultOutput  = 16 << 10
	defaultTimeout = 30 * time.Second
	largestFile    = 16 << 20 // bytes that tools take into memory at once
)

// All returns every tool of this package, confined to box.
func All(box *Box) []Tool {
	return []Tool{ReadFile(box), ListFiles(box), SearchText(box), RunCommand(box), FetchURL(box), Calculate(box),
		QueryJSON(box), QueryCSV(box), WriteFile(box)}
}

// Pick returns the tools of the given names in that order. The error names a tool that does not exist.
func Pick(box *Box, names ...string) ([]Tool, error) {
	all := All(box)
	picked := make([]Tool, 0, len(names))
	for _, name := range names {
		i := slices.IndexFunc(all, func(t Tool) bool { return t.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no tool %q", name)
		}
		picked = append(picked, all[i])
	}
	return picked, nil
}

func (b *Box) limit() int {
	if b.Output > 0 {
		return b.Output
	}
	return defaultOutput
}

// cut shortens text to the box's limit, at the end of a line where that costs little, and says how much was cut.
func (b *Box) cut(text string) string { return b.cutRest(text, 0) }

// unknown stands for the size of a rest that was not read.
const unknown = -1

// cutRest is cut for a text that was already shortened by rest bytes, or by an unknown number.
func (b *Box) cutRest(text string, rest int) string {
	whole := len(text)
	if whole > b.limit() {
		end := b.limit()
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		if i := strings.LastIndexByte(text[:end], '\n'); i > end/2 {
			end = i
		}
		text = text[:end]
	}
	switch {
	case rest == unknown:
		return fmt.Sprintf("%s\n[cut after %d bytes; ask for less]", strings.TrimSuffix(text, "\n"), len(text))
	case len(text) < whole || rest > 0:
		return fmt.Sprintf("%s\n[cut: %d of %d bytes shown; ask for less]", strings.TrimSuffix(text, "\n"), len(text), whole+rest)
	}
	return text
}

// readAll returns the contents of a file that fits in memory.
func (b *Box) readAll(name string) ([]byte, error) {
	info, err := b.Root.Stat(clean(name))
	if err != nil {
		return nil, b.explain(name, err)
	}
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("%q is a folder; %s", name, b.holds(name))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%q is not a regular file", name)
	case info.Size() > largestFile:
		return nil, fmt.Errorf("%q has %d bytes; the most this tool takes is %d", name, info.Size(), largestFile)
	}
	content, err := b.Root.ReadFile(clean(name))
	if err != nil {
		return nil, b.explain(name, err)
	}
	return content, nil
}

// clean makes the path that a model wrote relative to the root: models like to write "/data.csv" and "./data.csv".
// It leaves ".." alone, for os.Root to refuse.
func clean(name string) string {
	name = strings.ReplaceAll(name, "\\", "/")
	name = path.Clean(strings.TrimLeft(name, "/"))
	return name
}

// explain turns the error of opening name into one that a model can act on.
func (b *Box) explain(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("no file %q; %s", name, b.holds(path.Dir(clean(name))))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%q may not be opened: permission denied", name)
	}
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	if strings.Contains(err.Error(), "escapes") {
		return fmt.Errorf("%q is outside the working folder", name)
	}
	return fmt.Errorf("%q: %w", name, err)
}

// holds says what is in a folder, or in the nearest one above that exists.
func (b *Box) holds(dir string) string {
	const most = 20
	dir = clean(dir)
	for {
		entries, err := fs.ReadDir(b.Root.FS(), dir)
		if err != nil {
			if dir == "." || strings.HasPrefix(dir, "..") {
				return "use a path inside the working folder"
			}
			dir = path.Dir(dir)
			continue
		}
		var names []string
		for _, e := range entries {
			name := e.Name()
			if e.IsDir() {
				name += "/"
			}
			names = append(names, name)
		}
		what := "the folder"
		if dir != "." {
			what = fmt.Sprintf("%q", dir)
		}
		switch {
		case len(names) == 0:
			return what + " is empty"
		case len(names) > most:
			return fmt.Sprintf("%s holds: %s and %d more", what, strings.Join(names[:most], ", "), len(names)-most)
		}
		return fmt.Sprintf("%s holds: %s", what, strings.Join(names, ", "))
	}
}
