package fleet_test

import (
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/fleet"
	"github.com/realiops/realiops/internal/runfile"
)

var begin = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// prices returns round prices of a made-up region, with the usual ratio between Standard and I/O-Optimized.
func prices() (all []catalog.Price) {
	for _, p := range []catalog.Price{
		{Volume: "rds-gp2", Per: catalog.PerGiB, Price: 0.2}, {Volume: "rds-gp3", Per: catalog.PerGiB, Price: 0.1},
		{Volume: "aurora", Per: catalog.PerMillionIO, Price: 0.2}, {Volume: "aurora", Per: catalog.PerGiB, Price: 0.1},
		{Volume: "aurora-iopt1", Per: catalog.PerGiB, Price: 0.225},
		{Volume: "aurora", Per: catalog.PerHour, Class: "db.r6g.large", Price: 0.26},
		{Volume: "aurora-iopt1", Per: catalog.PerHour, Class: "db.r6g.large", Price: 0.338},
	} {
		p.Region, p.Currency, p.Source = "here", "USD", "a list of 2026-10-01"
		all = append(all, p)
	}
	return all
}

func ask(t *testing.T) fleet.Ask {
	t.Helper()
	volumes := catalog.Volumes()
	return fleet.Ask{Percentile: 99, Headroom: 20, Region: "here", Prices: prices(), Volumes: volumes}
}

