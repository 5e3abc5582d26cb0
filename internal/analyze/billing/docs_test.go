package billing_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/billing"
)

// TestDocsNameEveryField: docs/json.md is the contract, so it has exactly the fields that are written.
func TestDocsNameEveryField(t *testing.T) {
	content, err := os.ReadFile("../../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(content), "\n## What Aurora costs\n")
	section, _, _ = strings.Cut(section, "\n## ")
	comparison, stretch, _ := strings.Cut(section, "\nA stretch:\n")
	for text, of := range map[string]reflect.Type{comparison: reflect.TypeFor[billing.Comparison](), stretch: reflect.TypeFor[billing.Stretch]()} {
		var documented []string
		for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(text, -1) {
			documented = append(documented, row[1])
		}
		if diff := cmp.Diff(fields(of, ""), documented); diff != "" {
			t.Errorf("(-written +documented):\n%s", diff)
		}
	}
}

// fields are the names of a type's JSON, those of structs in it by path; a stretch within is described once.
func fields(of reflect.Type, path string) (names []string) {
	switch {
	case of.Kind() == reflect.Pointer && of.Elem() != reflect.TypeFor[time.Time]():
		if of.Elem() == reflect.TypeFor[billing.Switching]() {
			names = append(names, path)
		}
		return append(names, fields(of.Elem(), path)...)
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
		return fields(of.Elem(), path+"[]")
	case of.Kind() != reflect.Struct, of == reflect.TypeFor[time.Time](), of == reflect.TypeFor[billing.Stretch]() && path != "":
		return []string{path}
	}
	for field := range of.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); field.IsExported() {
			names = append(names, fields(field.Type, strings.TrimPrefix(path+"."+name, "."))...)
		}
	}
	return names
}
