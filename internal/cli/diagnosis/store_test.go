package diagnosis_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/test/docstest"
)

// TestDocsNameTheFieldsOfAStore: docs/reference/json.md has exactly the fields of the JSON.
func TestDocsNameTheFieldsOfAStore(t *testing.T) {
	documented := docstest.Rows(docstest.Section(t, "reference/json.md", "## The diagnosis of a store"))
	if diff := cmp.Diff(docstest.Fields(reflect.TypeFor[diagnosis.Store](), nil), documented); diff != "" {
		t.Errorf("(-written +documented):\n%s", diff)
	}
}
