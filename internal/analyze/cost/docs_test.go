package cost_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/cost"
)

// docs/json.md is the contract, so it has exactly the fields that are written.
func TestDocsNameEveryField(t *testing.T) {
	content, err := os.ReadFile("../../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(content), "\n## Operations\n")
	text, _, _ = strings.Cut(text, "\n## ")
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(text, -1) {
		documented = append(documented, row[1])
	}
	if diff := cmp.Diff(fields(reflect.TypeFor[cost.Tagged](), ""), documented); diff != "" {
		t.Errorf("(-written +documented):\n%s", diff)
	}
}

// fields lists the names of a type's JSON, those of structs in it by path; a cost within another is told by its name alone.
func fields(of reflect.Type, path string) (names []string) {
	switch {
	case of.Kind() == reflect.Pointer:
		return fields(of.Elem(), path)
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
		return fields(of.Elem(), path+"[]")
	case of.Kind() != reflect.Struct, of == reflect.TypeFor[cost.Cost]() && path != "":
		return []string{path}
	}
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous {
			names = append(names, fields(field.Type, path)...)
		} else {
			names = append(names, fields(field.Type, strings.TrimPrefix(path+"."+name, "."))...)
		}
	}
	return names
}
