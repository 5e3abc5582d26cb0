package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/fleet"
	"github.com/realiops/realiops/internal/cli/command"
)

// TestFleetOfSysstat ranks a machine by sysstat's files of three days, with an hour of 900 reads and 300
// writes a second each night. On io1 it has 6,000 operations a second for 0.065 USD each and 500 GiB for
// 0.125; gp3 is enough at 0.08 a GiB.
func TestFleetOfSysstat(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/fleet/legacy-*.json")
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	kept := filepath.Join(t.TempDir(), "fleet")
	args := append(files, "--has", "../../testdata/fleet/legacy.csv", "--dir", kept, "--format", "json")
	out, _ := ranksLegacy(t, command.ExitDone, args...)
	legacy := fleetOf(t, out)["legacy"]
	if legacy.Need == nil || legacy.Saves == nil || legacy.Kind != fleet.Machine || legacy.Known != 3*24 {
		t.Fatalf("%+v", legacy)
	}
	cents(t, "the worst hour", legacy.Need.WorstHour.Requests, 900+300)
	cents(t, "saved", legacy.Saves.Value, 6000*0.065+500*(0.125-0.08))
	again, said := ranksLegacy(t, command.ExitDone, args...)
	if again != out || !strings.Contains(said, "1 database, 1 already kept") {
		t.Errorf("a second time it says %s, and writes %s", said, again)
	}
	whole, err := os.ReadFile(filepath.Join(kept, "legacy.jsonl.zst"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"legacy (1).jsonl.zst": whole, "torn.jsonl.zst": whole[:len(whole)/8]} {
		if err := os.WriteFile(filepath.Join(kept, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, _ := ranksLegacy(t, command.ExitDone, kept, "--has", "../../testdata/fleet/legacy.csv")
	first, _, _ := strings.Cut(strings.Join(strings.Fields(text), " "), "What costs more")
	if !strings.HasPrefix(first, "1 database,") || !strings.Contains(first, " 2 files were left out: see What is missing.") {
		t.Errorf("a copy and a torn file are not left out, or not in the first lines:\n%s", text)
	}
	runsFleet(t, command.ExitUsage, append(files, "--for", "2d")...)
	runsFleet(t, command.ExitUsage, kept, files[0])
	for flag, value := range map[string]string{"--for": "2d", "--max-cost": "2"} { // for a source; there is none
		_, said := runsFleet(t, command.ExitUsage, kept, flag, value)
		if !strings.Contains(said, flag+" does not apply to ") || !strings.Contains(said, "leave it out") {
			t.Errorf("%s with a directory: %s", flag, said)
		}
	}
	runsFleet(t, command.ExitUsage, "nothing-there.json")
}

// TestFleetOfLittle: less than an hour is reported as unknown.
func TestFleetOfLittle(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "short.json")
	text := fmt.Sprintf(`{"sysstat": {"hosts": [{"nodename": "new", "statistics": [%s]}]}}`,
		`{"timestamp": {"date": "2026-11-01", "time": "00:10:00", "utc": 1, "interval": 600}, "io": {"io-reads": {"rtps": 1, "bread": 8}, "io-writes": {"wtps": 1, "bwrtn": 8}}}`)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := runsFleet(t, command.ExitCannotTell, file, "--dir", filepath.Join(t.TempDir(), "fleet"))
	if !strings.HasPrefix(out, "1 database. The saving is unknown.") {
		t.Errorf("%s", out)
	}
}

// TestFleetOfDaysThatEndEarly: sysstat begins a new file at midnight, so the last ten minutes of a day are in none.
// That hour counts as known by its other fifty, and there is an order.
func TestFleetOfDaysThatEndEarly(t *testing.T) {
	t.Parallel()
	var files []string
	for day := range 8 {
		var all []string
		for i := 1; i < 144; i++ { // from 00:10 to 23:50
			at := time.Date(2026, 11, 1+day, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 10 * time.Minute)
			all = append(all, fmt.Sprintf(`{"timestamp": {"date": %q, "time": %q, "utc": 1, "interval": 600},
				"io": {"io-reads": {"rtps": 100, "bread": 1600}, "io-writes": {"wtps": 200, "bwrtn": 3200}}}`, at.Format(time.DateOnly), at.Format(time.TimeOnly)))
		}
		file := filepath.Join(t.TempDir(), fmt.Sprintf("sa%02d.json", 1+day))
		text := `{"sysstat": {"hosts": [{"nodename": "daily", "statistics": [` + strings.Join(all, ",") + "]}]}}"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	has := filepath.Join(t.TempDir(), "has.csv")
	if err := os.WriteFile(has, []byte("database,volume,gib,iops\ndaily,io1,500,6000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := fleetAt(t, time.Date(2026, 11, 9, 1, 0, 0, 0, time.UTC), command.ExitDone,
		append(files, "--has", has, "--dir", filepath.Join(t.TempDir(), "fleet"), "--format", "json")...)
	d := fleetOf(t, out)["daily"]
	if d.Known != 8*24 || d.Saves == nil {
		t.Fatalf("%d of %d h, lacks %q", d.Known, d.Hours, d.Lacks)
	}
	cents(t, "the worst hour", d.Need.WorstHour.Requests, 300)
	path := filepath.Join(t.TempDir(), "daily.jsonl")
	runs(t, command.ExitDone, append([]string{"history", "-o", path}, files...)...)
	if out, _ := runs(t, command.ExitDone, "size", path, "--gib", "500"); strings.Contains(out, "missing (the "+
		"longest gap") {
		t.Error(out)
	}
}

// TestFleetOfOtherRunFiles: a run file of another command is refused by what it is, compressed or not.
func TestFleetOfOtherRunFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../testdata/runs/loads-pg17.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "loads.jsonl")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{path, "--dir", filepath.Join(t.TempDir(), "fleet")}, "loads.jsonl is a run file; realiops report"},
		{[]string{filepath.Dir(path)}, "loads.jsonl: it was not written by realiops fleet"},
	} {
		if _, said := runsFleet(t, command.ExitUsage, c.args...); !strings.Contains(said, c.want) {
			t.Errorf("%v: %s, want %s", c.args, said, c.want)
		}
	}
}
