package reading

import (
	"math"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// TestNeedsAsPeopleWriteThem: each spelling equals the plain need, or is rejected as ambiguous.
func TestNeedsAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string][3]float64{
		"iops=3k,kb=8":                    {3000, 0, 8 << 10},
		"IOPS = 3,000 KB=8":               {3000, 0, 8 << 10},
		"iops=1,234,567,kb=8KiB":          {1234567, 0, 8 << 10},
		"iops=0.5M,kb=64k":                {500000, 0, 64 << 10},
		"iops=3000/s, mbps = 120 MiB/s":   {3000, 120 << 20, 0},
		"iops=3000 mbps=1.2GB,flushes=4k": {3000, 1.2e9, 0},
		"mbps=120,kb=1M":                  {0, 120e6, 1 << 20},
	} {
		got, err := parseNeed(text)
		for i, v := range []float64{got.Requests, got.Bytes, got.RequestSize} {
			if err != nil || want[i] > 0 && math.Abs(v-want[i]) > 1e-6 || want[i] == 0 && !math.IsNaN(v) {
				t.Errorf("%s: %+v, %v, want %v", text, got, err, want)
			}
		}
	}
	for text, says := range map[string]string{
		"iops=3.000,kb=8":           "3 or 3,000?",
		"iops=1,2,3,kb=8":           "commas separate thousands",
		"iops=3,00,kb=8":            "commas separate thousands",
		"iops=3000,mbps=800Mbps":    "may be bits",
		"iops=3000,mbps=100Mb":      "may be bits",
		"iops=3000,kb=8,writes=30%": "reads=70%",
		"iops=3000/min,kb=8":        "unknown unit",
		"iops=10q,kb=8":             "unknown unit",
	} {
		if got, err := parseNeed(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %+v, %v, want an error with %q", text, got, err, says)
		}
	}
}

// TestAmountsAsPeopleWriteThem: 2.43B are bytes for a metric in bytes, and billions for another.
func TestAmountsAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]float64{"WriteThroughput=60MB": 60e6, "writethroughput=60M": 60e6,
		"WriteIOPS=10k": 10_000, "VolumeReadIOPs=2.43G/month": 2.43e9} {
		if got, err := parseAmounts(text); err != nil || len(got) != 1 || math.Abs(got[0].amount-want) > 1 {
			t.Errorf("%s: %+v, %v, want %g", text, got, err, want)
		}
	}
	for _, text := range []string{"VolumeReadIOPs=2.43B/month", "WriteIOPS=3MiB", "VolumeWriteIOPs=2kB/h"} {
		if got, err := parseAmounts(text); err == nil || !strings.Contains(err.Error(), "unknown unit") {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// TestAFamilyIsNoClass: an AWS family without its size looks like an Azure size, and the
// order would go to another cloud.
func TestAFamilyIsNoClass(t *testing.T) {
	known := catalog.Instances()
	for _, m := range known {
		if m.Provider == "azure" {
			continue
		}
		family := m.Family()
		for _, class := range []string{family, strings.ToUpper(family), "db." + family} {
			if err := checkClass(class, known); err == nil {
				t.Errorf("--class %s is taken for a machine of %q", class, catalog.ProviderOf(class))
			}
		}
	}
	for _, class := range []string{"e2", "n2", "c3", "x9"} {
		if err := checkClass(class, known); err == nil {
			t.Errorf("--class %s is taken for a machine of %q", class, catalog.ProviderOf(class))
		}
	}
	for _, class := range []string{"D8s_v5", "standard_d8s_v5", "ds41_v2", "M128s", "Standard_B2ms", "x9.large",
		"db.x9.large", "db.serverless", "n2-standard-8", "e2-medium"} {
		if err := checkClass(class, known); err != nil {
			t.Error(err)
		}
	}
}

// TestRegionsThatAreAlike: regions of different clouds may differ only by a hyphen.
func TestRegionsThatAreAlike(t *testing.T) {
	for region, want := range map[string]string{"us-east1": "us-east-1", "us-west-1": "us-west1", "eu-west-1": "",
		"eastus": "", "us-central1": ""} {
		if got := catalog.RegionLike(region); got != want && !(want == "" && got == "") {
			t.Errorf("%s is like %q, want %q", region, got, want)
		}
	}
}

// TestEachPlaceOfAMetricIsNamed: the error names the places that have the metric.
func TestEachPlaceOfAMetricIsNamed(t *testing.T) {
	const want = "--flavor ebs does not have WriteThroughput, which is a metric of aurora and rds"
	if _, err := meaningsOf("WriteThroughput", "ebs"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
