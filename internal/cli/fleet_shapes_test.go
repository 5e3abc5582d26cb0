package cli

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// shapesFleet has a database for each exporter's form, for a day.
func shapesFleet() (all []prometheustest.Series) {
	gauge := func(labels string, step time.Duration, values map[string]float64) {
		for name, v := range values {
			name, own, _ := strings.Cut(name, "|")
			if own != "" {
				own = "," + own
			}
			all = append(all, prometheustest.Series{Name: name, Labels: labels + own,
				Samples: between(0, command.Day, step, always(v))})
		}
	}
	const kib8 = 8192
	gauge(`dbidentifier="qonto",aws_account_id="1",aws_region="eu-west-1"`, time.Minute, map[string]float64{
		"rds_read_iops_average": 30, "rds_write_iops_average": 70, "rds_read_throughput_bytes": 30 * kib8,
		"rds_write_throughput_bytes": 70 * kib8})
	gauge(`dimension_dbinstance_identifier="snake"`, 5*time.Minute, map[string]float64{
		"aws_rds_read_iops_average": 31, "aws_rds_write_iops_average": 70, "aws_rds_read_throughput_average": 31 * kib8,
		"aws_rds_write_throughput_average": 70 * kib8})
	gauge(`dimension_DBInstanceIdentifier="maximum"`, 5*time.Minute, map[string]float64{
		"aws_rds_read_iops_maximum": 32, "aws_rds_write_iops_maximum": 70, "aws_rds_read_throughput_maximum": 32 * kib8,
		"aws_rds_write_throughput_maximum": 70 * kib8})
	// one instance with both
	gauge(`dimension_DBInstanceIdentifier="both"`, 5*time.Minute, map[string]float64{
		"aws_rds_read_iops_average": 33, "aws_rds_write_iops_average": 70, "aws_rds_read_throughput_average": 33 * kib8,
		"aws_rds_write_throughput_average": 70 * kib8,
		"aws_rds_read_iops_maximum":        330, "aws_rds_write_iops_maximum": 700,
		"aws_rds_read_throughput_maximum": 330 * kib8, "aws_rds_write_throughput_maximum": 700 * kib8})
	gauge(`dbinstance_identifier="official",job="aws_rds",instance=""`, 10*time.Minute, map[string]float64{
		"aws_rds_read_iops_average": 34, "aws_rds_write_iops_average": 70, "aws_rds_read_throughput_average": 34 * kib8,
		"aws_rds_write_throughput_average": 70 * kib8})
	gauge(`instance="percona",region="eu-west-1"`, time.Minute, map[string]float64{
		"aws_rds_read_iops_average": 35, "aws_rds_write_iops_average": 70, "aws_rds_read_throughput_average": 35 * kib8,
		"aws_rds_write_throughput_average": 70 * kib8})
	for metric, v := range map[string]float64{"ReadIOPS": 36, "WriteIOPS": 70, "ReadThroughput": 36 * kib8,
		"WriteThroughput": 70 * kib8} {
		name := "amazonaws_com_AWS_RDS_" + metric
		gauge(`DBInstanceIdentifier="streams"`, time.Minute, map[string]float64{name + "_sum": 2 * v,
			name + "_count": 2, name + `|quantile="1"`: 3 * v, name + `|quantile="0"`: 0})
	}
	gauge(`dimension_DBClusterIdentifier="volume"`, 5*time.Minute,
		map[string]float64{"aws_rds_volume_write_iops_sum": 3e5})
	// four families that are not read
	gauge(`resource_name="flexible"`, 5*time.Minute, map[string]float64{
		"azure_postgresql_flexible_read_iops_average": 1, "azure_postgresql_flexible_write_iops_average": 1})
	gauge(`database_id="p:db"`, 5*time.Minute,
		map[string]float64{"stackdriver_cloudsql_database_cloudsql_googleapis_com_database_disk_write_ops_count": 1,
			"stackdriver_cloudsql_database_cloudsql_googleapis_com_database_disk_read_ops_count": 1})
	return append(all, collectorsMachine()...)
}

