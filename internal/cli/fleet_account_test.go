package cli

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/fleet"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/accounttest"
)

// fleetHours is the length of the account's history.
const fleetHours = 240

// TestFleetOfAnAccount asks a stand-in for AWS about all of its databases: an instance on gp2 that uses up its
// credits, one of another engine, and an Aurora cluster. The cost of the calls is announced and bounded.
func TestFleetOfAnAccount(t *testing.T) {
	s := accounttest.Start(t)
	s.Setenv(t)
	to := time.Now().Add(-time.Hour).UTC().Truncate(time.Hour)
	plantShop(t, s, to.Add(-fleetHours*time.Hour), 2)
	plantInstances(t, s, to.Add(-fleetHours*time.Hour))
	dir, prices := filepath.Join(t.TempDir(), "fleet"), filepath.Join(t.TempDir(), "prices.json")
	list := `[{"volume":"rds-gp2","per":"gib","region":"REGION","currency":"USD","price":0.2,"source":"test"},{"volume":"rds-gp3","per":"gib","region":"REGION","currency":"USD","price":0.15,"source":"test"}]`
	if err := os.WriteFile(prices, []byte(strings.ReplaceAll(list, "REGION", accounttest.Region)), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(code int, args ...string) (out, said string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		env := command.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: os.Getenv,
			Now: func() time.Time {
				return to.Add(time.Hour)
			}}
		args = append([]string{"fleet", "--aws", "--region", accounttest.Region, "--for", "10d", "--dir", dir,
			"--price", prices, "--format", "json"}, args...)
		if got := Main(env, args); got != code {
			t.Fatalf("%v: exit status %d, want %d: %s%s", args, got, code, &stdout, &stderr)
		}
		return stdout.String(), stderr.String()
	}
	// seven metrics of the instance, four of the cluster and one of each instance
	_, said := run(command.ExitUsage, "--max-cost", "0.0001")
	if !strings.Contains(said, "13 metrics to request from CloudWatch, for 0.00 USD") ||
		!strings.Contains(said, "more than --max-cost 0.0001") {
		t.Errorf("said: %s", said)
	}
	out, _ := run(command.ExitDone)
	all := fleetOf(t, out)
	orders, shop := all["orders"], all["shop"]
	if len(all) != 2 || orders.Need == nil || orders.Risk.Credits == nil || orders.Saves == nil ||
		shop.Kind != fleet.Cluster {
		t.Fatalf("%s", out)
	}
	cents(t, "the worst hour", orders.Need.WorstHour.Requests, 400)
	cents(t, "saved", orders.Saves.Value, 100*(0.2-0.15))
	// 100 GiB give 300 a second: of 5.4 million credits each hour takes 360,000
	left := 5.4e6 * 0.5
	if c := orders.Risk.Credits; orders.Risk.Level != fleet.Ending || c.Now != 50 || c.Ends == nil ||
		!c.Ends.Equal(to.Add(time.Duration(left/360_000)*time.Hour)) {
		t.Errorf("credits: %+v %+v", orders.Risk, c)
	}
}

// TestFleetAdvisesWithFlagsThatExist: of a cluster that had readers that are gone, and of one whose reads are unknown,
// fleet names flags of its own, or the command that has them.
func TestFleetAdvisesWithFlagsThatExist(t *testing.T) {
	all := map[string]map[string]bool{} // flags by command
	everyFlag(t, func(c *cobra.Command, f *pflag.Flag) {
		if all[c.CommandPath()] == nil {
			all[c.CommandPath()] = map[string]bool{}
		}
		all[c.CommandPath()]["--"+f.Name] = true
	})
	s := accounttest.Start(t)
	s.Setenv(t)
	to := time.Now().Add(-time.Hour).UTC().Truncate(time.Hour)
	plantShop(t, s, to.Add(-fleetHours*time.Hour), 9)
	s.Create(t, "CreateDBCluster", "DBClusterIdentifier=blind&Engine=aurora-postgresql")
	s.Create(t, "CreateDBInstance", "DBInstanceIdentifier=blind-1&DBClusterIdentifier=blind&Engine=aurora-postgresql&"+
		"DBInstanceClass=db.r6g.large")
	for _, of := range [][3]string{{"VolumeWriteIOPs", "Cluster", "blind"}, {"VolumeBytesUsed", "Cluster", "blind"},
		{"CPUUtilization", "Cluster", "blind"}, {"CPUUtilization", "Instance", "blind-1"}} {
		s.Put(t, accounttest.Series{Namespace: "AWS/RDS", Metric: of[0], From: to.Add(-fleetHours * time.Hour),
			Step: time.Hour, Dimensions: map[string]string{"DB" + of[1] + "Identifier": of[2]},
			Values: slices.Repeat([]float64{1e6}, fleetHours)})
	}
	out, _ := runs(t, command.ExitCannotTell, "fleet", "--aws", "--region", accounttest.Region, "--for", "10d", "--dir",
		filepath.Join(t.TempDir(), "fleet"), "--price", regionPrices(t), "--format", "json")
	flags := regexp.MustCompile(`(--[a-z-]+)(?: [A-Z][^ ]*)?(?: of (realiops aws cost))?`)
	for name, want := range map[string]string{"shop": "1,680 hours of unnamed instances are left out",
		"blind": "add VolumeReadIOPs, or reads= to --month of realiops aws cost"} {
		said := strings.Join(fleetOf(t, out)[name].Lacks, "; ")
		if !strings.Contains(said, want) {
			t.Errorf("%s: %s, want %s", name, said, want)
		}
		for _, named := range flags.FindAllStringSubmatch(said, -1) {
			if of := cmp.Or(named[2], "realiops fleet"); !all[of][named[1]] {
				t.Errorf("%s has no %s: %s", of, named[1], said)
			}
		}
	}
}

// plantInstances makes an instance of PostgreSQL and one of MySQL.
func plantInstances(t *testing.T, s *accounttest.StandIn, from time.Time) {
	t.Helper()
	for name, engine := range map[string]string{"orders": "postgres", "legacy": "mysql"} {
		s.Create(t, "CreateDBInstance", "DBInstanceIdentifier="+name+"&Engine="+engine+
			"&DBInstanceClass=db.t2.large&AllocatedStorage=100&StorageType=gp2")
	}
	for metric, value := range map[string]float64{"ReadIOPS": 250, "WriteIOPS": 150, "ReadThroughput": 250 * 8192,
		"WriteThroughput": 150 * 8192, "BurstBalance": 50} {
		series := accounttest.Series{Namespace: "AWS/RDS", Metric: metric, From: from, Step: time.Hour,
			Dimensions: map[string]string{"DBInstanceIdentifier": "orders"}}
		for range fleetHours {
			series.Values = append(series.Values, value)
		}
		s.Put(t, series)
	}
}
