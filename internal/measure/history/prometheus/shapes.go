package prometheus

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// shape describes how an exporter presents databases.
type shape struct {
	exporter, probe string
	label           string   // whose value names a database
	per             string   // labels with several values per database: device, "datname,datid"; empty: none
	unless          []string // labels that its series lack
	exists          string   // a metric that each database has
	among           string   // label matchers of all queries
	parts           []hourly
	copies          []string // queries that compare two series of one name
	counts          string   // the query for their values if they are counters; else empty
	caveat          string   // what every database lacks
	named           bool     // by labels that the user chose
}

// hourly is a metric of ours, with the query for its hours. $METRIC stands for the series of the name, $LABELS for
// the labels that distinguish databases, and $COPIES for those of a Prometheus' replicas.
type hourly struct {
	ours, statistic, query string
	names                  []string // $1 and so on: further series
}

// A range of 59m59s999ms excludes the sample at one end, as newer versions of Prometheus do; a counter needs both
// ends. Several replicas or jobs may scrape the same target: of equal series the highest counts.
const (
	meanRate  = `sum by ($LABELS) (max by ($LABELS,device) (rate($1[1h])))`
	mostRate  = `max_over_time((sum by ($LABELS) (max by ($LABELS,device) (rate($1[5m]))))[1h:5m])`
	mean      = `max by ($LABELS) (avg_over_time($1[59m59s999ms]))`
	most      = `max by ($LABELS) (max_over_time($1[59m59s999ms]))`
	mostOf    = `max by ($LABELS) (max_over_time($1[59m59s999ms])) or max by ($LABELS) (max_over_time($2[59m59s999ms]))`
	least     = `min by ($LABELS) (min_over_time($1[59m59s999ms]))`
	ofSummary = `max by ($LABELS) (sum_over_time($1[59m59s999ms])) / max by ($LABELS) (sum_over_time($2[59m59s999ms]))`
	hourOfSum = `12 * max by ($LABELS) (avg_over_time($1[59m59s999ms]))`
	// covered counts the twelfths of an hour with at least one sample.
	covered = `max by ($LABELS) (sum_over_time((count_over_time($1[6m]) > bool 0)[59m59s999ms:5m]))`

	// resets selects the hours with several counter resets.
	resets = `max by ($LABELS) (resets($1[1h])) > 1`
	// negative selects the hours with a sample below 0.
	negative = `min_over_time((min by ($LABELS) ($1 < 0))[59m59s999ms:5m])`

	rateOfDisk = `max by ($LABELS,device) (rate($1[1h]))`

	hourlyRate  = `sum without ($PER) (max without ($COPIES) (rate($1[1h])))`
	hourlyMean  = `max without ($COPIES) (avg_over_time($1[59m59s999ms]))`
	hourlyValue = `sum without ($PER) (max without ($COPIES) ($1))`
)

// ofAmounts returns a query over an hour that skips invalid samples.
func ofAmounts(query string) string {
	return samplesOfHour.ReplaceAllString(query, "((${1} >= 0 < 1e20)[59m59s999ms:1m])")
}

var samplesOfHour = regexp.MustCompile(`\((\$[0-9])\[59m59s999ms\]\)`)

// replicaLabels distinguish replicas that scrape the same targets.
var replicaLabels = []string{"replica", "prometheus_replica", "__replica__", "receive_replica", "rule_replica"}

// wholeDisks matches devices that are neither part of another nor made of others, by name.
const (
	virtual    = "(dm-|md|loop|zram|ram|sr|fd|nbd|bcache|drbd|zd).*"
	wholeDisks = `device!~"` + virtual + `"`
)

var notWhole = regexp.MustCompile("^" + virtual)

// nodeDisks describes node_exporter's metrics of a machine.
func nodeDisks() shape {
	s := shape{exporter: NodeExporter, probe: "block", label: instanceLabel, per: deviceLabel,
		exists: "node_disk_writes_completed_total", among: wholeDisks,
		copies: []string{"node_disk_reads_completed_total", "node_disk_writes_completed_total"},
		counts: "node_disk_writes_completed_total"}
	for _, m := range [][2]string{{metric.BlockReads, "node_disk_reads_completed_total"},
		{metric.BlockWrites, "node_disk_writes_completed_total"},
		{metric.BlockReadBytes, "node_disk_read_bytes_total"},
		{metric.BlockWriteBytes, "node_disk_written_bytes_total"}} {
		s.parts = append(s.parts, hourly{m[0], runfile.Average, meanRate, m[1:]},
			hourly{m[0], runfile.Maximum, mostRate, m[1:]})
	}
	return s
}

// hostDisks describes the metrics of OpenTelemetry's receiver hostmetrics, with the direction in a label.
func hostDisks() shape {
	s := nodeDisks()
	s.exporter, s.exists, s.counts = HostMetrics, `system_disk_operations_total{direction="write"}`,
		`system_disk_operations_total{direction="write"}`
	s.copies = []string{`system_disk_operations_total{direction="read"}`, s.exists}
	for i, name := range []string{`system_disk_operations_total{direction="read"}`, s.exists,
		`system_disk_io_bytes_total{direction="read"}`, `system_disk_io_bytes_total{direction="write"}`} {
		s.parts[2*i].names, s.parts[2*i+1].names = []string{name}, []string{name}
	}
	return s
}

// instanceLabels name an instance: YACE's, the same in snake case, and cloudwatch_exporter's.
var instanceLabels = []string{"dimension_DBInstanceIdentifier", "dimension_dbinstance_identifier",
	"dbinstance_identifier"}