// collectorsMachine has a machine under OpenTelemetry's collector, and one under
// node_exporter with devices made of others.
func collectorsMachine() (all []prometheustest.Series) {
	add := func(name, labels string, rate float64) {
		all = append(all, prometheustest.Series{Name: name, Labels: labels,
			Samples: between(0, command.Day, 2*time.Minute, func(since time.Duration) float64 {
				return rate * since.Seconds()
			})})
	}
	for direction, rate := range map[string]float64{"read": 37, "write": 70} {
		for _, device := range []string{"sda", "dm-0"} {
			add("system_disk_operations_total", `instance="otel:8889",device="`+device+`",direction="`+
				direction+`"`, rate)
			add("system_disk_io_bytes_total", `instance="otel:8889",device="`+device+`",direction="`+direction+
				`"`, rate*8192)
		}
	}
	add("postgresql_commits_total", `instance="otel:8889",postgresql_database_name="app"`, 10)
	add("postgresql_commits_total", `instance="otel:8889",postgresql_database_name="crm"`, 300)
	for _, device := range []string{"sdb", "sdb1", "bcache0", "drbd0", "flashcache"} {
		path := map[string]string{"sdb": "pci-0000:00:1f.2-ata-2", "sdb1": "pci-0000:00:1f.2-ata-2"}[device]
		all = append(all, prometheustest.Series{Name: "node_disk_info", Labels: `instance="stacked:9100",device="` +
			device + `",path="` + path + `"`, Samples: between(0, command.Day, 2*time.Minute, always(1))})
		for name, rate := range map[string]float64{"reads_completed": 38, "writes_completed": 70,
			"read_bytes": 38 * 8192, "written_bytes": 70 * 8192} {
			add("node_disk_"+name+"_total", `instance="stacked:9100",device="`+device+`"`, rate)
		}
	}
	// two disks with equal figures, of unknown relation
	for _, device := range []string{"sdb", "emcpowera"} {
		for name, rate := range map[string]float64{"reads_completed": 20, "writes_completed": 70,
			"read_bytes": 20 * 8192, "written_bytes": 70 * 8192} {
			add("node_disk_"+name+"_total", `instance="twice:9100",device="`+device+`"`, rate)
		}
	}
	// disks with several paths: NVMe since Linux 6.3 and before, SCSI, and a disk with a second name
	for host, devices := range map[string]map[string]float64{
		"nvme":        {"nvme0n1": 100, "nvme0c0n1": 50, "nvme0c1n1": 50, "sda": 10},
		"nvme-before": {"nvme0n1": 0, "nvme0c0n1": 51, "nvme0c1n1": 50, "sda": 10},
		"mapper":      {"sdb": 56, "sdc": 56, "dm-0": 112}, "power": {"sdb": 113, "emcpowera": 113},
	} {
		for device, rate := range devices {
			labels := `instance="` + host + `:9100",device="` + device + `"`
			info := map[string]string{"sda": `,path="pci-0000:00:1f.2-ata-2",serial="x"`,
				"nvme0n1": `,path="",serial="n"`}[device]
			if host == "mapper" || host == "power" {
				info = `,wwn="0x5000c500a0b1c2d3"`
			}
			if info != "" {
				all = append(all, prometheustest.Series{Name: "node_disk_info", Labels: labels + info,
					Samples: between(0, command.Day, 2*time.Minute, always(1))})
			}
			for name, times := range map[string]float64{"reads_completed": 0.5, "writes_completed": 0.5,
				"read_bytes": 4096, "written_bytes": 4096} {
				add("node_disk_"+name+"_total", labels, rate*times)
			}
		}
	}
	for _, host := range []string{"stacked", "twice", "nvme", "nvme-before", "mapper", "power"} {
		add("pg_stat_database_xact_commit", `instance="`+host+`:9187",datname="app"`, 10)
	}
	return all
}

// TestFleetShapes: every exporter's databases are found, with the planted requests. Similar names
// that are not read are counted.
func TestFleetShapes(t *testing.T) {
	t.Parallel()
	for engine, start := range prometheustest.Engines() {
		t.Run(engine, func(t *testing.T) { shapesOf(t, start(t, shapesFleet()...)) })
	}
}

func shapesOf(t *testing.T, url string) {
	t.Helper()
	var list strings.Builder
	list.WriteString("database,volume,gib\n")
	want := map[string]float64{"qonto": 100, "snake": 101, "maximum": 102, "both": 103, "official": 104, "percona": 105,
		"streams": 106, "otel": 107, "stacked": 108, "twice": 180,
		"nvme": 110, "nvme-before": 111, "mapper": 112, "power": 113}
	for name := range want {
		list.WriteString(name + ",rds-gp3,500\n")
	}
	has := filepath.Join(t.TempDir(), "has.csv")
	if err := os.WriteFile(has, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "fleet")
	out, _ := fleetAt(t, fleetBegin.Add(command.Day+time.Minute), command.ExitDone, "--prometheus", url, "--for", "1d",
		"--has", has, "--dir", dir, "--format", "json")
	all := fleetOf(t, out)
	for name, requests := range want {
		d, is := all[name]
		if !is || d.Need == nil || d.Saves == nil {
			t.Errorf("%s: %v %+v", name, is, d)
			continue
		}
		if d.Known < 23 || math.Abs(d.Need.WorstHour.Requests-requests) > 0.02*requests {
			t.Errorf("%s: %d h, %g requests a second, want %g", name, d.Known, d.Need.WorstHour.Requests, requests)
		}
	}
	for name, most := range map[string]float64{"both": 1030, "streams": 3 * 106, "maximum": 102} {
		if n := all[name].Need; n == nil || n.Most == nil || math.Abs(n.Most.Requests-most) > 0.02*most {
			t.Errorf("%s: highest minutes %+v, want %g", name, n, most)
		}
	}
	if len(all) != len(want)+1 || all["volume"].Kind != "aurora" || all["volume"].Known < 23 {
		t.Errorf("%d databases, and the cluster %+v", len(all), all["volume"])
	}
	for name, lack := range map[string]string{"maximum": "keeps only the maximum of each period",
		"volume": "shows only the volume's billed I/O",
		"twice":  "emcpowera and sdb do the same"} {
		if !slices.ContainsFunc(all[name].Lacks, func(l string) bool { return strings.Contains(l, lack) }) {
			t.Errorf("%s lacks %q, want %q", name, all[name].Lacks, lack)
		}
	}
	kept := filepath.Join(t.TempDir(), "nvme.jsonl")
	runs(t, command.ExitDone, "history", "--prometheus", url, "--until",
		fleetBegin.Add(command.Day).Format(time.RFC3339), "--for", "23h", "-o", kept,
		"--server", `instance="nvme:9187"`, "--host", `instance="nvme:9100",device!="sda"`)
	if sized := sizedOf(t, kept, "--gib", "100").Sized.Rate.Requests(); math.Abs(sized-100) > 1 {
		t.Errorf("the history of a disk with paths is sized for %g requests/s", sized)
	}
	for _, name := range []string{"nvme", "nvme-before", "mapper", "power"} {
		if lacks := strings.Join(all[name].Lacks, "; "); strings.Contains(lacks, "do the same") {
			t.Errorf("%s: %s", name, lacks)
		}
	}
	text, _ := fleetAt(t, fleetBegin.Add(command.Day+time.Minute), command.ExitDone, dir, "--has", has, "--top", "20")
	if !strings.Contains(strings.Join(strings.Fields(text), " "),
		"4 series families look like databases and are not read: azure_postgresql_flexible_read_iops_average, ") {
		t.Errorf("what is not read is not counted:\n%s", text)
	}
}

