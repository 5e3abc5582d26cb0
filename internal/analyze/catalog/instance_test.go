package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// TestInvalidLimits are refused in one line, with which one and why.
func TestInvalidLimits(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if _, err := catalog.ReadLimits(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	row := func(class, provider, limits string) string {
		return `{"class": "` + class + `", "provider": "` + provider + `", ` + limits + `, "sources": ["us"]}`
	}
	good := `"base_iops": 3600, "most_iops": 40000, "base_mb": 78.75, "most_mb": 1250`
	check("", "the file is empty")
	check("[]", "it has no limits")
	check("{}", "line 1: an object instead of a list of limits")
	check(`"none"`, "line 1: a string instead of a list of limits")
	check("[\n"+row("r9g.large", "ebs", good), "line 2: the list is cut off")
	check("["+row("r9g.large", "ebs", good)+"]]", "line 1: text after the end of the list")
	check("[\n"+row("r9g.large", "ebs", strings.Replace(good, "base_iops", "base_iop", 1))+"]",
		`line 2: unknown field "base_iop"`)
	check("["+row("r9g.large", "ebs", strings.Replace(good, "3600", `"3,600"`, 1))+"]",
		"line 1: base_iops is a string, which is not allowed")
	check("["+row("r9g.large", "ebs", strings.Replace(good, "3600", `[3600]`, 1))+"]",
		"line 1: base_iops is an array, which is not allowed")
	check("["+row("r9g.large", "aws", good)+"]",
		"class 1, r9g.large: class is required, and provider must be ebs, rds or azure")
	check("["+row("r9g.large", "ebs", strings.Replace(good, "3600", "-3600", 1))+"]",
		"class 1, r9g.large: base_iops and base_mb must be above 0, unless the limits are unpublished")
	check("["+row("r9g.large", "ebs", strings.Replace(good, "40000", "400", 1))+"]",
		"class 1, r9g.large: most_iops and most_mb must be at least base_iops and base_mb")
	check("["+row("r9g.large", "rds", `"sold": [{"volume": "rds-gp3"}]`)+"]",
		"class 1, r9g.large: an RDS class must begin with db. and list the storage sold with it")
	check("["+row("db.r9g.large", "rds", `"sold": [{"volume": "rds-gp3", "gib": [400, 20]}]`)+"]",
		"class 1, db.r9g.large: gib of rds-gp3 goes from 400 to 20; put the lower number first")
}

// TestBefore: a class has the limits of the first list, in any case.
func TestBefore(t *testing.T) {
	class := func(name string, iops float64) catalog.Instance { return catalog.Instance{Class: name, BaseIOPS: iops} }
	got := catalog.Before([]catalog.Instance{class("R7g.large", 1)}, []catalog.Instance{class("r7g.large", 2),
		class("db.r7g.large", 3)})
	if diff := cmp.Diff([]catalog.Instance{class("R7g.large", 1), class("db.r7g.large", 3)}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
