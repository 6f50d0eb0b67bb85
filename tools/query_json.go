package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// QueryJSON returns the tool query_json: a value of a JSON file by its path, in gjson's syntax.
func QueryJSON(box *Box) Tool {
	type args struct {
		Path  string `json:"path"`
		Query string `json:"query"`
	}
	return define("query_json",
		"Look up a value in a JSON file. Queries are gjson paths: server.port, users.0.name, users.#, users.#.name, "+
			`users.#(age>40)#.name; a dot in a key is written \. ; @this is the whole document, @keys its keys.`,
		`{"type":"object","additionalProperties":false,"required":["path","query"],"properties":{
			"path":{"type":"string","minLength":1,"description":"JSON file inside the working folder"},
			"query":{"type":"string","minLength":1,"description":"gjson path"}}}`,
		defaultTimeout,
		func(_ context.Context, a args) (string, error) {
			content, err := box.readAll(a.Path)
			if err != nil {
				return "", err
			}
			if !gjson.ValidBytes(content) {
				var value any
				return "", fmt.Errorf("%q is not valid JSON: %w", a.Path, json.Unmarshal(content, &value))
			}
			found := gjson.GetBytes(content, a.Query)
			if !found.Exists() {
				return "", fmt.Errorf("nothing at %q in %s; %s", a.Query, a.Path, describe(gjson.ParseBytes(content)))
			}
			return box.cut(found.Raw), nil
		})
}

// describe says what the top of a document is.
func describe(doc gjson.Result) string {
	switch {
	case doc.IsArray():
		return fmt.Sprintf("the document is a list of %d", len(doc.Array()))
	case doc.IsObject():
		var keys []string
		doc.ForEach(func(key, _ gjson.Result) bool {
			keys = append(keys, key.String())
			return len(keys) < 20
		})
		return "its top keys are: " + strings.Join(keys, ", ")
	}
	return "the document is a single value"
}
