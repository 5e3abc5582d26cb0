package diagnosis_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/cli/diagnosis"
)

// TestDocsNameTheFieldsOfAStore: docs/json.md has exactly the fields that are written.
func TestDocsNameTheFieldsOfAStore(t *testing.T) {
	content, err := os.ReadFile("../../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(content), "\n## The diagnosis of a store\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		documented = append(documented, row[1])
	}
	if diff := cmp.Diff(namesOf(reflect.TypeFor[diagnosis.Store](), ""), documented); diff != "" {
		t.Errorf("(-written +documented):\n%s", diff)
	}
}

func namesOf(of reflect.Type, path string) (names []string) {
	for field := range of.Fields() {
		name := strings.TrimPrefix(path+"."+field.Tag.Get("json"), ".")
		if field.Type.Kind() == reflect.Slice && field.Type.Elem().Kind() == reflect.Struct {
			names = append(names, namesOf(field.Type.Elem(), name+"[]")...)
		} else {
			names = append(names, name)
		}
	}
	return names
}
