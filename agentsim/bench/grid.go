package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// A Grid is the settings of a plan: every combination of its values. A dimension without values is left to the server.
type Grid struct {
	Endpoints    []Endpoint // none: the simulated model
	Models       []string   // at least one
	Efforts      []string
	Systems      []System
	Temperatures []float64
	Parallel     []int // tool calls of a step at the same time; 0: all
	Fields       []Field
	Loads        []Load // none: one user
}

// An Endpoint is a server that speaks Chat Completions.
type Endpoint struct {
	Name   string // its tag
	URL    string // with the /v1; a user and password in it are for basic authentication where there is no APIKey
	APIKey string // "": none
}

// A System is a system message.
type System struct {
	Name string // its tag
	Text string // "": the agent's own
}

// A Field is a further field of each request, with the values to compare.
type Field struct {
	Name   string // as the API names it; its tag too
	Values []any  // as encoding/json writes them
}

// A setting is one combination, and the tags that say which.
type setting struct {
	endpoint    Endpoint
	model       string
	effort      string
	system      string
	temperature *float64
	parallel    int
	fields      map[string]any
	load        Load
	tags        map[string]string
}

// settings returns the combinations.
func (g *Grid) settings() []*setting {
	list := []setting{{}}
	list = cross(list, g.Endpoints, "endpoint", func(s *setting, e Endpoint) string { s.endpoint = e; return e.Name })
	list = cross(list, g.Models, "model", func(s *setting, model string) string { s.model = model; return model })
	list = cross(list, g.Efforts, "effort", func(s *setting, effort string) string { s.effort = effort; return effort })
	list = cross(list, g.Systems, "system", func(s *setting, m System) string { s.system = m.Text; return m.Name })
	list = cross(list, g.Temperatures, "temperature", func(s *setting, t float64) string { s.temperature = &t; return plain(t) })
	list = cross(list, g.Parallel, "tool_parallelism", func(s *setting, n int) string {
		if s.parallel = n; n == 0 {
			return "all"
		}
		return strconv.Itoa(n)
	})
	for _, f := range g.Fields {
		list = cross(list, f.Values, f.Name, func(s *setting, value any) string {
			s.fields = maps.Clone(s.fields)
			if s.fields == nil {
				s.fields = map[string]any{}
			}
			s.fields[f.Name] = value
			return tagOf(value)
		})
	}
	loads := g.Loads
	if len(loads) == 0 {
		loads = []Load{{Users: 1}}
	}
	list = cross(list, loads, "", func(s *setting, l Load) string {
		s.load = l
		maps.Copy(s.tags, l.tags())
		return ""
	})
	all := make([]*setting, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}

// combinations is how many settings there are. They may be more than can be laid out.
func (g *Grid) combinations() float64 {
	n := 1.0
	for _, values := range []int{len(g.Endpoints), len(g.Models), len(g.Efforts), len(g.Systems), len(g.Temperatures), len(g.Parallel), len(g.Loads)} {
		n *= float64(max(values, 1))
	}
	for _, f := range g.Fields {
		n *= float64(max(len(f.Values), 1))
	}
	return n
}

// cross combines each of the settings with each of the values: set puts one into a setting, and returns its tag under key.
func cross[T any](list []setting, values []T, key string, set func(*setting, T) string) []setting {
	if len(values) == 0 {
		return list
	}
	var crossed []setting
	for _, s := range list {
		for _, v := range values {
			next := s
			if next.tags = maps.Clone(s.tags); next.tags == nil {
				next.tags = map[string]string{}
			}
			if tag := set(&next, v); tag != "" {
				next.tags[key] = tag
			}
			crossed = append(crossed, next)
		}
	}
	return crossed
}

func plain(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// tagOf is a field's value as a tag: a text as it is, else its JSON.
func tagOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// Varied returns the tags that tell the settings apart, in the order of the grid; without any, the effort's or the model's.
func (g *Grid) Varied() []string {
	order := []string{"endpoint", "model", "effort", "system", "temperature", "tool_parallelism"}
	for _, f := range g.Fields {
		order = append(order, f.Name)
	}
	order = append(order, "concurrency", "rate")
	settings := g.settings()
	varied := slices.DeleteFunc(order, func(key string) bool {
		return !slices.ContainsFunc(settings, func(s *setting) bool { return s.tags[key] != settings[0].tags[key] })
	})
	switch {
	case len(varied) > 0:
		return varied
	case len(g.Efforts) > 0:
		return []string{"effort"}
	}
	return []string{"model"}
}
