package fleet_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/fleet"
)

// TestDocsNameEveryField: docs/json.md is the contract, so it has exactly the fields that are written.
func TestDocsNameEveryField(t *testing.T) {
	content, err := os.ReadFile("../../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(content), "\n## A fleet\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		documented = append(documented, row[1])
	}
	if diff := cmp.Diff(fields(reflect.TypeFor[fleet.Fleet](), ""), documented); diff != "" {
		t.Errorf("(-written +documented):\n%s", diff)
	}
}

// fields are the names of a type's JSON, those of structs in it by path, and of what may be null by itself too.
func fields(of reflect.Type, path string) (names []string) {
	switch {
	case of.Kind() == reflect.Pointer && of.Elem().Kind() == reflect.Struct && of.Elem() != reflect.TypeFor[time.Time]():
		return append([]string{path}, fields(of.Elem(), path)...)
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
		return fields(of.Elem(), path+"[]")
	case of.Kind() != reflect.Struct, of == reflect.TypeFor[time.Time]():
		return []string{path}
	}
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, fields(field.Type, strings.TrimPrefix(path+"."+name, "."))...)
	}
	return names
}
