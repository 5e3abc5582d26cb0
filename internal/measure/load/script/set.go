package script

import (
	"fmt"
	"slices"
)

// Set is the scripts of one run: they share their variables. Parse all of them before the first client is made; after
// that a set is only read, and any number of goroutines may do so.
type Set struct {
	names []string // by slot
	slots map[string]int
}

// NewSet begins a set without scripts.
func NewSet() *Set { return &Set{slots: map[string]int{}} }

// Names lists the variables that the scripts mention, by slot.
func (s *Set) Names() []string { return slices.Clone(s.names) }

// Slot finds a variable that some script mentions.
func (s *Set) Slot(name string) (slot int, known bool) {
	slot, known = s.slots[name]
	return slot, known
}

// lookup is Slot with an error for what cannot be a variable.
func (s *Set) lookup(name string) (slot int, known bool, err error) {
	if slot, known = s.slots[name]; !known && !validName(name) {
		return 0, false, fmt.Errorf("invalid variable name %q", name)
	}
	return slot, known, nil
}

func (s *Set) slot(name string) int {
	if slot, known := s.slots[name]; known {
		return slot
	}
	s.names = append(s.names, name)
	s.slots[name] = len(s.names) - 1
	return len(s.names) - 1
}
