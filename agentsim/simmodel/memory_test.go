package simmodel

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheOldestConversationMakesRoom(t *testing.T) {
	var m memory
	large := conversation{messages: []Message{{Role: "user", Content: strings.Repeat("x", maxMemory/4)}}}
	for i := range 5 {
		m.keep(fmt.Sprint(i), large)
		m.keep(fmt.Sprint(i), large) // again: it counts once
	}
	for i := range 5 {
		if _, ok := m.recall(fmt.Sprint(i)); ok != (i >= 2) {
			t.Errorf("conversation %d is kept: %t", i, ok)
		}
	}
	if len(m.order) != len(m.kept) || m.size > maxMemory {
		t.Errorf("%d in order, %d kept, %d bytes", len(m.order), len(m.kept), m.size)
	}
}
