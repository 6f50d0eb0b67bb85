package blame

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// A frame is what a span counts as in a graph: the same for spans that do the same kind of work.
type frame struct {
	name      string
	component traces.Component // what its own time is booked on, as a rule
}

// deepest is how many frames may lie below each other. What is deeper counts for the deepest.
const deepest = 128

// framer finds the frames of one run's spans.
type framer struct {
	models map[*traces.Span]string // of model calls and of attempts
	tools  map[*traces.Span]string
}

func framerOf(run *measure.Run) framer {
	f := framer{make(map[*traces.Span]string, 2*len(run.ModelCalls)), make(map[*traces.Span]string, len(run.Run.ToolCalls))}
	for _, c := range run.ModelCalls {
		f.models[c.Span] = c.Model
		for _, a := range c.Attempts {
			f.models[a.Span] = c.Model
		}
	}
	for _, t := range run.Run.ToolCalls {
		f.tools[t.Span] = t.Name
	}
	return f
}

// around says what lies above a span.
type around struct {
	agent, model, failed bool             // an agent; a model call or attempt, with no tool or agent between; an attempt that failed
	component            traces.Component // what a span without a role is booked on
}

// of returns the frames that a span adds below those of its parent, none if it counts for its parent's, and what lies
// above its children. A failed attempt is "retry" with all that happened in it; one that went well is no frame of its own.
func (f framer) of(s *traces.Span, up around) (frames []frame, below around) {
	below = up
	if up.failed {
		return nil, below
	}
	switch s.Role {
	case traces.RoleAgent:
		name := "agent"
		if who := s.Attrs().String(traces.KeyAgentName); who != "" && up.agent {
			name = named(name, who) // the outermost may be named after its task
		}
		below.agent, below.model, below.component = true, false, traces.Agent
		return []frame{{name, traces.Agent}}, below
	case traces.RoleStep:
		below.component = traces.Agent
		return []frame{{"step", traces.Agent}}, below
	case traces.RoleTool:
		below.model, below.component = false, traces.Tool
		return []frame{{named("tool", f.tools[s]), traces.Tool}}, below
	case traces.RoleModel, traces.RoleAttempt:
		if s.Role == traces.RoleModel || !up.model {
			frames = append(frames, frame{named("model", cmp.Or(f.models[s], s.Attrs().String(traces.KeyRequestModel))), ""})
		}
		below.model, below.component = true, traces.Response
		if s.Has(traces.FlagFailed) {
			below.failed = true
			frames = append(frames, frame{string(traces.Retry), traces.Retry})
		}
		return frames, below
	case traces.RolePhase:
		return []frame{{string(s.Phase), s.Phase}}, below
	case traces.RoleWait:
		return nil, below
	}
	if s.Record == nil { // made here: @trace
		return nil, below
	}
	return []frame{{withoutNumbers(s.Name), up.component}}, below
}

func named(kind, name string) string {
	if name = strings.TrimSpace(name); name == "" {
		return kind
	}
	return kind + ":" + name
}

var words = regexp.MustCompile(`[0-9A-Za-z]+`)

// withoutNumbers puts * for numbers and ids in a name, so that the names of spans that do the same are the same.
func withoutNumbers(name string) string {
	return words.ReplaceAllStringFunc(name, func(word string) string {
		digits, hex := 0, 0
		for _, r := range word {
			switch {
			case '0' <= r && r <= '9':
				digits++
			case 'a' <= r && r <= 'f', 'A' <= r && r <= 'F':
				hex++
			}
		}
		n := len(word)
		if digits == n || digits > 0 && (n >= 16 || n >= 8 && digits+hex == n) {
			return "*"
		}
		return word
	})
}

// oneLine makes a name safe to show and to write: valid, on one line, no control characters and none that reorder text.
func oneLine(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "?"))
	return cmp.Or(strings.Join(strings.Fields(name), " "), "?")
}
