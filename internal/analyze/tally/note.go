package tally

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
)

// notebook keeps notes, and only the first of many of one kind, so that a file full of defects gives a short report.
type notebook struct {
	notes []counts.Note
	count map[string]int
	seen  map[counts.Note]bool
}

// notesOfAKind is the number of notes of one kind that are kept verbatim.
const notesOfAKind = 3

func (n *notebook) add(code, text string) {
	note := counts.Note{Code: code, Text: text}
	if n.seen[note] {
		return
	}
	if n.count == nil {
		n.count, n.seen = map[string]int{}, map[counts.Note]bool{}
	}
	n.count[code]++
	if n.count[code] <= notesOfAKind {
		n.notes = append(n.notes, note)
		n.seen[note] = true
	}
}

func (n *notebook) all() []counts.Note {
	for _, code := range slices.Sorted(maps.Keys(n.count)) {
		if more := n.count[code] - notesOfAKind; more > 0 {
			n.notes = append(n.notes, counts.Note{Code: code, Text: fmt.Sprintf("and %d more of this kind", more)})
		}
	}
	slices.SortStableFunc(n.notes, func(a, b counts.Note) int { return cmp.Compare(a.Code, b.Code) })
	return n.notes
}
