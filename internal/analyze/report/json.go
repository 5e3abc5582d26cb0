package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes the report for programs, as docs/json.md describes it.
func JSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
