package input

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
)

// article maps the types of JSON to words with their article.
var article = map[string]string{"string": "a string", "number": "a number", "bool": "true or false", "array": "a list",
	"object": "an object"}

// kinds maps the kinds of Go's fields to the types of JSON.
var kinds = map[reflect.Kind]string{reflect.Int: "a number", reflect.Int64: "a number", reflect.Float64: "a number",
	reflect.String: "a string", reflect.Bool: "true or false", reflect.Slice: "a list", reflect.Map: "an object",
	reflect.Struct: "an object", reflect.Pointer: "an object"}

// NotJSON describes an error in the JSON of another program in terms of the file.
func NotJSON(err error) error {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		name := kind.Field[strings.LastIndex(kind.Field, ".")+1:]
		if number, large := strings.CutPrefix(kind.Value, "number "); large {
			return fmt.Errorf("field %s is %s, which is out of range", name, number)
		}
		return fmt.Errorf("field %s is %s, but must be %s", name, cmp.Or(article[kind.Value], kind.Value),
			kinds[kind.Type.Kind()])
	}
	if at, ok := errors.AsType[*time.ParseError](err); ok {
		return fmt.Errorf("time %q is invalid or has no zone; write it like 2026-11-20T13:00:00Z", at.Value)
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		if syntax.Error() == "unexpected end of JSON input" {
			return errors.New("unexpected end of JSON; is the file complete?")
		}
		return fmt.Errorf("invalid JSON at byte %d; is the file complete?", syntax.Offset)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("unexpected end of JSON; is the file complete?")
	}
	return err
}
