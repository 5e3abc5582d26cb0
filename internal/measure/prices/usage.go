package prices

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

type meaning struct {
	volume string
	per    catalog.Per
	from   float64 // of the unit on, where the usage type itself says so
}

// usages returns the usage types of one availability zone, without the region before them.
func usages() map[string]meaning {
	return map[string]meaning{
		"EBS:VolumeUsage.gp2":        {"gp2", catalog.PerGiB, 0},
		"EBS:VolumeUsage.gp3":        {"gp3", catalog.PerGiB, 0},
		"EBS:VolumeUsage.piops":      {"io1", catalog.PerGiB, 0},
		"EBS:VolumeUsage.io2":        {"io2", catalog.PerGiB, 0},
		"EBS:VolumeUsage.st1":        {"st1", catalog.PerGiB, 0},
		"EBS:VolumeUsage.sc1":        {"sc1", catalog.PerGiB, 0},
		"EBS:VolumeP-IOPS.gp3":       {"gp3", catalog.PerIOPS, 0},
		"EBS:VolumeP-IOPS.piops":     {"io1", catalog.PerIOPS, 0},
		"EBS:VolumeP-IOPS.io2":       {"io2", catalog.PerIOPS, 0},
		"EBS:VolumeP-IOPS.io2.tier2": {"io2", catalog.PerIOPS, 32000},
		"EBS:VolumeP-IOPS.io2.tier3": {"io2", catalog.PerIOPS, 64000},
		"EBS:VolumeP-Throughput.gp3": {"gp3", catalog.PerMiBps, 0},

		"RDS:GP2-Storage":       {"rds-gp2", catalog.PerGiB, 0},
		"RDS:GP3-Storage":       {"rds-gp3", catalog.PerGiB, 0},
		"RDS:PIOPS-Storage":     {"rds-io1", catalog.PerGiB, 0},
		"RDS:PIOPS-Storage-IO2": {"rds-io2", catalog.PerGiB, 0},
		"RDS:GP3-PIOPS":         {"rds-gp3", catalog.PerIOPS, 0},
		"RDS:PIOPS":             {"rds-io1", catalog.PerIOPS, 0},
		"RDS:IO2-PIOPS":         {"rds-io2", catalog.PerIOPS, 0},
		"RDS:GP3-Throughput":    {"rds-gp3", catalog.PerMiBps, 0},

		"Aurora:StorageUsage":             {"aurora", catalog.PerGiB, 0},
		"Aurora:IO-OptimizedStorageUsage": {"aurora-iopt1", catalog.PerGiB, 0},
		"Aurora:StorageIOUsage":           {"aurora", catalog.PerMillionIO, 0},
	}
}

// regionBefore matches the prefix of usage types outside us-east-1: EU-, APN1-, USE2-.
var regionBefore = regexp.MustCompile(`^[A-Z]{2,4}[0-9]?-`)

// machine is a usage type of machines by the hour, for one kind of product.
type machine struct{ prefix, engine, deployment, volume string }

// machines returns the usage types of machines: those of Aurora by both ways to pay, those of RDS for PostgreSQL alone
// and with a standby in another zone, and those of EC2.
func machines() []machine {
	return []machine{
		{"InstanceUsage:db.", aurora, singleAZ, "aurora"},
		{"InstanceUsageIOOptimized:db.", aurora, singleAZ, "aurora-iopt1"},
		{"InstanceUsage:db.", "PostgreSQL", singleAZ, catalog.MachinesOfRDS},
		{"Multi-AZUsage:db.", "PostgreSQL", multiAZ, catalog.MachinesOfRDS + catalog.WithStandby},
		{"BoxUsage:", "", "", catalog.MachinesOfEC2},
	}
}

// What products of databases are for, in the list's own words.
const (
	aurora   = "Aurora PostgreSQL"
	singleAZ = "Single-AZ"
	multiAZ  = "Multi-AZ"
)

// serverless returns the usage types of an hour of an Aurora capacity unit, likewise.
func serverless() map[string]string {
	return map[string]string{"Aurora:ServerlessV2Usage": "aurora",
		"Aurora:ServerlessV2IOOptimizedUsage": "aurora-iopt1"}
}

// means returns what a product is the price of, and the class of machine where it is one. What is not for PostgreSQL,
// or not of a kind that an order is made of, is not known.
func (a attributes) means() (m meaning, class string, known bool) {
	usage := regionBefore.ReplaceAllString(a.Usage, "")
	if volume, found := serverless()[usage]; found {
		return meaning{volume, catalog.PerHour, 0}, "db.serverless", a.Engine == aurora
	}
	for _, kind := range machines() {
		if size, found := strings.CutPrefix(usage, kind.prefix); found && a.Engine == kind.engine &&
			a.Deployment == kind.deployment && a.plain() {
			if class = a.Class; class == "" { // the size in a usage type may be short, as xl
				class = strings.TrimPrefix(kind.prefix, usage[:strings.Index(usage, ":")+1]) + size
			}
			return meaning{kind.volume, catalog.PerHour, 0}, class, true
		}
	}
	suffix, standby := strings.CutPrefix(usage, "RDS:Multi-AZ-")
	if standby {
		usage = "RDS:" + suffix
	}
	m, known = usages()[usage]
	deployments := []string{"", singleAZ}
	if standby {
		m.volume, deployments = m.volume+catalog.WithStandby, []string{multiAZ}
	}
	return m, "", known && slices.Contains([]string{"", "Any", "PostgreSQL", aurora}, a.Engine) &&
		slices.Contains(deployments, a.Deployment)
}

// plain reports whether a machine of EC2 is one with Linux and nothing else on it, shared, and in use. Those of
// databases say nothing of that.
func (a attributes) plain() bool {
	values := [4]string{a.System, a.Tenancy, a.Software, a.Capacity}
	return values == [4]string{} || values == [4]string{"Linux", "Shared", "NA", "Used"}
}

// unit returns how many of the list's units make one of ours, by the names of both.
func unit(per catalog.Per, listed string) (float64, error) {
	units := map[catalog.Per]map[string]float64{
		catalog.PerGiB:       {"gb-mo": 1, "gb-month": 1},
		catalog.PerIOPS:      {"iops-mo": 1, "iops-month": 1},
		catalog.PerMiBps:     {"gibps-mo": 1.0 / 1024, "mibps-mo": 1, "mbps-mo": 1, "gbps-mo": 1.0 / 1024},
		catalog.PerMillionIO: {"ios": 1e6},
		catalog.PerHour:      {"hrs": 1, "hours": 1, "acu-hr": 1},
	}
	factor, known := units[per][strings.ToLower(listed)]
	if !known {
		return 0, fmt.Errorf("its unit %q is not known", listed)
	}
	return factor, nil
}
