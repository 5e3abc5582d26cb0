package input

import (
	"encoding/json"
	"testing"
	"time"
)

// TestNotJSONIsInWords: users who export a file do not know Go.
func TestNotJSONIsInWords(t *testing.T) {
	for text, want := range map[string]string{
		`{"list": [{"size": "big"}]}`: "field size is a string, but must be a number",
		`{"list": [{"size": 1e300}]}`: "field size is 1e300, which is out of range",
		`{"list": {}}`:                "field list is an object, but must be a list",
		`{"list": [`:                  "unexpected end of JSON; is the file complete?",
		`{"list": []} x`:              "invalid JSON at byte 14; is the file complete?",
		`{"at": 1795200000.0}`: "a time is not text such as \"2026-11-20T13:00:00Z\"; if the AWS CLI wrote it, run aws " +
			"configure set cli_timestamp_format iso8601 and export it again",
		`{"at": "2026-11-20T13:00:00"}`: "time \"2026-11-20T13:00:00\" is invalid or has no zone; write it like " +
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
