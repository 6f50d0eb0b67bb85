package otlp

import (
	"slices"
	"sync"

	"github.com/seed46266073/longpole/traces"
)

// resources holds the resources of a text, each once, by how they are written. It is safe for concurrent use.
type resources struct {
	mu     sync.Mutex
	byText map[string]*traces.Resource
}

func (known *resources) find(text []byte) *traces.Resource {
	known.mu.Lock()
	defer known.mu.Unlock()
	return known.byText[string(text)]
}

// keep returns the resource that is known by the text, which is the one given if none was.
func (known *resources) keep(text []byte, resource *traces.Resource) *traces.Resource {
	known.mu.Lock()
	defer known.mu.Unlock()
	if first := known.byText[string(text)]; first != nil {
		return first
	}
	if known.byText == nil {
		known.byText = map[string]*traces.Resource{}
	}
	known.byText[string(text)] = resource
	return resource
}

// resource reads a resource; equal texts give the same one.
func (r *reader) resource() *traces.Resource {
	if r.in.peek() != '{' {
		r.in.skip()
		return nil
	}
	start := r.in.at
	r.in.skip()
	if r.in.err != nil {
		return nil
	}
	text := r.in.text[start:r.in.at]
	resource := r.resources.find(text)
	if resource == nil {
		after := r.in.at
		r.in.at = start
		resource = &traces.Resource{}
		for key := range r.in.object {
			if string(key) == "attributes" {
				resource.Attrs = copied(r.attributes()) // it stays when the document is left out and what it took is used again
			}
		}
		r.in.at = after
		resource = r.resources.keep(text, resource)
	}
	return resource
}

// copied returns attributes that share no memory with those given.
func copied(attrs traces.Attrs) traces.Attrs {
	attrs = slices.Clone(attrs)
	for i := range attrs {
		attrs[i].Value = copiedValue(attrs[i].Value)
	}
	return attrs
}

func copiedValue(value any) any {
	switch v := value.(type) {
	case traces.Attrs:
		return copied(v)
	case []any:
		v = slices.Clone(v)
		for i := range v {
			v[i] = copiedValue(v[i])
		}
		return v
	}
	return value
}
