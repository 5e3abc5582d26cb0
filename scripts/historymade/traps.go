package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// trapDays is the age in days of the traps' databases.
const trapDays = 10

// trapped is a database, and the oddity of its store.
type trapped struct {
	name, labels, server string  // of its exporters; empty: as the name, and none
	base                 float64 // requests a second at its mean hour
	step                 int     // seconds between scrapes; 0: 120
	steps                []int   // in place of step, for equal parts of the time
	also                 string  // the port of another exporter on its machine
	bare                 bool    // its exporters have names without ports
	attached             [2]int  // hours with another disk that does the same
	from, to             int     // hours; to 0: the end
	without              []int   // unknown hours
	restart              int     // its counters restart after so many hours; 0: never
	wraps                bool    // request counters wrap at 2^32
	devices              []string
	kind                 string // node, otel, or a label of an exporter of CloudWatch
	twice                string // labels of a second Prometheus that scrapes the same
	volume               string
	incomplete           bool // nothing may be ordered
	share                float64
}

// traps returns the databases.
func traps() (all []trapped) {
	add := func(name string, base float64, change func(*trapped)) {
		d := trapped{name: name, base: base, kind: "node", devices: []string{"nvme1n1"}, volume: "gp3,500,", share: 1}
		if change != nil {
			change(&d)
		}
		all = append(all, d)
	}
	for i := range 20 {
		add(fmt.Sprintf("plain-%02d", i), 20*math.Pow(1.2, float64(i)), func(d *trapped) {
			d.step = []int{15, 30, 60, 120, 300}[i%5]
			if i >= 10 {
				d.volume = fmt.Sprintf("io2,%d,%d", 500+100*i, 10000+1000*i) // the ten most expensive
			}
		})
	}
	add("five-minutes", 150, func(d *trapped) { d.step = 300 })
	add("ten-minutes", 150, func(d *trapped) { d.step = 600 })
	add("hourly", 150, func(d *trapped) { d.step = 3600 })
	add("more-often", 156, func(d *trapped) { d.steps = []int{60, 15, 30, 10} })
	add("less-often", 157, func(d *trapped) { d.steps = []int{10, 300, 30} })
	add("two-exporters", 158, func(d *trapped) { d.also = ":9101" })
	add("bare", 159, func(d *trapped) { d.bare = true })
	add("grew", 161, func(d *trapped) { d.attached = [2]int{100, trapDays * 24} })
	add("shrank", 162, func(d *trapped) { d.attached = [2]int{0, 60} })
	add("lent", 163, func(d *trapped) { d.attached = [2]int{60, 80} })
	add("other-name", 164, func(d *trapped) { d.to = 120; d.incomplete = true })
	add("same-machine-later", 164, func(d *trapped) { d.from = 120; d.incomplete = true })
	add("restarts-daily", 210, func(d *trapped) { d.restart = 24 })
	add("restarts-often", 220, func(d *trapped) { d.restart = 5 })
	add("wraps", 4000, func(d *trapped) { d.wraps = true; d.volume = "gp3,500,16000" })
	add("partitioned", 130, func(d *trapped) { d.devices = []string{"nvme1n1", "nvme1n1p1", "nvme1n1p2"} })
	add("partitions-of-sd", 131, func(d *trapped) { d.devices = []string{"sdp", "sdp1", "sdp9"} })
	add("paravirtual", 132, func(d *trapped) { d.devices = []string{"xvda", "xvda1", "xvdf"}; d.share = 2 })
	add("mapped", 133, func(d *trapped) { d.devices = []string{"sda", "dm-0", "md127", "zd0"} })
	add("collected", 140, func(d *trapped) {
		d.kind = "otel"
		d.devices = []string{"nvme0n1", "nvme0n1p1", "dm-3", "loop7"}
	})
	add("two.dots.example", 141, nil)
	add("fd00::17", 142, nil)
	add("fd00::18", 190, nil)
	add("UPPER", 143, nil)
	add("watched-twice", 144, func(d *trapped) { d.twice = `,prometheus_replica="b",monitor="second"` })
	add("jobs", 145, func(d *trapped) { d.twice = `,job="other"` })
	add("labelled", 146, func(d *trapped) { d.labels, d.server = `,rack="7",availability_zone="a"`, `,team="shop"` })
	add("lost-a-day", 150, func(d *trapped) { d.without = span(100, 124) })
	add("lost-its-peak", 151, func(d *trapped) { d.without = span(68, 69) })
	add("lost-the-end", 152, func(d *trapped) { d.to = 150; d.incomplete = true })
	add("lost-the-begin", 153, func(d *trapped) { d.from = 200; d.incomplete = true })
	add("an-hour", 154, func(d *trapped) { d.from, d.to = 100, 103; d.incomplete = true })
	add("every-other-hour", 155, func(d *trapped) {
		for h := 1; h < trapDays*24; h += 2 {
			d.without = append(d.without, h)
		}
	})
	for _, label := range []string{"dimension_DBInstanceIdentifier", "dimension_dbinstance_identifier",
		"dbinstance_identifier", "dbidentifier"} {
		add("rds-"+strings.ToLower(label), 160, func(d *trapped) { d.kind, d.volume = label, "rds-gp3,500," })
	}
	add("rds-sparse", 170, func(d *trapped) {
		d.kind, d.volume, d.without = "dimension_DBInstanceIdentifier", "rds-gp3,500,", span(30, 90)
	})
	for i, balance := range []float64{20, 40, 60} {
		add(fmt.Sprintf("rds-ending-%d", i), 152, func(d *trapped) {
			d.kind, d.volume, d.share = "dimension_DBInstanceIdentifier", "rds-gp2,50,", -balance
		})
	}
	return all
}

