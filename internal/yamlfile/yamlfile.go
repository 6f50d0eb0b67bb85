// Package yamlfile reads settings that a person wrote as YAML.
//
// In go the bytes of a small file and the struct that they fill, out come the struct or one error on one line that says where
// the mistake is. A field that the struct does not have is a mistake, and so is a field written twice, so that a slip of the
// pen never leaves a setting at its default.
//
// Whatever the bytes are, decoding ends soon and never panics. The YAML reader below takes a time that grows with the square of
// the nesting (65,536 brackets: 8 s) and recurses as deep as the file does, so what is nested deeper or longer than any
// settings are is refused before it is read.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
)

// What a file of settings may be at most.
const (
	maxBytes = 256 << 10
	maxLine  = 1000 // bytes
	maxDepth = 16   // of brackets
)

// Decode reads all of r into the struct that into points to. The error begins with the line where there is one:
// "line 4: unknown field \"inputs\"".
func Decode(r io.Reader, into any) error {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // a byte order mark, as some editors write
	if err := reasonable(data); err != nil {
		return err
	}
	return decode(data, into)
}

// reasonable refuses what no person writes as settings.
func reasonable(data []byte) error {
	if len(data) > maxBytes {
		return fmt.Errorf("more than %d KiB: too large for a file of settings", maxBytes>>10)
	}
	depth, number := 0, 0
	for line := range bytes.Lines(data) {
		number++
		if len(line) > maxLine {
			return fmt.Errorf("line %d: longer than %d bytes", number, maxLine)
		}
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			continue
		}
		for _, b := range line {
			switch b {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(0, depth-1)
			}
			if depth > maxDepth {
				return fmt.Errorf("line %d: brackets nested deeper than %d", number, maxDepth)
			}
		}
	}
	return nil
}

// decode turns what the YAML reader says, or a panic of it, into one line.
func decode(data []byte, into any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("no YAML that can be read: %v", p)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	switch err := d.Decode(into); {
	case errors.Is(err, io.EOF):
		return errors.New("nothing in it")
	case err != nil:
		return located(err)
	}
	var more any
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return errors.New("more than one document in it; want one")
	}
	return nil
}

// located writes an error of the YAML reader, which quotes the file over several lines, as one line.
func located(err error) error {
	var at yaml.Error
	if !errors.As(err, &at) {
		message, _, _ := strings.Cut(err.Error(), "\n")
		return errors.New(message)
	}
	message, _, _ := strings.Cut(at.GetMessage(), "\n")
	if token := at.GetToken(); token != nil && token.Position != nil {
		return fmt.Errorf("line %d: %s", token.Position.Line, message)
	}
	return errors.New(message)
}