// clusterLabels name an Aurora cluster in the same three.
var clusterLabels = []string{"dimension_DBClusterIdentifier", "dimension_dbcluster_identifier",
	"dbcluster_identifier"}

// handedOn lists the CloudWatch metrics of an instance in exporters, by AWS's name and in snake case.
var handedOn = [][2]string{{"ReadIOPS", "read_iops"}, {"WriteIOPS", "write_iops"},
	{"ReadThroughput", "read_throughput"}, {"WriteThroughput", "write_throughput"}}

// onlyMaximum is the caveat for an exporter without averages.
const onlyMaximum = "its exporter keeps only the maximum of each period, so an hour did at most what is shown"

// cloudShapes returns the shapes of CloudWatch's exporters: instances, of RDS or Aurora alike, and clusters.
// They stamp the time of the scrape and may repeat a value, which an hour's mean tolerates. If several have the
// same database, the first counts.
func cloudShapes() (all []shape) {
	instance := func(exporter string, label string, exists string) shape {
		return shape{exporter: exporter, probe: metric.CloudWatch, label: label, exists: exists,
			among:  label + `!=""`,
			copies: []string{exists, strings.NewReplacer("write", "read", "Write", "Read").Replace(exists)}}
	}
	part := func(of string, statistic, query string, names ...string) hourly {
		return hourly{metric.CloudWatch + "/" + of, statistic, query, names}
	}
	exporters := []string{"YACE", "YACE", "cloudwatch_exporter"}
	for i, label := range instanceLabels {
		average := instance(exporters[i], label, "aws_rds_write_iops_average")
		maximum := instance(exporters[i], label, "aws_rds_write_iops_maximum")
		maximum.caveat = onlyMaximum
		for _, m := range handedOn {
			mean1, most1 := "aws_rds_"+m[1]+"_average", "aws_rds_"+m[1]+"_maximum"
			average.parts = append(average.parts, part(m[0], runfile.Average, mean, mean1),
				part(m[0], runfile.Maximum, mostOf, most1, mean1))
			maximum.parts = append(maximum.parts, part(m[0], runfile.Average, mean, most1),
				part(m[0], runfile.Maximum, most, most1))
		}
		balance := part("BurstBalance", runfile.Minimum, least, "aws_rds_burst_balance_average")
		average.parts, maximum.parts = append(average.parts, balance), append(maximum.parts, balance)
		all = append(all, average, maximum)
	}
	qonto := instance("prometheus-rds-exporter", "dbidentifier", "rds_write_iops_average")
	percona := instance("rds_exporter", instanceLabel, "aws_rds_write_iops_average")
	percona.unless = slices.Concat(instanceLabels, []string{"name"})
	for _, label := range percona.unless {
		percona.among += "," + label + `=""`
	}
	streams := instance("OpenTelemetry", "DBInstanceIdentifier", "amazonaws_com_AWS_RDS_WriteIOPS_sum")
	for i, m := range handedOn {
		unit := []string{"iops_average", "iops_average", "throughput_bytes", "throughput_bytes"}[i]
		direction, _, _ := strings.Cut(m[1], "_")
		qonto.parts = append(qonto.parts, part(m[0], runfile.Average, mean, "rds_"+direction+"_"+unit),
			part(m[0], runfile.Maximum, most, "rds_"+direction+"_"+unit))
		own := "aws_rds_" + m[1] + "_average"
		percona.parts = append(percona.parts, part(m[0], runfile.Average, mean, own),
			part(m[0], runfile.Maximum, most, own))
		stream := "amazonaws_com_AWS_RDS_" + m[0]
		streams.parts = append(streams.parts, part(m[0], runfile.Average, ofSummary, stream+"_sum", stream+"_count"),
			part(m[0], runfile.Maximum, most, stream+`{quantile="1"}`))
	}
	all = append(all, qonto, percona, streams)
	for i, label := range clusterLabels {
		c := instance(exporters[i], label, "aws_rds_volume_write_iops_sum")
		c.caveat = "its exporter shows only the volume's billed I/O, in sums assumed to be of five minutes; instances and " +
			"configuration are unknown"
		c.parts = []hourly{part("VolumeReadIOPs", runfile.Sum, hourOfSum, "aws_rds_volume_read_iops_sum"),
			part("VolumeWriteIOPs", runfile.Sum, hourOfSum, "aws_rds_volume_write_iops_sum"),
			part("VolumeBytesUsed", runfile.Average, mean, "aws_rds_volume_bytes_used_average")}
		all = append(all, c)
	}
	return all
}

// serverMetrics returns metrics that show a PostgreSQL server on a machine.
func serverMetrics() []string {
	return []string{"pg_stat_database_xact_commit", "pg_stat_database_xact_commit_total", "cnpg_collector_wal_records",
		"pg_wal_records", "postgresql_commits_total"}
}

func servers(name string) shape {
	per := "datname,datid,stats_reset"
	if name == "postgresql_commits_total" {
		per = "postgresql_database_name"
	}
	return shape{exporter: PostgresExporter, label: instanceLabel, per: per, exists: name, copies: []string{name},
		counts: name}
}

// query returns a query with these series names, which may have matchers.
func (s shape) query(query string, labels []string, matchers []string, names ...string) string {
	pairs := []string{"$LABELS", strings.Join(labels, ","), "$COPIES", strings.Join(replicaLabels, ","), "$PER",
		cmp.Or(s.per, "__none__")}
	for i, name := range names {
		name, own, _ := strings.Cut(strings.TrimSuffix(name, "}"), "{")
		pairs = append(pairs, "$"+string(rune('1'+i)), selector(name, append([]string{own, s.among}, matchers...)...))
	}
	return strings.NewReplacer(pairs...).Replace(query)
}