// file returns a run file of a database's hours; NaN: unknown.
func file(cloud runfile.Cloud, hours int, value func(metric string, h int) float64,
	metrics ...string) iter.Seq2[runfile.Record, error] {
	cloud.Provider, cloud.Region = "aws", "here"
	records := []runfile.Record{runfile.Run{Schema: runfile.Schema, Start: begin, Target: runfile.Target{Cloud: &cloud},
		Plan: runfile.Plan{Name: runfile.FleetPlan}}}
	for _, metric := range metrics {
		name, statistic, _ := strings.Cut(metric, " ")
		for h := range hours {
			p := runfile.Period{From: begin.Add(time.Duration(h) * time.Hour),
				To: begin.Add(time.Duration(h+1) * time.Hour), Probe: "cloudwatch", Metric: "cloudwatch/" + name,
				Statistic: statistic, Value: value(name, h)}
			switch {
			case name == "CPUUtilization":
				p.Dimensions = map[string]string{"DBInstanceIdentifier": "shop-1"}
			case cloud.Cluster != "":
				p.Dimensions = map[string]string{"DBClusterIdentifier": cloud.Cluster}
			}
			if !math.IsNaN(p.Value) {
				records = append(records, p)
			}
		}
	}
	end := runfile.EndOf(nil, false)
	end.At = begin.Add(time.Duration(hours) * time.Hour)
	return func(yield func(runfile.Record, error) bool) {
		for _, r := range append(records, end) {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// instance returns an instance on a volume with the given reads and size in KiB in every hour; the bytes of the second
// hour are unknown.
func instance(t *testing.T, volume string, gib int, reads, kib float64) fleet.Page {
	t.Helper()
	value := func(metric string, h int) float64 {
		switch {
		case metric == "ReadThroughput" && h == 1:
			return math.NaN()
		case strings.HasPrefix(metric, "Write"):
			return 0
		case metric == "ReadThroughput":
			return reads * kib * 1024
		}
		return reads
	}
	page, err := ask(t).Read(file(runfile.Cloud{Instance: "one", Engine: "postgres", Storage: volume, SizeGiB: gib}, 48,
		value, "ReadIOPS Average", "WriteIOPS Average", "ReadThroughput Average", "WriteThroughput Average"))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// TestVolumesThatCannotBe: a volume in another cloud's region has no price, and Aurora's storage no limit. Where nothing
// names the region, it is one of the volume's cloud.
func TestVolumesThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		volume, region string
		assumed        bool
		want, in       string
	}{
		{"azure-premium-v2", "us-east-1", true, "us-east-1 is a region of AWS: name one of Azure with --has", "us-east-1"},
		{"azure-premium-v2", "", false, "us-east-1 is a region of AWS", "us-east-1"},
		{"azure-premium-v2", "", true, "", "eastus"},
		{"aurora", "us-east-1", false, "it has Aurora Standard, which bills what was used", "us-east-1"},
	} {
		a := ask(t)
		a.Region, a.Assumed = "us-east-1", c.assumed
		a.Has = map[string]fleet.Has{"one": {Volume: c.volume, GiB: 500, IOPS: 3000, MiBps: 125, Region: c.region}}
		page, err := a.Read(file(runfile.Cloud{Instance: "one", Engine: "postgres"}, 48,
			func(string, int) float64 { return 1000 },
			"ReadIOPS Average", "WriteIOPS Average", "ReadThroughput Average", "WriteThroughput Average"))
		if said := strings.Join(page.Lacks, " "); err != nil || page.Region != c.in || !strings.Contains(said, c.want) ||
			(page.Has == nil) != (c.want != "") {
			t.Errorf("%+v: %v, in %s, has %v: %s", c, err, page.Region, page.Has, said)
		}
	}
}

// TestDiskMissingAtTimes: a machine may have done more than is shown, which may turn its place, so the first lines say so.
func TestDiskMissingAtTimes(t *testing.T) {
	a := ask(t)
	a.Has = map[string]fleet.Has{"one": {Volume: "rds-gp2", GiB: 500}}
	page, err := a.Read(func(yield func(runfile.Record, error) bool) {
		for r := range file(runfile.Cloud{}, 48, func(string, int) float64 { return 1000 },
			"ReadIOPS Average", "WriteIOPS Average", "ReadThroughput Average", "WriteThroughput Average") {
			switch k := r.(type) {
			case runfile.Run:
				k.Target = runfile.Target{Host: "one"}
				yield(k, nil)
				r = runfile.Gap{At: begin, Probe: "sysstat", Reason: runfile.Absent, Detail: "The disk sdb"}
			case runfile.Period:
				k.Probe = "sysstat"
				r = k
			}
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	said := fleet.Fleet{Databases: []fleet.Database{page.Database}}.Document(10).Blocks[0].(document.Paragraph).Text
	if !strings.Contains(said, "What 1 did is uncertain, for the reasons under What is missing: one.") {
		t.Error(said)
	}
}

// TestUnknownMachines: savings on a volume assume that the machine passes the need, so the first lines say if
// its limits are unknown.
func TestUnknownMachines(t *testing.T) {
	value := func(metric string, _ int) float64 {
		return map[string]float64{"ReadIOPS": 1000, "ReadThroughput": 4096e3}[metric]
	}
	for class, want := range map[string]bool{"": true, "db.r99z.large": true} {
		cloud := runfile.Cloud{Instance: "one", Engine: "postgres", Storage: "gp2", SizeGiB: 1000, Class: class}
		page, err := ask(t).Read(file(cloud, 48, value, "ReadIOPS Average", "WriteIOPS Average",
			"ReadThroughput Average", "WriteThroughput Average"))
		if err != nil || page.Saves == nil || page.Order == nil {
			t.Fatalf("%q: %+v, %v", class, page.Database, err)
		}
		said := fleet.Fleet{Databases: []fleet.Database{page.Database}}.Document(10).Blocks[0].(document.Paragraph).Text
		if got := strings.Contains(said, "For 1 the limits of the machine are unknown"); got != want {
			t.Errorf("class %q: %q", class, said)
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// TestInstances: below its limit nothing is reported, at it the hours are counted, and activity above what the volume
// can do means that it is another one.
func TestInstances(t *testing.T) {
	easy := instance(t, "gp2", 1000, 1000, 4)
	near(t, "saved on gp3", easy.Saves.Value, 1000*(0.2-0.1))
	if want := "the price of RDS io1 or RDS io2 Block Express in here, which may be lower: fetch it with realiops " +
		"prices, " +
		"and pass the file with --price"; easy.AsOf != "2026-10-01" || !slices.Contains(easy.Lacks, want) {
		t.Errorf("prices of %s, missing %q", easy.AsOf, easy.Lacks)
	}
	if easy.Risk.Level != fleet.None || easy.Known != 47 || easy.Hours != 48 || easy.Need.Most != nil {
		t.Errorf("%+v", easy.Database)
	}
	limit := instance(t, "gp3", 100, 2900, 4)
	near(t, "uses of 3,000", limit.Risk.Uses, 2900/3000.0)
	// 3,480 with headroom: gp3 of RDS has more than 3,000 from 400 GiB on
	if limit.Risk.Level != fleet.Throttled || limit.Risk.Hours != 47 || limit.Order == nil || limit.Order.GiB != 400 {
		t.Errorf("%+v %+v", limit.Risk, limit.Order)
	}
	near(t, "saved by more", limit.Saves.Value, (100-400)*0.1)
	// 100 GiB of gp2 earn 300 a second: at 600, 5.4 million credits last for 5 hours, and 42 of the 47 known hours had
	// none
	credits := instance(t, "gp2", 100, 600, 4)
	if c := credits.Risk.Credits; credits.Risk.Level != fleet.Exhausted || c == nil || c.Metric != "" ||
		c.Hours != 47-5 {
		t.Errorf("%+v %+v", credits.Risk, c)
	}
	other := instance(t, "gp3", 100, 5000, 256)
	if other.Saves != nil || other.Order != nil || other.Risk.Level != fleet.NotKnown || len(other.Lacks) != 2 ||
		!strings.Contains(other.Lacks[1], "it has other storage") {
		t.Errorf("%+v", other.Database)
	}
}

// TestCluster: the saving of Aurora's other configuration, either way, follows from the bill.
func TestCluster(t *testing.T) {
	page := func(now string, writes float64) fleet.Page {
		cloud := runfile.Cloud{Cluster: "shop", Engine: "aurora-postgresql", Storage: now, Members: []runfile.Member{
			{Instance: "shop-1", Class: "db.r6g.large"}}}
		value := func(metric string, _ int) float64 {
			return map[string]float64{"VolumeWriteIOPs": writes, "VolumeReadIOPs": 0, "VolumeBytesUsed": 0,
				"CPUUtilization": 10}[metric]
		}
		p, err := ask(t).Read(file(cloud, 24*10, value, "VolumeReadIOPs Sum", "VolumeWriteIOPs Sum",
			"VolumeBytesUsed Average", "CPUUtilization Average"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	// a million an hour costs 0.20, and I/O-Optimized 0.078 more for the instance
	saved := 730 * (0.2 - 0.078)
	busy, quiet := page("aurora", 1e6), page("aurora-iopt1", 0)
	near(t, "I/O-Optimized saves", busy.Saves.Value, saved)
	near(t, "in the least of all weeks", busy.Saves.Lowest, saved)
	near(t, "operations a second", busy.Daily[0], math.Round(1e6/3600*1000)/1000)
	near(t, "Standard saves", quiet.Saves.Value, 730*0.078)
	if busy.Aurora.Cheaper != "aurora-iopt1" || quiet.Aurora.Cheaper != "aurora" || page("aurora", 0).Saves.Value >= 0 {
		t.Errorf("%+v %+v", busy.Aurora, quiet.Aurora)
	}
	if none := page("aurora", math.NaN()); none.Saves != nil || len(none.Lacks) != 1 ||
		!strings.HasSuffix(none.Lacks[0],
			"the number of billed writes is unknown: add VolumeWriteIOPs, or writes= to --month of realiops aws cost") {
		t.Errorf("without billed writes: %+v", none.Database)
	}
	if unknown := page("", 1e6); unknown.Saves != nil || len(unknown.Lacks) != 1 {
		t.Errorf("%+v", unknown.Database)
	}
}

// TestOtherFiles are no databases.
func TestOtherFiles(t *testing.T) {
	run := func(yield func(runfile.Record, error) bool) {
		yield(runfile.Run{Plan: runfile.Plan{Name: "identify"}}, nil)
	}
	if _, err := ask(t).Read(run); !errors.Is(err, fleet.ErrNoDatabase) {
		t.Error(err)
	}
}

// TestReadHas: an invalid list is refused, with the line.
func TestReadHas(t *testing.T) {
	read := func(text string) error {
		_, err := fleet.ReadHas([]byte(text))
		return err
	}
	const head = "database,volume,gib,multi_az\n"
	for text, want := range map[string]string{
		"":                               "the file is empty",
		head:                             "it has column names but no database",
		"\"":                             "is not CSV",
		"database,volume,gib,gib\n":      "column gib appears twice",
		"sep=;\ndatabase;volume;gib\n":   `column "sep="`,
		"database;volume;gib\na;gp2;1,5": `line 2: gib "1,5"; write the number without a comma`,
		"name,volume,gib\n":              `column "name"`,
		"database,volume\n":              "column gib is missing",
		head + "a,gp2,x,\n":              `line 2: gib "x" must be a number`,
		head + "a,gp2,-1,\n":             "must be a number, at least 0",
		head + "a,gp2,1e9,\n":            "below 1,000,000,000",
		head + "a,gp2,1,\na,gp2,1,\n":    `line 3: database "a" appears twice`,
		head + "a,gp2,1,perhaps\n":       "; want true or false",
		head + "a,gp2,1,true,surplus\n":  "line 2 has 5 fields, but the first line has 4 columns",
		"<html>":                         `column "<html>"`,
	} {
		if err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	want := map[string]fleet.Has{"a": {Volume: "gp2", GiB: 1.5, MultiAZ: true}}
	const spreadsheet = "Database;Volume;GiB;IOPS;Multi_AZ\r\na;gp2;1.5;;true\r\n"
	for _, text := range []string{head + "a, gp2, 1.5, true\n", spreadsheet,
		strings.ReplaceAll(spreadsheet, ";", "\t")} {
		got, err := fleet.ReadHas([]byte(text))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
	}
}

// TestEmptyCellsAreMissing: an empty cell is not 0, and an assumed region is reported.
func TestEmptyCellsAreMissing(t *testing.T) {
	for list, want := range map[string]string{
		"one,rds-io1,100,,here": "it has RDS io1, but how many IOPS is unknown: add it to the file of --has",
		"one,rds-io1,,500,here": "it has RDS io1, but how many GiB is unknown: add it to the file of --has",
		"one,rds-gp3,100,,here": "",
		"one,rds-gp3,100,,":     "The region of 1 is unknown; here prices are used.",
	} {
		a := ask(t)
		var err error
		if a.Has, err = fleet.ReadHas([]byte("database,volume,gib,iops,region\n" + list)); err != nil {
			t.Fatal(err)
		}
		a.Assumed = true
		p, err := a.Read(file(runfile.Cloud{Instance: "one"}, 72, func(string, int) float64 { return 50 },
			"ReadIOPS Average", "WriteIOPS Average", "ReadThroughput Average", "WriteThroughput Average"))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := document.Text(&text, a.Rank([]fleet.Database{p.Database}, nil, nil).Document(9), 1000); err != nil {
			t.Fatal(err)
		}
		for _, said := range []string{"is unknown: add it to the file of --has", "The region of"} {
			if got := strings.Contains(text.String(), said); got != strings.Contains(want, said) ||
				!strings.Contains(text.String(), want) {
				t.Errorf("%s: want %q in\n%s", list, want, text.String())
			}
		}
	}
}

// TestSanity: impossible values are reported in a line, and give no order.
func TestSanity(t *testing.T) {
	page := func(values map[string]func(h int) float64) fleet.Page {
		var metrics []string
		for name := range values {
			metrics = append(metrics, name)
		}
		p, err := ask(t).Read(file(runfile.Cloud{Instance: "one", Engine: "postgres", Storage: "gp2", SizeGiB: 1000}, 72,
			func(name string, h int) float64 { return values[name+" Average"](h) }, metrics...))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	reads := func(rate, bytes float64) map[string]func(int) float64 {
		nothing := func(int) float64 { return 0 }
		of := func(v float64) func(int) float64 {
			return func(h int) float64 { return v * float64(1+h/24) }
		}
		return map[string]func(int) float64{"ReadIOPS Average": of(rate), "WriteIOPS Average": nothing,
			"ReadThroughput Average": of(bytes), "WriteThroughput Average": nothing}
	}
	lacks := func(p fleet.Page, want string) bool {
		for _, l := range p.Lacks {
			if strings.Contains(l, want) {
				return true
			}
		}
		return false
	}
	if p := page(reads(100, 100)); p.Saves != nil || !lacks(p, "its requests would carry 1.0 bytes each") {
		t.Errorf("a byte a request: %+v", p.Database)
	}
	if p := page(reads(100, 100*512)); p.Saves == nil || lacks(p, "bytes each") {
		t.Errorf("512 bytes a request: %+v", p.Database)
	}
	one, other, third := page(reads(100, 1e6)), page(reads(100, 1e6)), page(reads(101, 1e6))
	one.Name, other.Name, third.Name = "a", "b", "c"
	var text strings.Builder
	f := ask(t).Rank([]fleet.Database{one.Database, other.Database, third.Database}, nil, nil)
	if err := document.Text(&text, f.Document(10), 80); err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(said,
		"a, b: their hours are identical") || strings.Contains(said, "a, b, c: their") {
		t.Errorf("%s", said)
	}
}

// ofGP2 returns an instance with 500 GiB of gp2, which earn 1,500 a second, and a balance for each of 48 hours.
func ofGP2(t *testing.T, requests float64, balance func(h int) float64) fleet.Page {
	t.Helper()
	p, err := ask(t).Read(file(runfile.Cloud{Instance: "one", Engine: "postgres", Storage: "gp2", SizeGiB: 500}, 48,
		func(name string, h int) float64 {
			return map[string]float64{"ReadIOPS": requests, "ReadThroughput": requests * 8192,
				"BurstBalance": balance(h)}[name]
		}, "ReadIOPS Average", "WriteIOPS Average", "ReadThroughput Average", "WriteThroughput Average",
		"ReadIOPS Maximum", "WriteIOPS Maximum", "ReadThroughput Maximum",
		"WriteThroughput Maximum", "BurstBalance Minimum"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCreditsAgainstTheirRule: credits cannot fall, however slowly, if demand is half of what is earned.
func TestCreditsAgainstTheirRule(t *testing.T) {
	for perHour, want := range map[float64]string{2: "its credits fell by 94% in 47 hours in which it did less",
		0.1: "its credits fell by 4.7% in 47 hours in which it did less", 0: "", -0.5: ""} {
		said := strings.Join(ofGP2(t, 700, func(h int) float64 { return min(100, 100-perHour*float64(h)) }).Lacks, "; ")
		if strings.Contains(said, "its credits fell") != (want != "") || !strings.Contains(said, want) {
			t.Errorf("%g%% an hour: %q", perHour, said)
		}
	}
}

// TestImpossibleBalances: a balance below 0 is none, and a fraction of one percent is no empty bucket.
func TestImpossibleBalances(t *testing.T) {
	odd := ofGP2(t, 700, func(h int) float64 {
		if h == 20 {
			return -1
		}
		return 98
	})
	if c := odd.Risk.Credits; c == nil || c.Lowest != 98 || c.Hours != 0 || odd.Risk.Level != fleet.None ||
		!strings.Contains(strings.Join(odd.Lacks, "; "), "BurstBalance: it shows a balance below 0") {
		t.Errorf("below 0: %+v %+v %q", odd.Risk, c, odd.Lacks)
	}
	fraction := ofGP2(t, 700, func(int) float64 { return 0.98 })
	if c := fraction.Risk.Credits; c == nil || c.Lowest != 98 || c.Hours != 0 || fraction.Risk.Level != fleet.None ||
		!strings.Contains(strings.Join(fraction.Lacks, "; "), "read as a fraction") {
		t.Errorf("a fraction: %+v %+v %q", fraction.Risk, c, fraction.Lacks)
	}
	if empty := ofGP2(t, 1500, func(int) float64 {
		return 0.4
	}); empty.Risk.Level != fleet.Exhausted || empty.Risk.Credits.Hours != 48 {
		t.Errorf("empty: %+v %+v", empty.Risk, empty.Risk.Credits)
	}
}

// TestBalanceThatStops: what a balance showed more than a day before the end hides no risk. By the rule 1,900 a second
// leave nothing of 21.6 million credits after 15 hours.
func TestBalanceThatStops(t *testing.T) {
	p := ofGP2(t, 1900, func(h int) float64 {
		if h >= 10 {
			return math.NaN()
		}
		return 90
	})
	if p.Risk.Level != fleet.Exhausted || !strings.Contains(strings.Join(p.Lacks, "; "),
		"BurstBalance: no data since 1 Nov 10:00, so what is left of its credits is unknown") {
		t.Errorf("%+v %+v %q", p.Risk, p.Risk.Credits, p.Lacks)
	}
}

// TestNamelessDatabase: a file that does not name its database is left out, with a word.
func TestNamelessDatabase(t *testing.T) {
	if _, err := ask(t).Read(file(runfile.Cloud{}, 1, func(string, int) float64 { return 1 })); err == nil ||
		err.Error() != "it does not name its database" {
		t.Error(err)
	}
}

// TestEndsAreAhead: credits that end in some days have a date. Ranked again after that date, they have none, and have
// ended.
func TestEndsAreAhead(t *testing.T) {
	read := func(now time.Time) fleet.Page {
		a := ask(t)
		a.Now = now
		p, err := a.Read(file(runfile.Cloud{Instance: "one", Engine: "postgres", Storage: "gp2", SizeGiB: 100}, 48,
			func(name string, h int) float64 {
				// 10 above its 300: 5.4 million last for 150 hours
				return map[string]float64{"ReadIOPS": 310, "ReadThroughput": 310 * 8192,
					"BurstBalance": 100 - float64(h)/2}[name]
			}, "ReadIOPS Average", "WriteIOPS Average", "ReadThroughput Average", "WriteThroughput Average",
			"BurstBalance Minimum"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	end := begin.Add(48 * time.Hour)
	p := read(end)
	// 76.5% of 150 hours
	if c := p.Risk.Credits; c == nil || c.Ends == nil || c.Ended || c.Ends.Sub(end).Round(time.Hour) < 113*time.Hour ||
		c.Ends.Sub(end) > 117*time.Hour {
		t.Errorf("%+v", c)
	}
	p = read(end.Add(30 * 24 * time.Hour))
	if c := p.Risk.Credits; c == nil || c.Ends != nil || c.Early != nil || !c.Ended || p.Risk.Level != fleet.Ending {
		t.Errorf("%+v", c)
	}
	for _, d := range []document.Document{p.Document("USD"), ask(t).Rank([]fleet.Database{p.Database}, nil,
		nil).Document(10)} {
		var text strings.Builder
		if err := document.Text(&text, d, 80); err != nil ||
			!strings.Contains(strings.Join(strings.Fields(text.String()), " "), "by now") {
			t.Errorf("%v: %s", err, &text)
		}
	}
}

// TestLessThanAWeekIsSaid: an order for three days may be too small for the rest of the week.
func TestLessThanAWeekIsSaid(t *testing.T) {
	for hours, want := range map[int]bool{72: true, 7*24 - 1: true, 7 * 24: false} {
		a := ask(t)
		a.Has = map[string]fleet.Has{"one": {Volume: "rds-gp3", GiB: 100, Region: "here"}}
		p, err := a.Read(file(runfile.Cloud{Instance: "one"}, hours, func(name string, _ int) float64 {
			if strings.Contains(name, "Throughput") {
				return 50 * 8192
			}
			return 50
		},
			"ReadIOPS Average", "WriteIOPS Average", "ReadThroughput Average", "WriteThroughput Average"))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []document.Document{a.Rank([]fleet.Database{p.Database}, nil, nil).Document(9), p.Document("USD")} {
			var text strings.Builder
			if err := document.Text(&text, d, 1000); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(text.String(), "Less than a week is known"); got != want {
				t.Errorf("%d hours: said %t, want %t:\n%s", hours, got, want, text.String())
			}
		}
	}
}

// TestWhyAClassCannotUseAVolume: RDS has volumes of its own, whose limits differ from those of EBS.
func TestWhyAClassCannotUseAVolume(t *testing.T) {
	a := ask(t)
	a.Has = map[string]fleet.Has{"one": {Volume: "gp3", GiB: 100, Class: "db.r6g.large", Region: "here"}}
	p, err := a.Read(file(runfile.Cloud{Instance: "one"}, 200, func(name string, _ int) float64 {
		if strings.Contains(name, "Throughput") {
			return 50 * 8192
		}
		return 50
	}, "ReadIOPS Average", "WriteIOPS Average", "ReadThroughput Average", "WriteThroughput Average"))
	if err != nil {
		t.Fatal(err)
	}
	want := "what it has is impossible: the db.r6g.large is a class of RDS or Aurora, to which no EBS gp3 can be attached"
	if !slices.Contains(p.Lacks, want) {
		t.Errorf("%q", p.Lacks)
	}
}

// TestSavingsAreRounded to what their interval justifies: two digits of ±102 are tens.
func TestSavingsAreRounded(t *testing.T) {
	saves := fleet.Span{Value: 1208.4, Lowest: 1003.7, Highest: 1208.4}
	f := fleet.Fleet{Currency: "USD", Saves: saves, Databases: []fleet.Database{{Name: "shop", Saves: &saves,
		Order: &fleet.Storage{Title: "gp3"}}}}
	var page strings.Builder
	if err := document.Text(&page, f.Document(10), 200); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"it would cost 1,210 USD a month less (1,000 to 1,210;", "  1,210  1,000 to 1,210"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in\n%s", want, page.String())
		}
	}
}

// TestIntervalsOfNoWidth say why they have none: both orders cost the same, minutes or other weeks are unknown.
func TestIntervalsOfNoWidth(t *testing.T) {
	saves := fleet.Span{Value: 412, Lowest: 412, Highest: 412}
	for want, d := range map[string]fleet.Database{
		"  412 either way":  {Need: &fleet.Need{Most: &fleet.Rate{Requests: 2}}},
		"  at most 412":     {Need: &fleet.Need{}},
		"  unknown":         {Aurora: &fleet.Aurora{}, Known: 7 * 24},
		"  412 either way ": {Aurora: &fleet.Aurora{}, Known: 8 * 24},
	} {
		d.Name, d.Saves, d.AsOf = "shop", &saves, "2026-10-01"
		var page strings.Builder
		if err := document.Text(&page, fleet.Fleet{Databases: []fleet.Database{d}}.Document(10), 200); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in\n%s", want, page.String())
		}
	}
}

// TestWhatStaysMaySaveToo: the busiest minutes need the 3,600 IOPS bought beyond gp3's 12,000, the hourly means none.
func TestWhatStaysMaySaveToo(t *testing.T) {
	a := ask(t)
	a.Prices = append(a.Prices, catalog.Price{Volume: "rds-gp3", Per: catalog.PerIOPS, Price: 0.02, Region: "here",
		Currency: "USD", Source: "a list of 2026-10-01"})
	a.Has = map[string]fleet.Has{"one": {Volume: "rds-gp3", GiB: 400, IOPS: 15600, Region: "here"}}
	const hours, means, peaks = 200, 100, 6500
	calls := 0
	value := func(name string, _ int) float64 {
		calls++
		v := float64(means)
		if calls > 4*hours {
			v = peaks
		}
		if strings.HasSuffix(name, "Throughput") {
			v *= 4096
		}
		return v
	}
	p, err := a.Read(file(runfile.Cloud{Instance: "one"}, hours, value, "ReadIOPS Average", "WriteIOPS Average",
		"ReadThroughput Average", "WriteThroughput Average", "ReadIOPS Maximum", "WriteIOPS Maximum",
		"ReadThroughput Maximum", "WriteThroughput Maximum"))
	if err != nil || p.Saves == nil {
		t.Fatal(err, p.Lacks)
	}
	near(t, "saved by what stays", p.Saves.Value, 0)
	near(t, "saved for the means at most", p.Saves.Highest, 0.02*(15600-12000))
}
