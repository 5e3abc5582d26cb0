package report_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/report/comparison"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/report/storage"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
	"github.com/realiops/realiops/internal/test/docstest"
)

// TestDocsNameEveryField: docs/reference/json.md is the contract, so it has exactly the fields that are written.
func TestDocsNameEveryField(t *testing.T) {
	const page = "reference/json.md"
	figures := strings.ReplaceAll(docstest.Section(t, page, "## Figures"), "`missing` |", "missing |")
	beforeCodes, _, _ := strings.Cut(docstest.Section(t, page, "## Fields"), "\n| code |")
	for _, c := range []struct {
		what, text string
		written    []string
	}{
		{"figure", figures, fields(reflect.TypeFor[report.Figure]())},
		{"estimate", docstest.Section(t, page, "## Estimates"), fields(reflect.TypeFor[attribution.Estimate]())},
		{"report", beforeCodes, slices.Concat([]string{"schema", "run", "loads", "metrics", "headline", "warnings",
			"observed", "same_numbers", "volumes"}, fields(reflect.TypeFor[report.Report]())[1:])},
		{"comparison", docstest.Section(t, page, "## Comparisons"), fields(reflect.TypeFor[comparison.Comparison]())},
	} {
		if diff := cmp.Diff(c.written, docstest.Rows(c.text)); diff != "" {
			t.Errorf("%s (-written +documented):\n%s", c.what, diff)
		}
	}
}

func fields(of reflect.Type) []string { return docstest.Fields(of, elsewhere) }

// elsewhere reports whether the page, or docs/reference/run-file.md, describes a type in one place.
func elsewhere(of reflect.Type, path string) bool {
	end := strings.Contains(path, "*") && (strings.HasSuffix(path, ".smallest") || strings.HasSuffix(path, ".largest"))
	return end || path != "missing" && of == reflect.TypeFor[series.Missing]() || slices.Contains([]reflect.Type{
		reflect.TypeFor[report.Figure](), reflect.TypeFor[attribution.Estimate](), reflect.TypeFor[runfile.Target](),
		reflect.TypeFor[runfile.Host](), reflect.TypeFor[needs.Rate](),
	}, of)
}

// TestDocsNameEveryWarning: a program that uses codes must know them all.
func TestDocsNameEveryWarning(t *testing.T) {
	_, codes, _ := strings.Cut(docstest.Section(t, "reference/json.md", "## Fields"), "\n| code |")
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (yes|no) \\|").FindAllStringSubmatch(codes, -1) {
		documented[row[1]] = row[2]
	}
	used := map[string]string{}
	for dir, calls := range map[string]string{
		".": `\b(condition|odd)\((?:document\.\w+, )?"([a-z-]+)"`, "../tally": `\b(notes\.add)\("([a-z-]+)"`,
		"../attribution": `\b(add\(|Warning\{)"([a-z-]+)"`,
	} {
		for code, condition := range codesIn(t, dir, calls) {
			used[code] = max(used[code], condition) // the strongest, wherever it is given
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

// TestDocsNameFieldsInProse: every field of an object that docs/reference/json.md describes partly in sentences is
// there under its name.
func TestDocsNameFieldsInProse(t *testing.T) {
	for of, heading := range map[reflect.Type]string{
		reflect.TypeFor[storage.Baseline](): "## What storage delivers",
		reflect.TypeFor[sizes.Size]():       "## Sizes",
		reflect.TypeFor[sizes.Convert]():    "## Sizes",
	} {
		section := strings.ReplaceAll(docstest.Section(t, "reference/json.md", heading), "[]", "")
		if _, convert, _ := strings.Cut(section, "realiops.convert/1"); of == reflect.TypeFor[sizes.Convert]() {
			section = convert
		}
		for _, name := range fields(of) {
			if strings.Contains(name, ".storage.") || strings.HasPrefix(name, "ordered_apart[].") ||
				of == reflect.TypeFor[sizes.Convert]() && strings.HasPrefix(name, "distributed[].") {
				continue // as in the run file, in the volumes of a report, and in a size
			}
			last := strings.TrimSuffix(name[strings.LastIndex(name, ".")+1:], "[]")
			if !regexp.MustCompile("`([a-z_.]*\\.)?" + regexp.QuoteMeta(last) + "[`.]").MatchString(section) {
				t.Errorf("%s: %s of %v is not documented", heading, name, of)
			}
		}
	}
}
