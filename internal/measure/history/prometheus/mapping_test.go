package prometheus_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/history/prometheus"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

var update = flag.Bool("update", false, "write the mapping into docs/reference/stores.md anew; then read the difference")

const page = "../../../../docs/reference/stores.md"

// TestMappingIsDocumented: the table in docs/reference/stores.md equals the mapping, row by row.
func TestMappingIsDocumented(t *testing.T) {
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const head, foot = "| exporter | metric | is | added up over | PostgreSQL |\n|---|---|---|---|---|\n",
		"\n<!-- the rows are made by"
	before, rest, found := strings.Cut(string(content), head)
	_, after, closed := strings.Cut(rest, foot)
	if !found || !closed {
		t.Fatal("the table is gone")
	}
	var rows strings.Builder
	for _, r := range prometheus.Mapping() {
		times := ""
		if r.Times != 0 {
			times = fmt.Sprintf(", %g times", r.Times)
		}
		name := "`" + r.Name + "`"
		if r.Where != "" {
			name += " with `" + r.Where + "`"
		}
		fmt.Fprintf(&rows, "| %s | %s | `%s`%s | %s | %s |\n", r.Exporter, name, r.Ours, times,
			strings.ReplaceAll(r.Sum, ",", ", "), cmp.Or(r.Versions, "all"))
	}
	want := before + head + rows.String() + foot + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(content) != want {
		t.Errorf("%s has another mapping than the program: go test -update writes it", page)
	}
}

// TestMappingIsOfOurMetrics: every row is a counter in the table of metrics, and no exporter's metric is two of ours.
func TestMappingIsOfOurMetrics(t *testing.T) {
	names := map[string]bool{}
	for _, r := range prometheus.Mapping() {
		if m := metric.All().Row(r.Ours); m.Kind != runfile.Counter {
			t.Errorf("%s is to be %s, which is %q", r.Name, r.Ours, m.Kind)
		}
		if name := r.Name + r.Where; names[name] {
			t.Errorf("%s is there twice", name)
		}
		names[r.Name+r.Where] = true
	}
}
