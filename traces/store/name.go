package store

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const suffix = ".jsonl"

// longestName is how many bytes of an id are kept in a file's name; file systems allow about 255.
const longestName = 100

// fileName returns the name of the file of a run. An id of lower-case letters, digits, '-', '_' and '.', not at the
// beginning, is its own name. Others are made so, since file systems fold case and refuse characters, and get a part of
// their hash, so that ids that become equal stay apart.
func fileName(id string) string {
	name := safe(id)
	name = name[:min(len(name), longestName)]
	if strings.HasPrefix(name, ".") {
		name = "_" + name[1:]
	}
	if name == id && id != "" && !reserved(name) {
		return name + suffix
	}
	hash := sha256.Sum256([]byte(id))
	return name + "-" + hex.EncodeToString(hash[:6]) + suffix
}

// safe returns id in the characters that every file system tells apart.
func safe(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, id)
}

// reserved reports whether Windows takes a file of that name, whatever its suffix, for a device.
func reserved(name string) bool {
	switch stem, _, _ := strings.Cut(name, "."); stem {
	case "con", "prn", "aux", "nul":
		return true
	default:
		return len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt"))
	}
}
