package sysstat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/measure/history/sysstat"
	"github.com/realiops/realiops/internal/runfile"
)

// TestMonitorsOfOneDay: iostat, Azure Monitor and vCenter on the same day of the same machine: 900 reads of 8 KiB and
// 300 writes of 16 KiB a second, and from two to four 2,000 and 1,500, over two disks, or one under a mapping.
func TestMonitorsOfOneDay(t *testing.T) {
	for file, keeper := range map[string]string{"iostat.json": "iostat", "azure.json": "Azure Monitor",
		"vcenter.csv": "vCenter", "in Europe vcenter.csv": "vCenter"} {
		file, european := strings.CutPrefix(file, "in Europe ")
		text, err := os.ReadFile("../../../../testdata/migration/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if european { // as Export-Csv -UseCulture writes it
			text = regexp.MustCompile(`(Z";"\d+)"`).ReplaceAll(bytes.ReplaceAll(text, []byte(`","`), []byte(`";"`)),
				[]byte(`$1,0"`))
		}
		hosts, err := sysstat.Read(text)
		if err != nil || len(hosts) != 1 || hosts[0].Name != "db1" || sysstat.Keeper(text) != keeper {
			t.Fatalf("%s: %d machines, by %q, %v", file, len(hosts), sysstat.Keeper(text), err)
		}
		covered := time.Duration(0)
		for _, i := range hosts[0].Intervals {
			want := sysstat.Interval{From: i.From, To: i.To, Reads: 900, Writes: 300, ReadBytes: 900 * 8192,
				WriteBytes: 300 * 16384}
			if h := i.From.Hour(); h == 2 || h == 3 {
				want.Reads, want.Writes, want.ReadBytes, want.WriteBytes = 2000, 1500, 2000*8192, 1500*16384
			}
			if i != want {
				t.Fatalf("%s: %+v, want %+v", file, i, want)
			}
			covered += i.To.Sub(i.From)
		}
		if covered != 24*time.Hour {
			t.Errorf("%s: %v", file, covered)
		}
	}
}

