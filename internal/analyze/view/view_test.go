package view

import (
	"bytes"
	"encoding/json"
	"testing"
)

func FuzzJSON(f *testing.F) {
	for _, text := range []string{`{}`, `[]`, `null`,
		`{"a":[],"b":{},"c":[1,2.5e-3,{"d":"x\"y\\","e":[[]]}],"f":"{[,:]}"}`, `"\\"`, `[[1],[],[{}]]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			return
		}
		var got bytes.Buffer
		if err := JSON(&got, value); err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(value); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%s is written as\n%s\nand encoding/json writes\n%s", text, &got, &want)
		}
	})
}
