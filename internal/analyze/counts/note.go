package counts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// notebook keeps notes, and of many of one kind only the first, so that a file full of defects gives a short report.
type notebook struct {
	notes []Note
	count map[string]int
	seen  map[Note]bool
}

// notesOfAKind are kept word for word.
const notesOfAKind = 3

func (n *notebook) add(code, text string) {
	note := Note{Code: code, Text: text}
	if n.seen[note] {
		return
	}
	if n.count == nil {
		n.count, n.seen = map[string]int{}, map[Note]bool{}
	}
	n.count[code]++
	if n.count[code] <= notesOfAKind {
		n.notes = append(n.notes, note)
		n.seen[note] = true
	}
}

func (n *notebook) all() []Note {
	for _, code := range sortedKeys(n.count) {
		if more := n.count[code] - notesOfAKind; more > 0 {
			n.notes = append(n.notes, Note{Code: code, Text: fmt.Sprintf("and %d more of this kind", more)})
		}
	}
	slices.SortStableFunc(n.notes, func(a, b Note) int { return cmp.Compare(a.Code, b.Code) })
	return n.notes
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
