// Package view writes results for programs, as docs/reference/json.md describes.
package view

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/printable"
)

// JSON writes a report, or another view of a run. Infinite numbers and NaN are null, and a list is never null.
func JSON(w io.Writer, view any) error {
	text, err := json.Marshal(view, jsonv1.DefaultOptionsV1(), json.FormatNilSliceAsNull(false),
		json.WithMarshalers(json.MarshalToFunc(finite)), jsontext.EscapeForHTML(false), jsontext.WithIndent("  "))
	if err == nil {
		_, err = w.Write(append(printable.JSON(text), '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func finite(out *jsontext.Encoder, v float64) error {
	if number.Finite(v) {
		return errors.ErrUnsupported // use the default encoding
	}
	return out.WriteToken(jsontext.Null)
}