// TestFleetOfRecordedRules: recording rules' series of disks are named as not read, but only
// if nothing else has these disks, even if others' disks are read.
func TestFleetOfRecordedRules(t *testing.T) {
	t.Parallel()
	const rule = "instance:node_disk_writes_completed:rate5m"
	server := serverOn("ruled", "", 0, command.Day, 10*time.Minute, 100, 0)
	recorded := prometheustest.Series{Name: rule, Labels: `instance="ruled:9100"`,
		Samples: between(0, command.Day, 10*time.Minute, always(100))}
	other := recorded
	other.Labels = `instance="unread:9100"`
	for name, c := range map[string]struct {
		code    int
		planted []prometheustest.Series
		said    bool
	}{
		"read as well": {command.ExitDone, append(slices.Clone(server), recorded), false},
		"alone":        {command.ExitCannotTell, []prometheustest.Series{recorded, server[len(server)-1]}, true},
		"of another":   {command.ExitDone, append(slices.Clone(server), other), true},
	} {
		dir := filepath.Join(t.TempDir(), "fleet")
		text, _ := fleetAt(t, fleetBegin.Add(command.Day+time.Minute), c.code, "--prometheus",
			prometheustest.Start(t, c.planted...), "--for", "1d", "--dir", dir)
		if said := strings.Contains(strings.Join(strings.Fields(text), " "),
			"looks like a database's and is not read: "+rule); said != c.said {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestFleetLosesASample: one invalid sample in three costs an instance no hours, and is reported.
func TestFleetLosesASample(t *testing.T) {
	t.Parallel()
	odd := map[string]float64{"nan": math.NaN(), "infinite": math.Inf(1), "negative": -1}
	for engine, start := range prometheustest.Engines() {
		t.Run(engine, func(t *testing.T) {
			list, planted := "database,volume,gib\n", []prometheustest.Series{}
			for name, none := range odd {
				list += name + ",rds-gp2,100\n"
				for metric, v := range map[string]float64{"read_iops": 30, "write_iops": 70,
					"read_throughput": 30 * 8192, "write_throughput": 70 * 8192, "burst_balance": 97} {
					planted = append(planted, prometheustest.Series{Name: "aws_rds_" + metric + "_average",
						Labels: `dimension_DBInstanceIdentifier="` + name + `"`,
						Samples: between(0, command.Day, 5*time.Minute, func(since time.Duration) float64 {
							if since%(15*time.Minute) == 0 {
								return none
							}
							return v
						})})
				}
			}
			has := filepath.Join(t.TempDir(), "has.csv")
			if err := os.WriteFile(has, []byte(list), 0o600); err != nil {
				t.Fatal(err)
			}
			out, _ := fleetAt(t, fleetBegin.Add(command.Day+time.Minute), command.ExitDone, "--prometheus",
				start(t, planted...), "--for", "1d", "--has", has, "--dir", filepath.Join(t.TempDir(), "fleet"),
				"--format", "json")
			for name := range odd {
				if engine == "VictoriaMetrics" && name == "nan" {
					continue // it keeps no such samples
				}
				d := fleetOf(t, out)[name]
				if d.Need == nil || d.Known != 24 || math.Abs(d.Need.WorstHour.Requests-100) > 1 ||
					d.Need.Most == nil || math.Abs(d.Need.Most.Requests-100) > 1 || d.Risk.Level != "none" ||
					d.Risk.Credits == nil || d.Risk.Credits.Lowest != 97 ||
					!strings.Contains(strings.Join(d.Lacks, "; "), "in 24 h some samples were invalid") {
					t.Errorf("%s: %+v %+v", name, d, d.Need)
				}
			}
		})
	}
}
