package billing_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/billing"
	"github.com/realiops/realiops/internal/test/docstest"
)

// TestDocsNameEveryField: docs/reference/json.md is the contract, so it has exactly the fields that are written.
func TestDocsNameEveryField(t *testing.T) {
	comparison, stretch, _ := strings.Cut(docstest.Section(t, "reference/json.md", "## What Aurora costs"),
		"\nA stretch:\n")
	stretchWithin := func(of reflect.Type, _ string) bool { return of == reflect.TypeFor[billing.Stretch]() }
	for text, of := range map[string]reflect.Type{comparison: reflect.TypeFor[billing.Comparison](),
		stretch: reflect.TypeFor[billing.Stretch]()} {
		documented := docstest.WithoutParents(docstest.Rows(text))
		if diff := cmp.Diff(docstest.Fields(of, stretchWithin), documented); diff != "" {
			t.Errorf("(-written +documented):\n%s", diff)
		}
	}
}
