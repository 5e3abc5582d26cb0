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
	from   float64 // of the first unit, if the usage type itself has it
}

// usages returns the usage types of one availability zone, without the region prefix.
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

// machine is an hourly usage type of machines, for one kind of product.
type machine struct{ prefix, engine, deployment, volume string }

// machines returns the usage types of machines: Aurora's in both configurations, RDS's for PostgreSQL in one zone and
// with a standby in another, and EC2's.
func machines() []machine {
	return []machine{
		{"InstanceUsage:db.", aurora, singleAZ, "aurora"},
		{"InstanceUsageIOOptimized:db.", aurora, singleAZ, "aurora-iopt1"},
		{"InstanceUsage:db.", "PostgreSQL", singleAZ, catalog.MachinesOfRDS},
		{"Multi-AZUsage:db.", "PostgreSQL", multiAZ, catalog.MachinesOfRDS + catalog.WithStandby},
		{"BoxUsage:", "", "", catalog.MachinesOfEC2},
	}
}

// The list's own words for products of databases.
const (
	aurora   = "Aurora PostgreSQL"
	singleAZ = "Single-AZ"
	multiAZ  = "Multi-AZ"
)

// serverless returns the usage types of an hour of an Aurora capacity unit.
func serverless() map[string]string {
	return map[string]string{"Aurora:ServerlessV2Usage": "aurora",
		"Aurora:ServerlessV2IOOptimizedUsage": "aurora-iopt1"}
}

// means returns what a product's price is for, and its class if it is a machine. known is false if it is not for
// PostgreSQL or irrelevant to an order.
func (a attributes) means() (m meaning, class string, known bool) {
	usage := regionBefore.ReplaceAllString(a.Usage, "")
	if volume, found := serverless()[usage]; found {
		return meaning{volume, catalog.PerHour, 0}, "db.serverless", a.Engine == aurora
	}
	for _, kind := range machines() {
		if size, found := strings.CutPrefix(usage, kind.prefix); found && a.Engine == kind.engine &&
			a.Deployment == kind.deployment && a.plain() {
			if class = a.Class; class == "" { // a usage type may abbreviate the size, as xl
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

// plain reports whether an EC2 machine is shared, in use, and has only Linux. Products of
// databases lack these attributes.
func (a attributes) plain() bool {
	values := [4]string{a.System, a.Tenancy, a.Software, a.Capacity}
	return values == [4]string{} || values == [4]string{"Linux", "Shared", "NA", "Used"}
}

// unit returns how many of the list's units make one of ours, by both names.
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
		return 0, fmt.Errorf("unknown unit %q", listed)
	}
	return factor, nil
}
