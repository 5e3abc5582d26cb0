package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// WithSize is a report with what to order, as a page has it.
type WithSize struct {
	Report
	Size *Size `json:"size"` // nil: the run does not tell
}

// JSON writes a report, or another view of a run, for programs, as docs/json.md describes them.
func JSON(w io.Writer, view any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(view); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
