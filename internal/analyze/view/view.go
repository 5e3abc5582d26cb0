// Package view writes what was found for programs, as docs/reference/json.md describes it.
package view

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/realiops/realiops/internal/analyze/number"
)

// JSON writes a report, or another view of a run. A number that is infinite or none at all is null, and a list is never null.
func JSON(w io.Writer, view any) error {
	out := bufio.NewWriter(w)
	err := json.MarshalWrite(out, view, jsonv1.DefaultOptionsV1(), json.FormatNilSliceAsNull(false), json.WithMarshalers(json.MarshalToFunc(finite)),
		jsontext.EscapeForHTML(false), jsontext.WithIndent("  "))
	out.WriteByte('\n') // errors stay in the buffer until it is flushed
	if err := errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// finite writes null for what JSON has no number for.
func finite(out *jsontext.Encoder, v float64) error {
	if number.Finite(v) {
		return errors.ErrUnsupported // written as any number is
	}
	return out.WriteToken(jsontext.Null)
}
