// Package docstest compares the fields in a page of the docs with a type's JSON.
package docstest

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Section returns the text under a heading of a page in docs, given with its level ("## Fields"),
// up to the next heading of its level or above. It fails the test if a heading occurs twice, since
// only one section would be checked.
func Section(t testing.TB, page, heading string) string {
	t.Helper()
	text := string(read(t, page))
	seen := map[string]bool{}
	for _, section := range regexp.MustCompile(`(?m)^## .*$`).FindAllString(text, -1) {
		if seen[section] {
			t.Fatalf("docs/%s has the section %q twice", page, section)
		}
		seen[section] = true
	}
	_, rest, found := strings.Cut(text, "\n"+heading+"\n")
	if !found {
		t.Fatalf("docs/%s has no section %q", page, heading)
	}
	level := strings.IndexByte(heading, ' ')
	if next := regexp.MustCompile(`(?m)^#{1,` + string('0'+rune(level)) + `} `).FindStringIndex(rest); next != nil {
		rest = rest[:next[0]]
	}
	return rest
}

// read reads a page of docs, found beside go.mod above the tested package.
func read(t testing.TB, page string) []byte {
	t.Helper()
	directory, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(directory, "go.mod")); err == nil {
			break
		}
		if directory == filepath.Dir(directory) {
			t.Fatal("no go.mod above the package")
		}
		directory = filepath.Dir(directory)
	}
	content, err := os.ReadFile(filepath.Join(directory, "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Rows returns the names in the first column of a text's tables: | `name` |.
func Rows(text string) (names []string) {
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(text, -1) {
		names = append(names, row[1])
	}
	return names
}

// WithoutParents leaves out rows for a parent of the following fields, which say when all of these are null.
func WithoutParents(names []string) (fields []string) {
	for i, name := range names {
		if i+1 == len(names) || !strings.HasPrefix(names[i+1], name+".") {
			fields = append(fields, name)
		}
	}
	return fields
}

// Fields returns the names in a type's JSON, with the path for those in nested structs. A struct documented
// elsewhere contributes only its path.
func Fields(of reflect.Type, elsewhere func(of reflect.Type, path string) bool) []string {
	if elsewhere == nil {
		elsewhere = func(reflect.Type, string) bool { return false }
	}
	return fields(of, "", elsewhere)
}

func fields(of reflect.Type, path string, elsewhere func(reflect.Type, string) bool) (names []string) {
	switch {
	case path != "" && elsewhere(of, path):
		return []string{path}
	case of.Kind() == reflect.Pointer:
		return fields(of.Elem(), path, elsewhere)
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
		return fields(of.Elem(), path+"[]", elsewhere)
	case of.Kind() == reflect.Map && of.Elem().Kind() == reflect.Struct && !elsewhere(of.Elem(), path):
		return append([]string{path}, fields(of.Elem(), path+".*", elsewhere)...)
	case of.Kind() != reflect.Struct, of == reflect.TypeFor[time.Time]():
		return []string{path}
	}
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case !field.IsExported() || name == "-":
		case field.Anonymous:
			names = append(names, fields(field.Type, path, elsewhere)...)
		default:
			names = append(names, fields(field.Type, strings.TrimPrefix(path+"."+name, "."), elsewhere)...)
		}
	}
	return names
}
