package block

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// iostat returns the first line about a device in iostat's report, by column name.
func iostat(t *testing.T, device string, args ...string) map[string]float64 {
	t.Helper()
	c := exec.Command("iostat", append([]string{"-d", "-k", "--dec=2"}, args...)...)
	c.Env = append(os.Environ(), "LC_ALL=C")
	out, err := c.Output()
	if err != nil {
		t.Fatalf("iostat: %v", err)
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) > 0 && strings.HasPrefix(fields[0], "Device") {
			names = fields
		}
		if len(fields) == len(names) && len(fields) > 0 && fields[0] == device {
			return byName(t, names[1:], fields[1:])
		}
	}
	t.Fatalf("iostat says nothing of %s:\n%s", device, out)
	return nil
}

func byName(t *testing.T, names, fields []string) map[string]float64 {
	t.Helper()
	values := map[string]float64{}
	for i, name := range names {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		values[name] = v
	}
	return values
}

// Our counters, /proc/diskstats and iostat agree on a known load on our own device: for each page two writes, one of
// them empty, one flush and 16 sectors.
func TestCountsAgreeWithIostat(t *testing.T) {
	if _, err := exec.LookPath("iostat"); err != nil {
		t.Skip("iostat is not installed (package sysstat)")
	}
	node := loopDevice(t)
	device := filepath.Base(node)
	s := samplerOfNode(t, node)
	total, raw := iostat(t, device, device), rawCounters(t, device)
	before, err := s.Sample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pages := make(chan int)
	go func() { // well within the time that iostat watches
		time.Sleep(time.Second)
		pages <- writeAndFlushFor(t, node, 1500*time.Millisecond)
	}()
	rates := iostat(t, device, "-x", "-y", device, "4", "1")
	n := float64(<-pages)
	after, err := s.Sample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	grew := func(figure string) float64 { return after.Values["block/"+figure] - before.Values["block/"+figure] }
	check := func(what string, got, want float64) {
		t.Helper()
		if math.IsNaN(got) || math.Abs(got-want) > want/100 {
			t.Errorf("%s: %v, want %v within 1%%", what, got, want)
		}
	}
	t.Logf("%v pages", n)
	for figure, want := range map[string]float64{"writes": 2 * n, "flushes": n, "write_bytes": page * n} {
		check(figure, grew(figure), want)
		check(figure+" in /proc/diskstats", rawCounters(t, device)["block/"+figure]-raw["block/"+figure], want)
	}
	check("iostat's kB in all", iostat(t, device, device)["kB_wrtn"]-total["kB_wrtn"], grew("write_bytes")/1024)
	// iostat prints rates without their time, which follows from its bytes.
	seconds := grew("write_bytes") / 1024 / rates["wkB/s"]
	check("iostat's writes", rates["w/s"]*seconds, grew("writes"))
	check("iostat's flushes", rates["f/s"]*seconds, grew("flushes"))
	if seconds < 3.5 || seconds > 8 { // a busy machine wakes it late
		t.Errorf("iostat's time was %v s, want 4", seconds)
	}
}

// writeAndFlushFor writes and flushes pages for that time, and returns their number.
func writeAndFlushFor(t *testing.T, node string, d time.Duration) int {
	f, err := os.OpenFile(node, os.O_WRONLY|unix.O_DIRECT, 0)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer f.Close()
	buffer := aligned(page)
	for n, end := 0, time.Now().Add(d); ; n++ {
		if time.Now().After(end) {
			return n
		}
		_, err := f.WriteAt(buffer, int64(n%64*page))
		if err = errors.Join(err, unix.Fdatasync(int(f.Fd()))); err != nil {
			t.Error(err)
			return n
		}
	}
}

// A removed device is a gap; the clock goes on, and when the device is back, so are its counts.
func TestADeviceThatIsTakenAwayIsAGap(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes loop devices")
	}
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no loop devices here: %v", err)
	}
	defer control.Close()
	number := 10000 + os.Getpid()%10000 // unique
	tell := func(request uint) {
		t.Helper()
		err := error(unix.EBUSY) // while another program examines the new device
		for tries := 0; errors.Is(err, unix.EBUSY) && tries < 100; tries++ {
			time.Sleep(time.Duration(min(tries, 1)) * 20 * time.Millisecond)
			err = unix.IoctlSetInt(int(control.Fd()), request, number)
		}
		if err != nil {
			t.Fatalf("loop device %d: %v", number, err)
		}
	}
	device := fmt.Sprintf("loop%d", number)
	tell(unix.LOOP_CTL_ADD)
	defer tell(unix.LOOP_CTL_REMOVE)
	var records []runfile.Record
	clock := probe.NewClock(time.Hour, func(r runfile.Record) error { records = append(records, r); return nil },
		samplerOfNode(t, "/dev/"+device))
	read := func() (values map[string]float64, gaps []runfile.Gap) {
		t.Helper()
		records = nil
		if err := clock.ReadAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			switch r := r.(type) {
			case runfile.Reading:
				values = r.Values
			case runfile.Gap:
				gaps = append(gaps, r)
			}
		}
		return values, gaps
	}
	clock.Start(t.Context())
	if err := clock.ReadAll(t.Context()); err != nil { // after the clock's own first reading
		t.Fatal(err)
	}
	if values, _ := read(); len(values) < len(all) {
		t.Errorf("at first: %v", values)
	}
	tell(unix.LOOP_CTL_REMOVE)
	values, gaps := read()
	if len(gaps) != len(all) || gaps[0].Code != "ENODEV" || gaps[0].Detail != "the device "+device+" is gone" {
		t.Errorf("taken away: %v, %v", values, gaps)
	}
	tell(unix.LOOP_CTL_ADD)
	if values, gaps := read(); len(values) < len(all) || len(gaps) > 0 {
		t.Errorf("back: %v, %v", values, gaps)
	}
	if err := clock.Stop(); err != nil {
		t.Error(err)
	}
}
