package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// A schema is the part of JSON Schema that tool arguments need. Keywords it does not know are not checked.
type schema struct {
	Type       string             `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Additional *bool              `json:"additionalProperties"`
	Items      *schema            `json:"items"`
	Enum       []any              `json:"enum"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	MinLength  int                `json:"minLength"`
	MinItems   int                `json:"minItems"`
}

// checkArgs reports everything that is wrong with args, so that a model can put it right in one go.
func checkArgs(raw, args json.RawMessage) error {
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return fmt.Errorf("the arguments are not valid JSON: %w", err)
	}
	if len(raw) == 0 {
		return nil
	}
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("the tool's schema is not valid: %w", err)
	}
	var wrong []string
	s.check("", value, &wrong)
	if len(wrong) == 0 {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}

func (s *schema) check(at string, value any, wrong *[]string) {
	say := func(format string, args ...any) { *wrong = append(*wrong, fmt.Sprintf(format, args...)) }
	where := at
	if where == "" {
		where = "the arguments"
	}
	if s.Type != "" && !hasType(value, s.Type) {
		say("%s must be %s, not %s", where, article(s.Type), article(typeOf(value)))
		return
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, value) {
		allowed, _ := json.Marshal(s.Enum)
		say("%s must be one of %s", where, allowed)
	}
	switch v := value.(type) {
	case string:
		if utf8.RuneCountInString(v) < s.MinLength {
			say("%s must not be empty", where)
		}
	case float64:
		if s.Minimum != nil && v < *s.Minimum {
			say("%s must be at least %v", where, *s.Minimum)
		}
		if s.Maximum != nil && v > *s.Maximum {
			say("%s must be at most %v", where, *s.Maximum)
		}
	case []any:
		if len(v) < s.MinItems {
			say("%s needs at least %d", where, s.MinItems)
		}
		if s.Items != nil {
			for i, item := range v {
				s.Items.check(fmt.Sprintf("%s[%d]", at, i), item, wrong)
			}
		}
	case map[string]any:
		s.checkObject(at, v, say, wrong)
	}
}

func (s *schema) checkObject(at string, object map[string]any, say func(string, ...any), wrong *[]string) {
	path := func(name string) string {
		if at == "" {
			return name
		}
		return at + "." + name
	}
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			say("%q is missing", path(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if property, ok := s.Properties[name]; ok {
			property.check(path(name), object[name], wrong)
		} else if s.Additional != nil && !*s.Additional {
			known := strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ")
			say("%q is not known; known are: %s", path(name), known)
		}
	}
}

func hasType(value any, name string) bool {
	switch name {
	case "number":
		_, ok := value.(float64)
		return ok
	case "integer":
		f, ok := value.(float64)
		return ok && f == math.Trunc(f)
	}
	return typeOf(value) == name
}

func typeOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}

func article(noun string) string {
	switch {
	case noun == "null":
		return noun
	case strings.ContainsRune("aeiou", rune(noun[0])):
		return "an " + noun
	}
	return "a " + noun
}