func span(from, to int) (hours []int) {
	for h := from; h < to; h++ {
		hours = append(hours, h)
	}
	return hours
}

// rate returns what it did in an hour: more by day than by night, and one evening three times as much.
func (d trapped) rate(hour int) float64 {
	if d.share < 0 { // whose credits run out: without variation
		return d.base
	}
	r := d.base * (1 + 0.5*math.Sin(float64(hour%24-9)/12*math.Pi))
	if hour == 68 {
		r *= 3
	}
	return r
}

// scrapes returns the seconds at which it was scraped.
func (d trapped) scrapes() (all []int) {
	const end = trapDays * 24 * 3600
	steps := d.steps
	if steps == nil {
		steps = []int{cmp.Or(d.step, 120)}
	}
	for i, step := range steps {
		for second := i * end / len(steps); second < (i+1)*end/len(steps); second += step {
			all = append(all, second)
		}
	}
	return append(all, end)
}

// disks returns how many do what it does.
func (d trapped) disks(hour int) float64 {
	if hour >= d.attached[0] && hour < d.attached[1] {
		return 2
	}
	return max(d.share, 1)
}

func (d trapped) knows(hour int) bool {
	return hour >= d.from && hour < cmp.Or(d.to, trapDays*24) && !slices.Contains(d.without, hour)
}

// total returns what it did from the begin to a second, since its counters were reset.
func (d trapped) total(second int) float64 {
	sum, first := 0.0, 0
	if d.restart > 0 {
		first = second / 3600 / d.restart * d.restart
	}
	for h := first; h < second/3600; h++ {
		sum += 3600 * d.rate(h)
	}
	return sum + float64(second%3600)*d.rate(second/3600)
}

const sizeOfTrap = 8192 // bytes, of each request

// plantTraps writes the store, what they have, and what is expected of each.
func plantTraps(dir string) error {
	begin = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -trapDays) // so that what ends does so from now on
	families := map[string]*strings.Builder{}
	expected, has := "database,requests,order\n", "database,volume,gib,iops\n"
	for _, d := range traps() {
		d.expose(families)
		worst := 0.0
		for h := range trapDays * 24 {
			if d.knows(h) {
				worst = max(worst, d.rate(h)*d.disks(h))
			}
		}
		expected += fmt.Sprintf("%s,%g,%t\n", d.name, worst, !d.incomplete)
		has += d.name + "," + d.volume + "\n"
	}
	var text strings.Builder
	names := make([]string, 0, len(families))
	for name := range families {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text.WriteString(families[name].String())
	}
	text.WriteString("# EOF\n")
	for name, content := range map[string]string{"traps.txt": text.String(), "has.csv": has, "expected.csv": expected} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// expose writes the samples of a database.
