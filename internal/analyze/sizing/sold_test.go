package sizing_test

import (
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// TestRDSClassesAndVolumes: an order that is not sold with the machine class is held back and says why. An order with
// an unknown class, or of a volume not of RDS, is not held back.
func TestRDSClassesAndVolumes(t *testing.T) {
	limits := []catalog.Instance{
		{Class: "t9.micro", Provider: "ebs", BaseIOPS: 1e6, MostIOPS: 1e6, BaseMB: 1e6, MostMB: 1e6},
		{Class: "db.t9.micro", Provider: "rds", Sold: []catalog.Sold{
			{Volume: "rds-gp2", GiB: [2]float64{20, 100}}, {Volume: "rds-gp3", GiB: [2]float64{20, 65536},
				IOPS: [2]float64{12000, 20000}}}},
	}
	volumes := []catalog.Volume{volume(t, "gp2"), volume(t, "rds-gp2"), volume(t, "rds-gp3"), volume(t, "rds-io2")}
	check := func(class string, iops float64, want map[string]string) {
		t.Helper()
		q := sizing.Question{Need: needs.Rate{Writes: iops, WriteBytes: iops * 1024}, GiB: 100, Instance: class}
		options, err := sizing.Options(q, volumes, limits, tariff(t, "us-east-1"))
		if err != nil {
			t.Fatal(err)
		}
		for name, why := range want {
			o := options[slices.IndexFunc(options, func(o sizing.Option) bool { return o.Volume.Name == name })]
			if held := o.Standing == sizing.HeldBack; o.Why != why || held != (why != "") {
				t.Errorf("%s at %g IOPS: %s, %q, want %q", name, iops, o.Standing, o.Why, why)
			}
		}
	}
	check("DB.t9.micro", 300, map[string]string{"rds-gp2": "", "rds-gp3": "",
		"rds-io2": "RDS io2 Block Express is not sold with the db.t9.micro"})
	check("t9.micro", 25000, map[string]string{
		"rds-gp2": "up to 100 GiB of RDS gp2 are sold with the db.t9.micro",
		"rds-gp3": "up to 20,000 IOPS of RDS gp3 are sold with the db.t9.micro"})
	limits = limits[:1]
	check("t9.micro", 300, map[string]string{"rds-io2": ""})
}
