package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// TestFilesOfSar: for sysstat's own file, every command names the command that converts it to JSON; for other
// programs' files, given as run files, the command that makes one.
func TestFilesOfSar(t *testing.T) {
	t.Parallel()
	own := filepath.Join(t.TempDir(), "sa 25")
	if err := os.WriteFile(own, append([]byte("\x96\xd5u!"), make([]byte, 400)...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"history", "fleet", "size", "report", "compare"} {
		_, said := runs(t, command.ExitUsage, verb, own)
		if verb == "compare" {
			_, said = runs(t, command.ExitUsage, verb, own, own)
		}
		if !strings.Contains(said, "sadf -j ") || !strings.Contains(said, "-- -b >") || strings.Count(said, "\n") != 1 {
			t.Errorf("%s says %s", verb, said)
		}
	}
	for file, keeper := range map[string]string{"migration/iostat.json": "iostat",
		"migration/azure.json": "Azure Monitor", "migration/vcenter.csv": "vCenter",
		"fleet/legacy-18.json": "sysstat"} {
		path := filepath.Join("../../testdata", file)
		_, said := runs(t, command.ExitUsage, "size", path)
		if want := "not a realiops run file, but the output of " + keeper + "; convert it with realiops history " + path +
			" -o history.jsonl"; !strings.Contains(said, want) {
			t.Errorf("size %s says %swant %s", file, said, want)
		}
	}
}

// TestHistoryRefusesWhatSelectsNothing: a flag without effect on a source is refused.
func TestHistoryRefusesWhatSelectsNothing(t *testing.T) {
	t.Parallel()
	dump := filepath.Join(t.TempDir(), "db1.om")
	planted := prometheustest.OpenMetrics(serverOn("db1", "", 0, 6*time.Hour, time.Minute, 400, 0))
	if err := os.WriteFile(dump, []byte(planted), 0o600); err != nil {
		t.Fatal(err)
	}
	const machine, exported = "../../testdata/fleet/legacy-18.json", "../../testdata/history/orders.json"
	given := map[string]string{"server": `instance="db1:9187"`, "host": `instance="db1:9100"`, "device": "sda",
		"token-file": "token", "tenant": "shop", "until": "2026-11-19T00:00:00Z", "instance": "orders", "cluster": "shop",
		"region": "eu-west-1", "profile": "me", "role": "arn:aws:iam::1:role/x", "flavor": "rds"}
	for file, heeds := range map[string][]string{machine: {}, exported: {"instance", "flavor"},
		dump: {"server", "host", "device"}} {
		for flag, value := range given {
			if slices.Contains(heeds, flag) {
				continue
			}
			args := []string{"history", file, "--" + flag, value, "-o", filepath.Join(t.TempDir(), "run.jsonl")}
			if _, said := runs(t, command.ExitUsage, args...); !strings.Contains(said, "--"+flag+" does not apply to ") {
				t.Errorf("%v says %s", args, said)
			}
		}
	}
	if _, said := runs(t, command.ExitUsage, "history", machine, "--device", "sda", "--region", "eu-west-1"); said !=
		"realiops: --device and --region do not apply to files about a machine, whose disks count together; leave "+
			"them out\n" {
		t.Error(said)
	}
	if _, said := runs(t, command.ExitUsage, "history", "--instance", "orders", "--device", "sda"); !strings.Contains(said,
		"--device does not apply to what CloudWatch keeps; leave it out") {
		t.Error(said)
	}
}

// TestSarTyped: the suggested command works with sysstat itself.
func TestSarTyped(t *testing.T) {
	collector := "/usr/lib/sysstat/sadc"
	if _, err := os.Stat(collector); err != nil {
		t.Skip("sysstat is not installed")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), collector, "1", "2",
		filepath.Join(dir, "sa25")).CombinedOutput(); err != nil {
		t.Fatalf("sadc: %v: %s", err, out)
	}
	t.Chdir(dir)
	_, said := runs(t, command.ExitUsage, "history", "sa25")
	_, typed, _ := strings.Cut(said, "convert it with ")
	typed, _, _ = strings.Cut(typed, " and pass")
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", typed).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", typed, err, out)
	}
	if out, _ := runs(t, command.ExitDone, "history", "sa25.json", "--all", "-o", "seconds.jsonl"); !strings.Contains(out,
		"By hour of the day") {
		t.Errorf("of two seconds it shows %s", out)
	}
	if _, said = runs(t, command.ExitUsage, "size", "seconds.jsonl"); !strings.Contains(said,
		"sizing needs four whole hours of history") {
		t.Errorf("of two seconds it says %s", said)
	}
}

// TestOrdersOfOneDay: whichever monitor recorded the day, the order is for its busiest hours: 3,500
// requests a second and 20 % more.
func TestOrdersOfOneDay(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"iostat.json", "azure.json", "vcenter.csv"} {
		run := filepath.Join(t.TempDir(), "db1.jsonl")
		runs(t, command.ExitDone, "history", filepath.Join("../../testdata/migration", file), "-o", run)
		out, _ := runs(t, command.ExitDone, "size", run, "--gib", "500", "--on", "gp3")
		// 500 GiB at 0.08. Two volumes include 6,000 IOPS; one includes 3,000, and 1,200 more cost 0.005 each.
		for _, want := range []string{"Order: 2 x EBS gp3, 250 GiB each: 40 USD a month",
			"One volume: EBS gp3, 500 GiB, 4,200 IOPS: 46 USD a month"} {
			if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
				t.Errorf("%s: %.600s", file, out)
			}
		}
		// A Standard_D2s_v3 allows 3,200 requests a second, a Standard_E8s_v5 12,800.
		if out, _ := runs(t, command.ExitDone, "size", run, "--gib", "500", "--on", "azure", "--class",
			"Standard_D2s_v3"); !strings.HasPrefix(out, "Order: nothing") {
			t.Errorf("%s: behind a D2s_v3%.120s", file, out)
		}
		// 500 GiB at 0.0803
		if out, _ := runs(t, command.ExitDone, "size", run, "--gib", "500", "--on", "azure", "--class",
			"Standard_E8s_v5"); !strings.HasPrefix(out,
			"Order: 2 x Azure Premium SSD v2, 250 GiB each: 40 USD a month") {
			t.Errorf("%s: behind an E8s_v5%.120s", file, out)
		}
	}
}
