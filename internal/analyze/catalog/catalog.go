// Package catalog knows what volumes, machines and databases carry and cost, and how reliable that is for an order.
//
// It is data, each row with the keys of its sources, which are in internal/metric beside those of metrics. Nothing here
// was measured by the run at hand.
package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

func decode[Row any](file []byte) (all []Row) {
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		panic(fmt.Sprintf("the catalog: %v", err)) // a test decodes it
	}
	return all
}

// readList parses a user's list, of prices or of limits. Its errors name the line.
func readList[Row any](r io.Reader, kind string) (all []Row, err error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", kind, err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, mistake(text, kind, d.InputOffset(), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, mistake(text, kind, d.InputOffset(), errors.New("text after the end of the list"))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("it has no %s", kind)
	}
	return all, nil
}

// mistake says where a list is wrong, and how.
func mistake(text []byte, list string, offset int64, err error) error {
	reason := strings.TrimPrefix(err.Error(), "json: ")
	kind, isKind := errors.AsType[*json.UnmarshalTypeError](err)
	switch syntax, isSyntax := errors.AsType[*json.SyntaxError](err); {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("the file is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		offset, reason = int64(len(text)), "the list is cut off"
	case isSyntax:
		offset, reason = syntax.Offset, "invalid JSON: "+syntax.Error()
	case isKind && kind.Field == "":
		offset, reason = kind.Offset, fmt.Sprintf("%s instead of a list of %s", article(kind.Value), list)
	case isKind:
		offset, reason = kind.Offset, fmt.Sprintf("%s is %s, which is not allowed", kind.Field, article(kind.Value))
	}
	line := 1 + bytes.Count(text[:min(int(offset), len(text))], []byte("\n"))
	return fmt.Errorf("line %d: %s", line, reason)
}

// article adds the article to the name of a JSON type.
func article(kind string) string {
	if strings.ContainsAny(kind[:1], "ao") {
		return "an " + kind
	}
	return "a " + kind
}
