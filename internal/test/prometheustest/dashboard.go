package prometheustest

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Dashboard checks that every expression in a Grafana file returns something from a store within a minute, with
// Grafana's variables filled in, except those of skipped metrics. All metrics must be in printed.
func Dashboard(t testing.TB, store, file string, printed []string, skipped ...string) {
	t.Helper()
	all := expressions(t, file)
	if len(all) < 10 {
		t.Errorf("%s has %d expressions", file, len(all))
	}
	for _, e := range all {
		for _, name := range regexp.MustCompile(`realiops_\w+`).FindAllString(e, -1) {
			if !slices.Contains(printed, name) {
				t.Errorf("%s: nobody prints %s", e, name)
			}
		}
		if slices.ContainsFunc(skipped, func(name string) bool { return strings.Contains(e, name) }) {
			t.Logf("not asked here: %s", e)
			continue
		}
		var err error
		found := false
		for deadline := time.Now().Add(time.Minute); !found &&
			time.Now().Before(deadline); time.Sleep(time.Second / 2) {
			v, failed := Ask(t, store, e)
			found, err = len(v) > 0, failed
			if failed != nil {
				break
			}
		}
		if !found {
			t.Errorf("nothing answers %s: %v", e, err)
		}
	}
}

// expressions returns the expressions of all panels, as Grafana sends them with everything selected.
func expressions(t testing.TB, file string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	filled := strings.NewReplacer("$__rate_interval", "1m", "$database", ".*", "$instance", ".*")
	for _, p := range board.Panels {
		if p.Title == "" || len(p.Targets) == 0 {
			t.Errorf("%s has a panel without a title or an expression", file)
		}
		for _, target := range p.Targets {
			all = append(all, filled.Replace(target.Expr))
		}
	}
	return all
}
