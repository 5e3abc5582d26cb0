package prometheus

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// ofRules matches recording rules' names for disks.
const ofRules = ".+:node_disk_.+"

// looksLike matches series names of databases, and of rules.
const looksLike = ofRules + "|(aws_(rds|docdb|neptune|ebs)|rds|amazonaws_com_AWS_(RDS|EBS)|azure_.*(postgres|sql)|microsoft_.*postgres|stackdriver_(cloudsql|alloydb)|cloudsql|alloydb|" +
	"gcp_.*(cloudsql|alloydb)|pg|postgres|postgresql|pgwatch|pgwatch2|ccp|cnpg|pganalyze|mysql|mysqld|mongodb|oracledb|mssql|system_disk|windows_logical_disk|container_fs|vmware_.*disk)_.+"

// storageNames matches series names that describe storage.
var storageNames = regexp.MustCompile(
	`(?i)(iops|i_ops|io_ps|read_ops|write_ops|_operations|throughput|reads?_(bytes|total|count|completed)|writes?_(bytes|total|count|completed)|written|xact_commit|commits)`)

// lookUnread returns names that look like a database's and are not read.
func (f *Fleet) lookUnread(ctx context.Context) (unread []string, err error) {
	names, err := f.store.values(ctx, f.query, metricName, "{"+metricName+"=~"+quoted(looksLike)+"}", mostSeries)
	if err != nil {
		return nil, err
	}
	alone, err := f.rulesAlone(ctx, names)
	if err != nil {
		return nil, err
	}
	read := f.read(alone)
	for _, name := range names {
		if storageNames.MatchString(name) && !slices.ContainsFunc(read, func(r *regexp.Regexp) bool {
			return r.MatchString(name)
		}) {
			unread = append(unread, name)
		}
	}
	return unread, nil
}

// rulesAlone reports whether only rules know the disks of some machine.
func (f *Fleet) rulesAlone(ctx context.Context, names []string) (bool, error) {
	if len(f.hosts) == 0 || !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, ":") }) {
		return true, nil
	}
	recorded, err := f.store.values(ctx, f.query, instanceLabel, "{"+strings.TrimSuffix(metricName+"=~"+
		quoted(ofRules)+","+f.query.Host, ",")+"}", mostSeries)
	return slices.ContainsFunc(recorded, func(instance string) bool {
		return !slices.Contains(f.hosts, hostOf(instance))
	}), err
}

// read returns the name prefixes of exporters with databases found, and names that are not useful. Rules are useful if
// they alone know a machine.
func (f *Fleet) read(alone bool) (all []*regexp.Regexp) {
	add := func(text string) { all = append(all, regexp.MustCompile("^(?:"+text+")")) }
	known := map[string]bool{}
	for _, m := range f.members {
		known[m.of.exporter] = true
	}
	for exporter, beginning := range map[string]string{"YACE": "aws_rds_|aws_ebs_",
		"cloudwatch_exporter": "aws_rds_|aws_ebs_", "rds_exporter": "aws_rds_|rdsosmetrics_",
		"prometheus-rds-exporter": "rds_",
		"OpenTelemetry":           "amazonaws_com_", NodeExporter: "pg_|cnpg_|pgwatch_|postgres",
		PostgresExporter: "pg_|cnpg_|pgwatch_|postgres", HostMetrics: "system_disk_|postgresql_"} {
		if known[exporter] {
			add(beginning)
		}
	}
	if !alone {
		add(ofRules)
	}
	return all
}

// Unread names series in the store that look like a database's and are not read; empty: none.
func (f *Fleet) Unread() []string { return f.unread }
