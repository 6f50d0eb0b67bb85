package tasks

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// A node is a value in a YAML or JSON file, and knows where it stands there, so that errors can say it.
type node struct {
	file string
	ast  ast.Node // nil: empty
	line int
}

// deepest is how many values may lie in each other: the parser's time grows with the square of it.
const deepest = 100

// parse reads a file of one document. What the parser cannot read, or fails at, is an error with a line.
func parse(file string, content []byte) (root node, err error) {
	root = node{file: file, line: 1}
	defer func() {
		if p := recover(); p != nil {
			err = root.fail("this is no YAML that can be read")
		}
	}()
	tokens := lexer.Tokenize(strings.TrimPrefix(string(content), "\ufeff")) // a byte order mark, as some editors write
	if at := tooDeep(tokens); at > 0 {
		return root, node{file: file, line: at}.fail("values lie in each other more than %d deep", deepest)
	}
	parsed, err := parser.Parse(tokens, 0)
	var syntax yaml.Error
	switch {
	case errors.As(err, &syntax):
		if t := syntax.GetToken(); t != nil && t.Position != nil {
			root.line = t.Position.Line
		}
		return root, root.fail("%s", oneLine(syntax.GetMessage()))
	case err != nil:
		return root, root.fail("%s", oneLine(err.Error()))
	case len(parsed.Docs) > 1:
		return node{file: file, line: lineOf(parsed.Docs[1].Body)}.refuse("a second document; a file is one")
	case len(parsed.Docs) == 1:
		return root.of(parsed.Docs[0].Body), nil
	}
	return root, nil
}

// tooDeep returns the line at which values lie in each other too deep, 0 if there is none.
func tooDeep(tokens token.Tokens) (line int) {
	flow, dashes, last := 0, 0, 0
	for _, t := range tokens {
		if t.Position == nil {
			continue
		}
		if t.Position.Line != last {
			last, dashes = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType:
			dashes++
		}
		if flow+dashes+t.Position.Column/1000 > deepest {
			return last
		}
	}
	return 0
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func lineOf(n ast.Node) int {
	if n == nil {
		return 1
	}
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		n = m.Values[0].Key // a block's own token is the first colon
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

// of returns the node of a value in the same file.
func (n node) of(value ast.Node) node { return node{n.file, value, lineOf(value)} }

// fail is an error about n: file, line, what is wrong, what to do.
func (n node) fail(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", n.file, n.line, fmt.Sprintf(format, args...))
}

// wants is the error that n is something else than what it should be.
func (n node) wants(what string) error {
	switch n.ast.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return n.fail("want %s, written out: anchors, aliases and tags are not understood", what)
	}
	return n.fail("want %s", what)
}

func (n node) refuse(format string, args ...any) (node, error) { return n, n.fail(format, args...) }

// A field is a key of a mapping and its value.
type field struct {
	key   string
	at    node // the key
	value node
}

// fields returns what a mapping holds, in order; what: what it should be, for errors.
func (n node) fields(what string) ([]field, error) {
	var values []*ast.MappingValueNode
	switch m := n.ast.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		return nil, n.wants(what)
	}
	var list []field
	for _, v := range values {
		at := n.of(v.Key)
		key, ok := at.scalar()
		if !ok {
			return nil, at.fail("want a plain key here, in %s", what)
		}
		value := n.of(v.Value)
		if value.empty() {
			value.line = at.line
		}
		list = append(list, field{key, at, value})
	}
	return list, nil
}

// known returns the fields of a mapping by key, all of which must be of the keys. Those that are not there are empty.
func (n node) known(what string, keys ...string) (map[string]node, error) {
	list, err := n.fields(what)
	if err != nil {
		return nil, err
	}
	found := map[string]node{}
	for _, key := range keys {
		found[key] = node{n.file, nil, n.line}
	}
	for _, f := range list {
		if !slices.Contains(keys, f.key) {
			return nil, f.at.fail("%q is not known here; %s has %s", f.key, what, strings.Join(keys, ", "))
		}
		found[f.key] = f.value
	}
	return found, nil
}

// list returns the values of a list.
func (n node) list(what string) ([]node, error) {
	s, ok := n.ast.(*ast.SequenceNode)
	if !ok {
		return nil, n.wants(what)
	}
	var values []node
	for _, v := range s.Values {
		value := n.of(v)
		if value.empty() {
			return nil, n.fail("%s has an empty entry", what)
		}
		values = append(values, value)
	}
	return values, nil
}

// texts returns the values of a list of texts, or one text alone.
func (n node) texts(what string) ([]string, error) {
	if text, ok := n.scalar(); ok {
		return []string{text}, nil
	}
	values, err := n.list(what)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, v := range values {
		text, ok := v.scalar()
		if !ok {
			return nil, v.fail("want a text in %s", what)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// text returns a text that is more than white space.
func (n node) text(what string) (string, error) {
	text, ok := n.scalar()
	if !ok || strings.TrimSpace(text) == "" {
		return "", n.wants(what + ", a text")
	}
	return text, nil
}

// scalar returns a text, a number or a truth value as it is written.
func (n node) scalar() (string, bool) {
	switch v := n.ast.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.ast.GetToken().Value, true
	}
	return "", false
}

func (n node) empty() bool {
	_, null := n.ast.(*ast.NullNode)
	return n.ast == nil || null
}

// value returns what encoding/json would make of the same JSON; integers stay whole.
func (n node) value() (any, error) {
	switch v := n.ast.(type) {
	case nil, *ast.NullNode:
		return nil, nil
	case *ast.IntegerNode:
		return v.Value, nil
	case *ast.FloatNode:
		return v.Value, nil
	case *ast.BoolNode:
		return v.Value, nil
	case *ast.StringNode, *ast.LiteralNode:
		text, _ := n.scalar()
		return text, nil
	case *ast.SequenceNode:
		list := []any{}
		for _, e := range v.Values {
			value, err := n.of(e).value()
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	case *ast.MappingNode, *ast.MappingValueNode:
		fields, err := n.fields("a mapping")
		if err != nil {
			return nil, err
		}
		object := map[string]any{}
		for _, f := range fields {
			if object[f.key], err = f.value.value(); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
	return nil, n.fail("want a plain value; anchors, aliases, tags and numbers without an end are not understood")
}
