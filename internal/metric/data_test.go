package metric

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestDataFilesHaveKnownFields: a misspelled field in a data file would be silently ignored.
func TestDataFilesHaveKnownFields(t *testing.T) {
	var entries struct {
		Sources []Source
		Entries []Entry
	}
	for name, file := range map[string]struct {
		text []byte
		into any
	}{"cloud.json": {cloudJSON, &cloudFile{}}, "dictionary.json": {dictionaryJSON, &entries}} {
		in := json.NewDecoder(bytes.NewReader(file.text))
		in.DisallowUnknownFields()
		if err := in.Decode(file.into); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
