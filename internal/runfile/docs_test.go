package runfile

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/test/docstest"
)

// TestDocsNameEveryField: docs/reference/run-file.md is the contract, so each kind's table has exactly the fields that
// are written.
func TestDocsNameEveryField(t *testing.T) {
	toldOnce := func(of reflect.Type, path string) bool { // as in the run
		return of == reflect.TypeFor[*Load]() || of == reflect.TypeFor[*Cloud]() && path == "cloud"
	}
	for _, r := range everyKind() {
		documented := docstest.Rows(docstest.Section(t, "reference/run-file.md", "### "+string(r.Kind())))
		if diff := cmp.Diff(docstest.Fields(reflect.TypeOf(r), toldOnce), documented); diff != "" {
			t.Errorf("%s (-written +documented):\n%s", r.Kind(), diff)
		}
	}
}
