package waterfall

import (
	"slices"
	"strings"

	"github.com/seed46266073/longpole/tui/keys"
)

// Search marks the rows whose name or detail contains query and selects the first one at or below the selected row.
func (m *Model) Search(query string) {
	among := m.matches
	if m.query == "" || !strings.HasPrefix(query, m.query) {
		among = nil
	}
	m.query = query
	m.matches = m.tree.matches(query, among)
	clear(m.cache)
	if len(m.matches) == 0 {
		return
	}
	i, _ := slices.BinarySearch(m.matches, m.selected())
	m.goTo(m.matches[i%len(m.matches)])
}

// Query returns what is searched for and how many rows match.
func (m *Model) Query() (query string, matches int) { return m.query, len(m.matches) }

// next selects the nth match in the direction of action, round the ends.
func (m *Model) next(action keys.Action, n int) {
	if len(m.matches) == 0 {
		return
	}
	i, here := slices.BinarySearch(m.matches, m.selected())
	switch {
	case action == keys.Previous:
		n = -n
	case !here:
		n--
	}
	size := len(m.matches)
	m.goTo(m.matches[((i+n)%size+size)%size])
}

// found reports whether node i matches.
func (m *Model) found(i int32) bool {
	_, ok := slices.BinarySearch(m.matches, i)
	return ok
}

// matches returns the nodes that contain query, in order; among, if not nil, are the only ones to look at.
func (t *tree) matches(query string, among []int32) []int32 {
	if query == "" {
		return nil
	}
	if t.words == nil {
		t.words = t.lower()
	}
	query = strings.ToLower(query)
	found := []int32{}
	if among != nil {
		for _, i := range among {
			if strings.Contains(t.words[i], query) {
				found = append(found, i)
			}
		}
		return found
	}
	for i, words := range t.words {
		if strings.Contains(words, query) {
			found = append(found, int32(i))
		}
	}
	return found
}

// lower returns what can be found, each different text once: names repeat, spans are many.
func (t *tree) lower() []string {
	type row struct{ name, detail, span string }
	known := map[row]string{}
	list := make([]string, len(t.nodes))
	for i := range t.nodes {
		name, detail := t.label(int32(i))
		s := t.nodes[i].span
		r := row{name, detail, s.Name}
		words, ok := known[r]
		if !ok {
			words = strings.ToLower(name + "\n" + detail + "\n" + s.Name)
			known[r] = words
		}
		list[i] = words
	}
	return list
}
