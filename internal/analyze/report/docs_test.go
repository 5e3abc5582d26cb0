package report_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// TestDocsNameEveryField: docs/json.md is the contract, so it has exactly the fields that are written.
func TestDocsNameEveryField(t *testing.T) {
	content, err := os.ReadFile("../../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, figures, _ := strings.Cut(string(content), "\n## Figures\n")
	figures, estimates, _ := strings.Cut(figures, "\n## Estimates\n")
	estimates, rest, _ := strings.Cut(estimates, "\n## Fields\n")
	check := func(what string, want []string, text string) {
		t.Helper()
		var documented []string
		for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(text, -1) {
			documented = append(documented, row[1])
		}
		if diff := cmp.Diff(want, documented); diff != "" {
			t.Errorf("%s (-written +documented):\n%s", what, diff)
		}
	}
	check("figure", fields(reflect.TypeFor[report.Figure](), ""), strings.ReplaceAll(figures, "`missing` |", "missing |"))
	check("estimate", fields(reflect.TypeFor[attribution.Estimate](), ""), estimates)
	beforeCodes, _, _ := strings.Cut(rest, "\n| code |")
	want := slices.Concat([]string{"schema", "run", "arms", "metrics", "headline", "warnings", "observed", "twins"}, fields(reflect.TypeFor[report.Report](), "")[1:])
	check("report", want, beforeCodes)
	_, comparison, _ := strings.Cut(rest, "\n## Comparisons\n")
	check("comparison", fields(reflect.TypeFor[report.Comparison](), ""), comparison)
}

// described elsewhere in the page, or in docs/run-file.md.
func elsewhere(of reflect.Type) bool {
	return slices.Contains([]reflect.Type{
		reflect.TypeFor[report.Figure](), reflect.TypeFor[attribution.Estimate](), reflect.TypeFor[runfile.Target](), reflect.TypeFor[runfile.Host](), reflect.TypeFor[time.Time](),
	}, of)
}

// fields lists the names of a type's JSON, those of structs in it by path.
func fields(of reflect.Type, path string) []string {
	switch {
	case of.Kind() == reflect.Pointer:
		return fields(of.Elem(), path)
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
		return fields(of.Elem(), path+"[]")
	case of == reflect.TypeFor[series.Missing]() && path != "missing", strings.HasSuffix(path, ".smallest") && strings.Contains(path, "*"),
		strings.HasSuffix(path, ".largest") && strings.Contains(path, "*"), elsewhere(of) && path != "":
		return []string{path}
	case of == reflect.TypeFor[map[string]report.Span]():
		return append([]string{path}, fields(of.Elem(), path+".*")...)
	case of.Kind() != reflect.Struct:
		return []string{path}
	}
	var names []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case !field.IsExported() || name == "-":
			continue
		case field.Anonymous:
			names = append(names, fields(field.Type, path)...)
			continue
		}
		names = append(names, fields(field.Type, strings.TrimPrefix(path+"."+name, "."))...)
	}
	return names
}

// TestDocsNameEveryWarning: a program that goes by codes must know them all.
func TestDocsNameEveryWarning(t *testing.T) {
	content, err := os.ReadFile("../../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, codes, _ := strings.Cut(string(content), "\n| code |")
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (yes|no) \\|").FindAllStringSubmatch(codes, -1) {
		documented[row[1]] = row[2]
	}
	used := map[string]string{}
	for dir, calls := range map[string]string{
		".": `\b(condition|odd)\((?:document\.\w+, )?"([a-z-]+)"`, "../drivers": `\b(notes\.add)\("([a-z-]+)"`, "../attribution": `\b(add\(|Warning\{)"([a-z-]+)"`,
	} {
		for code, condition := range codesIn(t, dir, calls) {
			used[code] = max(used[code], condition) // what makes all numbers lie, wherever it is said
		}
	}
	if diff := cmp.Diff(used, documented); diff != "" {
		t.Errorf("(-used +documented):\n%s", diff)
	}
}

// codesIn finds the codes of warnings and notes in the source.
func codesIn(t *testing.T, dir, pattern string) map[string]string {
	t.Helper()
	found := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(pattern)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		source, err := os.ReadFile(dir + "/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range calls.FindAllStringSubmatch(string(source), -1) {
			found[call[2]] = map[bool]string{true: "yes", false: "no"}[call[1] == "condition"]
		}
	}
	return found
}
