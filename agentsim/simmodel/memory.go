package simmodel

import "sync"

// A memory keeps conversations that clients go on with by the id of a response. It is bounded: the oldest make room.
type memory struct {
	mu    sync.Mutex
	kept  map[string]conversation
	order []string // ids, oldest first
	size  int      // bytes, about
}

// A conversation is all that was said up to a response, and the tools that were offered.
type conversation struct {
	messages []Message
	tools    []Tool
	toolText []byte
}

const maxMemory = 128 << 20 // bytes of text

func (m *memory) keep(id string, c conversation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = map[string]conversation{}
	}
	if old, has := m.kept[id]; has {
		m.size -= old.size()
	} else {
		m.order = append(m.order, id)
	}
	m.kept[id] = c
	for m.size += c.size(); m.size > maxMemory && len(m.order) > 1; m.order = m.order[1:] {
		m.size -= m.kept[m.order[0]].size()
		delete(m.kept, m.order[0])
	}
}

func (m *memory) recall(id string) (conversation, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.kept[id]
	return c, ok
}

func (c conversation) size() int {
	n := 1<<10 + len(c.toolText)
	for _, m := range c.messages {
		n += 256 + len(m.Content)
		for _, call := range m.Calls {
			n += len(call.arguments())
		}
	}
	return n
}
