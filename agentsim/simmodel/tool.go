package simmodel

import (
	"encoding/json"
	"strings"
)

// A Tool is one that a request offers.
type Tool struct {
	Name   string
	Schema json.RawMessage // JSON Schema of its arguments; nil if there is none
}

// readTools reads the tools of any API's request. Those without a name, which providers run themselves, are left out.
func readTools(raw json.RawMessage) []Tool {
	type function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
		Input      json.RawMessage `json:"input_schema"`         // Anthropic's word
		JSONSchema json.RawMessage `json:"parametersJsonSchema"` // one of Google's
	}
	var offers []struct {
		function
		Function     function   `json:"function"`             // OpenAI's chat
		Declarations []function `json:"functionDeclarations"` // Google
		Snake        []function `json:"function_declarations"`
	}
	if json.Unmarshal(raw, &offers) != nil {
		return nil
	}
	var tools []Tool
	for _, o := range offers {
		for _, f := range append(append([]function{o.function, o.Function}, o.Declarations...), o.Snake...) {
			if f.Name == "" {
				continue
			}
			t := Tool{Name: f.Name}
			for _, s := range []json.RawMessage{f.Parameters, f.Input, f.JSONSchema} {
				if t.Schema == nil {
					t.Schema = s
				}
			}
			tools = append(tools, t)
		}
	}
	return tools
}

// A schema is the part of a JSON Schema that matters for making up a value.
type schema struct {
	Type       schemaType        `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Enum       []any             `json:"enum"`
	Const      any               `json:"const"`
	AnyOf      []schema          `json:"anyOf"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
}

// schemaType is the first of the types that a schema allows, in lower case.
type schemaType string

func (t *schemaType) UnmarshalJSON(b []byte) error {
	var list []string
	if json.Unmarshal(b, &list) != nil {
		list = make([]string, 1)
		_ = json.Unmarshal(b, &list[0]) // what is neither is no type
	}
	if len(list) > 0 {
		*t = schemaType(strings.ToLower(list[0]))
	}
	return nil
}

// readSchema reads a JSON Schema; one that cannot be read allows anything.
func readSchema(raw json.RawMessage) (s schema) {
	if json.Unmarshal(raw, &s) != nil {
		return schema{}
	}
	return s
}

// sample returns a value that fits the schema: what is required, and no more. Numbers are number where they may be.
func (s schema) sample(number float64) any {
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type == "" && len(s.AnyOf) > 0:
		return s.AnyOf[0].sample(number)
	}
	switch s.Type {
	case "boolean":
		return false
	case "integer", "number":
		if s.Maximum != nil {
			number = min(number, *s.Maximum)
		}
		if s.Minimum != nil {
			number = max(number, *s.Minimum)
		}
		return number
	case "array":
		return []any{}
	case "null":
		return nil
	case "object", "":
		if s.Type == "" && len(s.Properties) == 0 {
			break
		}
		v := map[string]any{}
		for _, name := range s.Required {
			v[name] = s.Properties[name].sample(number)
		}
		return v
	}
	return "as asked"
}
