package tally

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/runfile"
)

// TestTopAcrossRestart: across two starts of a server, items listed in both parts are known, and items cut off in one
// did at least the rest.
func TestTopAcrossRestart(t *testing.T) {
	part := func(rows float64, names ...string) runfile.Top {
		top := runfile.Top{At: time.Unix(10, 0), From: time.Unix(0, 0)}
		for _, name := range names {
			top.Items = append(top.Items, runfile.TopItem{Name: name, Grew: map[string]float64{"rows": rows}})
		}
		return top
	}
	var many []string
	for i := range runfile.MostTopItems {
		many = append(many, fmt.Sprint(i))
	}
	check := func(name string, want []runfile.TopItem, parts ...runfile.Top) {
		t.Helper()
		var joined ranking
		for _, p := range parts {
			joined.join(p)
		}
		others := cmpopts.IgnoreSliceElements(func(i runfile.TopItem) bool { return i.Name != "0" && i.Name != "x" })
		if diff := cmp.Diff(want, joined.Items, others); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	item := func(name string, rows float64, atLeast bool) runfile.TopItem {
		return runfile.TopItem{Name: name, Grew: map[string]float64{"rows": rows}, AtLeast: atLeast}
	}
	check("few", []runfile.TopItem{item("x", 5, false), item("0", 2, false)}, part(5, "x"), part(2, "0"))
	check("many later", []runfile.TopItem{item("x", 5, true), item("0", 2, false)}, part(5, "x"), part(2, many...))
	check("many before", []runfile.TopItem{item("0", 7, false), item("x", 5, true)}, part(2, many...), part(5, "x", "0"))
}
