package metric

import "slices"

// Source is the origin of a row, and the state in which it was read.
type Source struct {
	Key     string `json:"key"`
	Title   string `json:"title"`
	Address string `json:"address"`
	State   string `json:"state"` // date: of the text, as it was read
}

// SourceOf finds a source by its key.
func SourceOf(key string) (Source, bool) {
	for _, s := range Sources() {
		if s.Key == key {
			return s, true
		}
	}
	return Source{}, false
}

// Sources returns what the meanings of metrics, the limits of volumes and the prices rest on.
func Sources() []Source { return slices.Concat(fromFile().Sources, dictionary().Sources) }
