package script

import (
	"fmt"
	"slices"
)

// Set holds the scripts of one run, which share their variables. Parse all of them before making the first client;
// after that, any number of goroutines may read the set.
type Set struct {
	names []string // by slot
	slots map[string]int
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{slots: map[string]int{}} }

// Names lists the variables that the scripts mention, by slot.
func (s *Set) Names() []string { return slices.Clone(s.names) }

// Slot finds a variable that some script mentions.
func (s *Set) Slot(name string) (slot int, known bool) {
	slot, known = s.slots[name]
	return slot, known
}

// lookup is Slot with an error for an invalid name.
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
