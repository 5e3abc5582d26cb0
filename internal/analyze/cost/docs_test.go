package cost_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/test/docstest"
)

// TestDocsNameEveryField: docs/reference/json.md is the contract, so it has exactly the fields that are written.
func TestDocsNameEveryField(t *testing.T) {
	costWithin := func(of reflect.Type, _ string) bool { return of == reflect.TypeFor[cost.Cost]() }
	written := docstest.Fields(reflect.TypeFor[cost.Tagged](), costWithin)
	if diff := cmp.Diff(written, docstest.Rows(docstest.Section(t, "reference/json.md", "## Operations"))); diff != "" {
		t.Errorf("(-written +documented):\n%s", diff)
	}
}
