package report

import (
	"testing"

	"github.com/realiops/realiops/internal/metric"
)

// TestEveryRequestIsInOneColumn: what all requests were for is the sum of the columns of its table.
func TestEveryRequestIsInOneColumn(t *testing.T) {
	columns := map[string]int{"request": 1, metric.RequestServer: 1} // sums of the others
	for _, p := range purposes() {
		for _, kind := range p.kinds {
			columns["request."+kind]++
		}
	}
	for _, view := range metric.RequestViews() {
		if columns[view] != 1 {
			t.Errorf("%s is in %d columns, want one", view, columns[view])
		}
		delete(columns, view)
	}
	if len(columns) > 0 {
		t.Errorf("columns of what is no kind of request: %v", columns)
	}
}
