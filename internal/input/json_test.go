package input

import (
	"encoding/json"
	"testing"
	"time"
)

// TestNotJSONIsInWords: users who export a file do not know Go.
func TestNotJSONIsInWords(t *testing.T) {
	for text, want := range map[string]string{
		`{"list": [{"size": "big"}]}`: "its size is a string, and has to be a number",
		`{"list": [{"size": 1e300}]}`: "its size is 1e300, which it cannot be",
		`{"list": {}}`:                "its list is an object, and has to be a list",
		`{"list": [`:                  "its JSON ends too early: was it written to the end?",
		`{"list": []} x`:              "its JSON is broken at byte 14: was it written to the end?",
		`{"at": "2026-11-20T13:00:00"}`: "its time \"2026-11-20T13:00:00\" is invalid or has no zone: want one such as " +
			"2026-11-20T13:00:00Z",
	} {
		var into struct {
			List []struct {
				Size int `json:"size"`
			} `json:"list"`
			At time.Time `json:"at"`
		}
		if err := NotJSON(json.Unmarshal([]byte(text), &into)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
