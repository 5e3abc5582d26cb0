package metric

import "slices"

// Source is the origin of a row, and the state in which it was read.
type Source struct {
	Key     string `json:"key"`
	Title   string `json:"title"`
	Address string `json:"address"`
	State   string `json:"state"` // date: of the text, as read
}

// SourceOf returns the source with the given key.
func SourceOf(key string) (Source, bool) {
	for _, s := range Sources() {
		if s.Key == key {
			return s, true
		}
	}
	return Source{}, false
}

// Sources returns the sources of the meanings of metrics, the limits of volumes and the prices.
func Sources() []Source { return slices.Concat(fromFile().Sources, dictionary().Sources) }