func (d trapped) expose(families map[string]*strings.Builder) {
	series := func(name, labels string, value func(second int) float64) {
		if families[name] == nil {
			families[name] = &strings.Builder{}
		}
		for _, second := range d.scrapes() {
			if h := second / 3600; !d.knows(h) && !(second%3600 == 0 && h > 0 && d.knows(h-1)) {
				continue
			}
			fmt.Fprintf(families[name], "%s{%s} %g %d\n", name, labels, value(second), begin.Unix()+int64(second))
		}
	}
	both := func(name, labels string, value func(second int) float64) {
		if d.bare {
			labels = strings.NewReplacer(":9100", "", ":9187", "").Replace(labels)
		}
		series(name, labels+d.labels, value)
		if d.also != "" && strings.Contains(labels, ":9100") {
			series(name, strings.Replace(labels, ":9100", d.also, 1)+d.labels, value)
		}
		if d.twice != "" {
			series(name, labels+d.labels+d.twice, value)
		}
	}
	host := d.name
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	part := func(factor float64) func(int) float64 {
		return func(second int) float64 {
			v := math.Round(factor * d.total(second))
			if d.wraps && factor < 1 {
				v = math.Mod(v, 1<<32)
			}
			return v
		}
	}
	switch d.kind {
	case "node", "otel":
		for _, device := range d.devices {
			for direction, share := range map[string]float64{"read": 0.3, "write": 0.7} {
				if d.kind == "otel" {
					labels := `instance="` + host + `:8889",device="` + device + `",direction="` + direction + `"`
					both("system_disk_operations_total", labels, part(share))
					both("system_disk_io_bytes_total", labels, part(share*sizeOfTrap))
					continue
				}
				labels := `instance="` + host + `:9100",device="` + device + `"`
				both("node_disk_"+direction+"s_completed_total", labels, part(share))
				both("node_disk_"+map[string]string{"read": "read", "write": "written"}[direction]+"_bytes_total",
					labels, part(share*sizeOfTrap))
				if d.attached[1] > 0 {
					d.lent(families, host, direction, share)
				}
			}
		}
		if d.kind == "otel" {
			both("postgresql_commits_total", `instance="`+host+`:8889",postgresql_database_name="app"`, part(0.1))
			both("postgresql_commits_total", `instance="`+host+`:8889",postgresql_database_name="crm"`, part(0.4))
			return
		}
		d.labels += d.server
		both("pg_stat_database_xact_commit", `instance="`+host+`:9187",datname="app"`, part(0.1))
	default:
		d.handedOn(series)
	}
}

// lent writes the samples of the temporarily attached disk.
func (d trapped) lent(families map[string]*strings.Builder, host, direction string, share float64) {
	from, to := d.attached[0]*3600, d.attached[1]*3600
	for metric, factor := range map[string]float64{direction + "s_completed": share,
		map[string]string{"read": "read", "write": "written"}[direction] + "_bytes": share * sizeOfTrap} {
		for _, second := range d.scrapes() {
			if second < from || second > to {
				continue
			}
			fmt.Fprintf(families["node_disk_"+metric+"_total"],
				"node_disk_%s_total{instance=\"%s:9100\",device=\"nvme2n1\"} %g %d\n", metric, host,
				math.Round(factor*(d.total(second)-d.total(from))), begin.Unix()+int64(second))
		}
	}
}

// handedOn writes the gauges of an exporter of CloudWatch.
func (d trapped) handedOn(series func(name, labels string, value func(second int) float64)) {
	labels := d.kind + `="` + d.name + `"`
	for direction, share := range map[string]float64{"read": 0.3, "write": 0.7} {
		requests, bytes := "aws_rds_"+direction+"_iops_average", "aws_rds_"+direction+"_throughput_average"
		if d.kind == "dbidentifier" {
			requests, bytes = "rds_"+direction+"_iops_average", "rds_"+direction+"_throughput_bytes"
		}
		at := func(second int) float64 { return d.rate(max(0, second-1) / 3600) }
		series(requests, labels, func(second int) float64 { return math.Round(1e3*share*at(second)) / 1e3 })
		series(bytes, labels, func(second int) float64 { return share * sizeOfTrap * at(second) })
	}
	if d.share < 0 {
		// a volume of 50 GiB earns 150 credits a second, and holds 5.4 million
		spent := 100 * float64(d.base-150) / 5.4e6
		end := float64(trapDays * 24 * 3600)
		series("aws_rds_burst_balance_average", labels, func(second int) float64 {
			return min(100, -d.share+spent*(end-float64(second)))
		})
	}
}
