package theme

import (
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// Env is what the environment says about the terminal.
type Env struct {
	Profile colorprofile.Profile
	Fixed   bool // the user or the kind of terminal settles the profile, whatever else the terminal says of itself
	ASCII   bool
	Dark    bool // a guess until the terminal itself answers
}

// Detect reads the variables in environ ("KEY=value"): NO_COLOR (any value but the empty one), TERM and COLORTERM for the
// colours, LC_ALL, LC_CTYPE and LANG for the characters, COLORFGBG for the background. The Linux console has too few
// characters and colours to rely on, so it is served like a terminal without either.
func Detect(environ []string) Env {
	value := func(key string) string {
		for _, e := range slices.Backward(environ) {
			if v, ok := strings.CutPrefix(e, key+"="); ok {
				return v
			}
		}
		return ""
	}
	env := Env{Profile: colorprofile.Env(environ), ASCII: asciiOnly(value), Dark: true}
	if value("NO_COLOR") != "" {
		env.Profile, env.Fixed = min(env.Profile, colorprofile.ASCII), true
	}
	switch value("TERM") {
	case "linux":
		env.Profile, env.Fixed, env.ASCII = colorprofile.ASCII, true, true
	case "dumb":
		env.Profile, env.Fixed = colorprofile.NoTTY, true
	}
	if _, ground, ok := strings.Cut(value("COLORFGBG"), ";"); ok {
		if i := strings.LastIndexByte(ground, ';'); i >= 0 {
			ground = ground[i+1:]
		}
		env.Dark = ground != "7" && ground != "15"
	}
	return env
}

// asciiOnly follows POSIX: the first of the three that is set decides. Where none is, terminals of today show Unicode.
func asciiOnly(value func(string) string) bool {
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(value(key)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return false
}
