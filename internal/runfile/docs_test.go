package runfile

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestDocsNameEveryField: docs/run-file.md is the contract, so each kind's table has exactly the fields that are written.
func TestDocsNameEveryField(t *testing.T) {
	content, err := os.ReadFile("../../docs/run-file.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range everyKind() {
		_, section, found := strings.Cut(string(content), "\n### "+string(r.Kind())+"\n")
		if !found {
			t.Errorf("no section on %s", r.Kind())
			continue
		}
		section, _, _ = strings.Cut(section, "\n#")
		var documented []string
		for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
			documented = append(documented, row[1])
		}
		if diff := cmp.Diff(fields(reflect.TypeOf(r), ""), documented); diff != "" {
			t.Errorf("%s (-written +documented):\n%s", r.Kind(), diff)
		}
	}
}

// fields lists the names of a type's JSON, those of structs in it by path.
func fields(of reflect.Type, path string) []string {
	switch {
	case of == reflect.TypeFor[*Arm](), of == reflect.TypeFor[*Cloud]() && path == "cloud": // told once, as of the run
		return []string{path}
	case of.Kind() == reflect.Pointer:
		return fields(of.Elem(), path)
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
		return fields(of.Elem(), path+"[]")
	case of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]():
		return []string{path}
	}
	var names []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, fields(field.Type, strings.TrimPrefix(path+"."+name, "."))...)
	}
	return names
}
