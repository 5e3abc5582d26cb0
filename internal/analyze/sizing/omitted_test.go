package sizing_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/runfile"
)

// TestOmissionsAreReported, and only if it applies: reads, flushes, a standby.
func TestOmissionsAreReported(t *testing.T) {
	run := shipped(t, "loads-pg17.jsonl")
	said := func(load, what string, multiAZ bool) bool {
		t.Helper()
		ask := sizing.Ask{Load: load, GiB: 500, MultiAZ: multiAZ, Tariff: tariff(t, "us-east-1"),
			Volumes: []catalog.Volume{volume(t, "rds-gp3"), volume(t, "io2")}}
		s, err := sizing.Size(ask, run)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(append(s.Omitted, s.Cautions...), func(text string) bool {
			return strings.Contains(text, what)
		})
	}
	check := func(load, what string, multiAZ, want bool) {
		t.Helper()
		if got := said(load, what, multiAZ); got != want {
			t.Errorf("%s: %q said: %v", load, what, got)
		}
	}
	check("single", "flushes a second come one after another, and one volume does 1,000 to 2,000", false, true)
	check("async", "flushes a second", false, false)
	check("single", "A standby", false, true)
	check("single", "A standby", true, false)
	check("single", "Durability: AWS designs io2", false, true)
	check("single", "Reads of the disk were not recorded and count as 0: this order may be too small", false, true)
	run.Header.Target.Cloud = &runfile.Cloud{MultiAZ: true}
	check("single", "The server is Multi-AZ, but prices of RDS here are without its standby", false, true)
	check("single", "standby", true, false)
}

// TestMultiAZ: a standby doubles the cost on RDS, and is not mentioned elsewhere.
func TestMultiAZ(t *testing.T) {
	q := sizing.Question{Need: needs.Rate{Writes: 100, WriteBytes: 1e6}, GiB: 500}
	total := func(name string, multiAZ bool) float64 {
		t.Helper()
		q.MultiAZ = multiAZ
		all, err := sizing.Options(q, []catalog.Volume{volume(t, name)}, nil, tariff(t, "us-east-1"))
		if err != nil {
			t.Fatal(err)
		}
		return all[0].Bill.Total
	}
	near(t, "RDS gp3 alone", total("rds-gp3", false), 57.5, 1e-9)
	near(t, "RDS gp3 with a standby", total("rds-gp3", true), 115, 1e-9)
	near(t, "EBS gp3", total("gp3", true), 40, 1e-9)
}