// TestReadsWhatIostatWrites: iostat's table and JSON of the same seconds show the same disks.
func TestReadsWhatIostatWrites(t *testing.T) {
	if _, err := exec.LookPath("iostat"); err != nil {
		t.Skip("iostat is not installed")
	}
	run := func(args ...string) []byte {
		c := exec.CommandContext(t.Context(), "iostat", append(args, "-dxkty", "1", "2")...)
		c.Env = append(os.Environ(), "S_TIME_FORMAT=ISO", "LC_ALL=C")
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	written := run("-o", "JSON")
	hosts, err := sysstat.Read(written)
	if err != nil && strings.Contains(err.Error(), "iostat shows no disk") {
		t.Skip("this machine has no disk of its own")
	}
	if err != nil || len(hosts) != 1 || len(hosts[0].Intervals) != 1 {
		t.Fatalf("%+v, %v\n%s", hosts, err, written)
	}
	var plain struct {
		Sysstat struct {
			Hosts []struct {
				Statistics []struct {
					Disk []map[string]any `json:"disk"`
				} `json:"statistics"`
			} `json:"hosts"`
		} `json:"sysstat"`
	}
	if err := json.Unmarshal(written, &plain); err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, d := range plain.Sysstat.Hosts[0].Statistics[1].Disk {
		if name := d["disk_device"].(string); !strings.HasPrefix(name, "loop") && !strings.HasPrefix(name, "dm-") &&
			!strings.HasPrefix(name, "md") &&
			!strings.HasPrefix(name, "zram") && !strings.HasPrefix(name, "ram") && !strings.HasPrefix(name, "sr") {
			want += d["w/s"].(float64)
		}
	}
	if got := hosts[0].Intervals[0].Writes; !(math.Abs(got-want) < 1e-9) {
		t.Errorf("%g writes a second, want %g", got, want)
	}
	table, err := sysstat.Read(run())
	if err != nil || len(table) != 1 || table[0].Name != hosts[0].Name || len(table[0].Intervals) != 1 {
		t.Errorf("the table: %+v, %v", table, err)
	}
}

// TestBadMonitors: ambiguous files are refused, with the command that writes a good one.
func TestBadMonitors(t *testing.T) {
	file := func(name string) string {
		text, err := os.ReadFile("../../../../testdata/migration/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	iostat, azure, vcenter := file("iostat.json"), file("azure.json"), file("vcenter.csv")
	for text, want := range map[string]string{
		strings.Replace(iostat, "2026-11-10T00:10:00+0000", "11/10/26 00:10:00", 1):        "S_TIME_FORMAT=ISO iostat -o JSON",
		strings.Replace(iostat, "2026-11-10T00:10:00+0000", "2026-11-10T02:10:00+0000", 1): "the longest",
		strings.ReplaceAll(iostat, `"sd`, `"dm-`):                                          "shows no disk",
		strings.Replace(iostat, `"wkB/s"`, `"w"`, 4):                                       "no requests and bytes",
		strings.Replace(iostat, `"w/s": 300.00`, `"w/s": -1`, 4):                           "is more than any disk does",
		strings.Replace(azure, `"average": 450.0`, `"average": -1`, 1):                     "-1 a second of disk 0 at",
		strings.Replace(vcenter, `"450"`, `"-449"`, 1):                                     "-449 a second of disk scsi0:0 at",
		strings.ReplaceAll(azure, `[{"name": {"value": "lun"}, "value": "0"}]`, "[]"):      "averaged over the disks",
		strings.ReplaceAll(azure, "Data Disk Write Bytes/sec",
			"OS Disk Write Bytes/sec"): `"Data Disk Write Bytes/sec" is missing`,
		strings.Replace(azure, `"timeStamp": "2026-11-10T00:00:00Z", `, "", 1):                  "has a value without a time",
		strings.Replace(azure, `"timeseries"`, `"errorCode": "InternalError", "timeseries"`, 1): "has the error InternalError",
		strings.ReplaceAll(azure, "PT15M", "P1D"):                                               "use PT1M",
		strings.ReplaceAll(azure, "Data Disk", "Disk"):                                          "no known answer about disks",
		strings.Replace(vcenter, `"IntervalSecs"`, `"Interval"`, 1):                             "column IntervalSecs is missing",
		strings.Replace(vcenter, "2026-11-10T00:30:00Z", "11/10/2026 12:30:00 AM", 1):           "has no zone",
		strings.ReplaceAll(vcenter, `"1800"`, `"7200"`):                                         "an interval of 1 s to 1 h",
		strings.ReplaceAll(vcenter, "virtualdisk.", "net."):                                     "no vCenter counters",
		vcenter[:len(vcenter)-4]:                                                                "invalid CSV of vCenter",
	} {
		if _, err := sysstat.Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// an interval without one of a disk's numbers is left out; vCenter's -1 means none
	for gap, want := range map[string]int{
		strings.Replace(azure, `{"timeStamp": "2026-11-10T00:00:00Z", "average": 450.0}, `, "", 1): 95,
		strings.Replace(vcenter, `"450"`, `"-1"`, 1):                                               47,
	} {
		hosts, err := sysstat.Read([]byte(gap))
		if err != nil || len(hosts[0].Intervals) != want {
			t.Errorf("%v, %v, want %d", len(hosts[0].Intervals), err, want)
		}
	}
}

// TestPathsOfIostat: a disk with several paths counts once, by itself or, if it counts nothing, by its paths.
func TestPathsOfIostat(t *testing.T) {
	for name, disks := range map[string]map[string]float64{
		"since Linux 6.3": {"nvme0n1": 100, "nvme0c0n1": 50, "nvme0c1n1": 50},
		"before":          {"nvme0n1": 0, "nvme0c0n1": 50, "nvme0c1n1": 50},
	} {
		var at []string
		for _, time := range []string{"00:00:00", "00:00:10"} {
			var all []string
			for device, rate := range disks {
				all = append(all, fmt.Sprintf(`{"disk_device": %q, "r/s": %g, "w/s": 0, "rkB/s": %g, "wkB/s": 0}`,
					device, rate, 8*rate))
			}
			at = append(at, fmt.Sprintf(`{"timestamp": "2026-11-10T%s+0000", "disk": [%s]}`, time,
				strings.Join(all, ",")))
		}
		hosts, err := sysstat.Read([]byte(`{"sysstat": {"hosts": [{"nodename": "db", "statistics": [` +
			strings.Join(at, ",") + "]}]}}"))
		if err != nil || len(hosts) != 1 || len(hosts[0].Intervals) != 1 || hosts[0].Intervals[0].Reads != 100 ||
			hosts[0].Intervals[0].ReadBytes != 100*8192 {
			t.Errorf("%s: %+v, %v", name, hosts, err)
		}
	}
}

// TestPartsThatAreMissing: if a number is missing at an end, nothing is known of the machine there, but the history
// covers that time. Duplicates count once.
func TestPartsThatAreMissing(t *testing.T) {
	csv, err := os.ReadFile("../../../../testdata/migration/vcenter.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(csv), "\n")
	begin := time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)
	whole := runfile.Stretch{From: begin, To: begin.Add(24 * time.Hour)}
	read := func(csv string) (history.Data, error) {
		fleet, err := sysstat.NewFleet(t.Context(), []string{"v.csv"}, begin.AddDate(0, 0, 9),
			func(context.Context, string) ([]byte, error) { return []byte(csv), nil })
		if err != nil {
			return history.Data{}, err
		}
		return fleet.History(t.Context(), "db1")
	}
	for half, without := range map[string]string{"first": "T0", "last": "T1"} {
		var some strings.Builder
		for _, line := range lines {
			if !strings.Contains(line, "numberwrite") || !strings.Contains(line, without) {
				some.WriteString(line)
			}
		}
		if data, err := read(some.String()); err != nil || data.Asked != whole {
			t.Errorf("without writes in the %s hours: about %v, want %v; %v", half, data.Asked, whole, err)
		}
	}
	once, err := read(string(csv))
	if err != nil {
		t.Fatal(err)
	}
	twice, err := read(string(csv) + strings.Join(lines[1:], ""))
	if err != nil || !reflect.DeepEqual(once.Periods, twice.Periods) {
		t.Errorf("with each line twice it is another day: %v", err)
	}
	other := strings.Replace(lines[1], `"450"`, `"451"`, 1)
	if _, err := read(string(csv) + other); err == nil || !strings.Contains(err.Error(), "450 and 451") {
		t.Errorf("two values of one moment: %v", err)
	}
	if _, err := read(strings.ReplaceAll(string(csv), "numberwrite", "number")); err == nil ||
		!strings.Contains(err.Error(), "no complete interval") {
		t.Errorf("without writes: %v", err)
	}
}

// TestDoubtsAboutDisks: the second disk is missing before noon in iostat's intervals of ten minutes, and in
// vCenter's that end before ten: 29 of half an hour end later, 28 of them before midnight.
func TestDoubtsAboutDisks(t *testing.T) {
	file := func(name string) string {
		text, err := os.ReadFile("../../../../testdata/migration/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	csv, iostat := file("vcenter.csv"), file("iostat.json")
	var some strings.Builder
	for line := range strings.Lines(csv) {
		if !strings.Contains(line, "scsi0:1") || strings.Contains(line, "2026-11-10T1") ||
			strings.Contains(line, "2026-11-10T2") || strings.Contains(line, "2026-11-11T") {
			some.WriteString(line)
		}
	}
	begin, end, _ := strings.Cut(iostat, "2026-11-10T12:10:00")
	half := strings.ReplaceAll(begin, `"sdb"`, `"dm-1"`) + "2026-11-10T12:10:00" + end
	// a RAID that only joins disks, and one whose second disk wrote 4,800 kB/s more all day: 24 h x 4,800 beside
	// 22 h x 4,800 and 2 h x 24,000
	joined := strings.ReplaceAll(iostat, `"dm-0"`, `"md0"`)
	const idle, copies = `"sda", "r/s": 0.00, "w/s": 0.00, "rkB/s": 0.00, "wkB/s": 0.00`,
		`"sda", "r/s": 0.00, "w/s": 300.00, "rkB/s": 0.00, "wkB/s": 4800.00`
	for text, want := range map[string]string{
		csv: "", iostat: "", joined: "",
		strings.ReplaceAll(joined, idle, copies): "The disks of db1 wrote 1.8 times what its software RAID (md) did.",
		some.String():                            "Disk scsi0:1 of db1 is in 29 of 48 intervals",
		half:                                     "Disk sdb of db1 is in 72 of 144 intervals",
	} {
		fleet, err := sysstat.NewFleet(t.Context(), []string{"f"}, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
			func(context.Context, string) ([]byte, error) { return []byte(text), nil })
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(fleet.Notices(), " "); !strings.HasPrefix(said, want) || (want == "") != (said == "") {
			t.Errorf("%q, want %q", said, want)
		}
		// a ranking keeps it in the file of the machine
		from, to := fleet.Span()
		data, err := fleet.Hours(t.Context(), fleet.Databases(), from, to)
		if err != nil || len(data) != 1 || (len(data[0].Gaps) > 0) != (want != "") ||
			want != "" && !strings.HasPrefix(data[0].Gaps[0].Detail, want) {
			t.Errorf("%v, %+v, want %q", err, data, want)
		}
	}
}
