package fleet_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/fleet"
	"github.com/realiops/realiops/internal/test/docstest"
)

// TestDocsNameEveryField: docs/reference/json.md is the contract, so it has exactly the fields that are written.
func TestDocsNameEveryField(t *testing.T) {
	documented := docstest.WithoutParents(docstest.Rows(docstest.Section(t, "reference/json.md", "## A fleet")))
	if diff := cmp.Diff(docstest.Fields(reflect.TypeFor[fleet.Fleet](), nil), documented); diff != "" {
		t.Errorf("(-written +documented):\n%s", diff)
	}
}
