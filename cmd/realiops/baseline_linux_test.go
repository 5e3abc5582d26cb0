package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/process"
)

// ownDisk mounts a file system on a private device, kept in a file of a directory, and returns the device's name.
func ownDisk(t *testing.T, work string, size int64) (directory, device string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root makes loop devices")
	}
	image, directory := filepath.Join(work, "disk"), filepath.Join(work, "mnt")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, size),
		os.Mkdir(directory, 0o755)); err != nil {
		t.Fatal(err)
	}
	do := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Skipf("%s: %v: %s", name, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	node := do("losetup", "--find", "--show", "--direct-io=on", image)
	process.Undo(t, "losetup", "--detach", node)
	do("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", node)
	do("mount", node, directory)
	process.Undo(t, "umount", directory)
	return directory, filepath.Base(node)
}

// withFIO prepares a command of the program, with fio in its path.
func withFIO(t *testing.T, args ...string) (c *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	if _, err := exec.LookPath("fio"); err != nil {
		t.Skip(err)
	}
	c = realiops(t, args...)
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	c.Stdout, c.Stderr = stdout, stderr
	return c, stdout, stderr
}

// requestsOf returns a device's requests in /proc/diskstats so far: reads and writes, including flushes.
func requestsOf(t *testing.T, device string) float64 {
	t.Helper()
	table, err := os.ReadFile("/proc/diskstats")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); f[2] == device {
			var reads, writes float64
			fmt.Sscan(f[3]+" "+f[7], &reads, &writes)
			return reads + writes
		}
	}
	t.Fatalf("%s is not in /proc/diskstats", device)
	return 0
}

// writtenBy returns the kilobytes that iostat says a device has written.
func writtenBy(t *testing.T, device string) float64 {
	t.Helper()
	out, err := exec.Command("iostat", "-d", "-o", "JSON", device).Output()
	_, rest, found := strings.Cut(string(out), `"kB_wrtn":`)
	var kilobytes float64
	if _, scanned := fmt.Sscanf(rest, "%f", &kilobytes); err != nil || !found || scanned != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return kilobytes
}

// poll is a third party's count at some moment between from and to.
type poll struct {
	from, to time.Time
	count    float64
}

func pollOf(count func(*testing.T, string) float64, t *testing.T, device string) poll {
	from := time.Now()
	counted := count(t, device)
	return poll{from, time.Now(), counted}
}

// within returns the least and the most that was counted between two moments: a poll may be late on a busy machine.
func within(polls []poll, begin, end time.Time) (least, most float64) {
	around := func(at time.Time) (before, after float64) {
		after = math.Inf(1)
		for _, p := range polls {
			if !p.to.After(at) {
				before = p.count
			}
			if !p.from.Before(at) {
				after = min(after, p.count)
			}
		}
		return before, after
	}
	beforeBegin, afterBegin := around(begin)
	beforeEnd, afterEnd := around(end)
	return beforeEnd - afterBegin, afterEnd - beforeBegin
}

// paced are jobs at fixed rates with a known number of requests: one for each operation of the first, a request and a
// flush for the second, and as many as 1 MiB is split into for the third.
const paced = `[global]
size=16m
runtime=3
time_based
[pages]
rw=randwrite
bs=8k
direct=1
ioengine=libaio
iodepth=4
rate_iops=300
[commits]
stonewall
rw=write
bs=8k
ioengine=psync
fdatasync=1
rate_iops=100
[large]
stonewall
rw=write
bs=1m
direct=1
ioengine=libaio
iodepth=4
rate_iops=20
`

// fio, our probe, /proc/diskstats and iostat agree on a known load.
func TestBaselineAgreesWithEverybody(t *testing.T) {
	directory, device := ownDisk(t, t.TempDir(), 512<<20)
	jobs, file := filepath.Join(t.TempDir(), "paced.fio"), filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(jobs, []byte(paced), 0o600); err != nil {
		t.Fatal(err)
	}
	c, stdout, stderr := withFIO(t, "baseline", "--dir", directory, "--job", jobs, "--format", "json", "-o", file)
	var polls, kilobytes []poll
	look := func() {
		polls = append(polls, pollOf(requestsOf, t, device))
		kilobytes = append(kilobytes, pollOf(writtenBy, t, device))
	}
	look()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- c.Wait() }()
	for done := false; !done; {
		select {
		case err := <-ended:
			if done = true; err != nil {
				t.Fatal(err, stderr)
			}
		case <-time.After(20 * time.Millisecond):
			look()
		}
	}
	look()
	var report struct {
		Jobs []struct {
			Name   string
			Fio    struct{ Reads, Writes, Syncs float64 }
			Device struct{ Counted, Requests, Flushes, Merged float64 }
			Factor float64 `json:"requests_per_operation"`
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil || len(report.Jobs) != 3 {
		t.Fatalf("%v: %s", err, stdout)
	}
	events := eventsOf(t, file)
	for i, want := range []struct{ operations, flushes float64 }{{300, 0}, {100, 100}, {20, 0}} {
		j := report.Jobs[i]
		near := func(what string, got, want, within float64) {
			if !(math.Abs(got-want) <= within*want) { // also NaN
				t.Errorf("%s: %s is %.1f, want %.1f", j.Name, what, got, want)
			}
		}
		// fio does not exceed the rates; a busy machine may stay below.
		if rate := j.Fio.Writes; !(rate > want.operations/2 && rate < 1.1*want.operations) {
			t.Errorf("%s: fio's rate is %.1f, want %.1f", j.Name, rate, want.operations)
		}
		least, most := within(polls, events[j.Name+" begin"], events[j.Name+" end"])
		if j.Device.Counted < 0.99*least || j.Device.Counted > 1.01*most || most > 2*least {
			t.Errorf("%s: counted %.0f, and /proc/diskstats from %.0f to %.0f", j.Name, j.Device.Counted, least, most)
		}
		near("requests for an operation", j.Factor, j.Device.Requests/j.Fio.Writes, 0.01)
		if want.flushes > 0 {
			near("flushes", j.Device.Flushes, j.Fio.Syncs, 0.03)
		}
		if j.Name != "large" {
			near("requests", j.Device.Requests, j.Fio.Writes, 0.03)
		}
		if i == 0 { // it writes a page of 8 kB in each request
			least, most := within(kilobytes, events["pages begin"], events["pages end"])
			if pages := 8 * j.Device.Counted; pages < 0.97*least || pages > 1.03*most {
				t.Errorf("%.0f kB in pages, and iostat says from %.0f to %.0f", pages, least, most)
			}
		}
	}
	checkEmpty(t, directory)
}

// eventsOf returns the times of a file's load events.
func eventsOf(t *testing.T, path string) map[string]time.Time {
	t.Helper()
	records, file, err := runfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	at := map[string]time.Time{}
	for record, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		if e, is := record.(runfile.LoadEvent); is {
			at[e.Load+" "+string(e.Event)] = e.At
		}
	}
	return at
}

func checkEmpty(t *testing.T, directory string) {
	t.Helper()
	left, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if e.Name() != "lost+found" {
			t.Errorf("%s is left", e.Name())
		}
	}
}

// If a baseline ends early, its data is kept and the test files are removed.
func TestBaselineEndsInTheMiddle(t *testing.T) {
	t.Parallel() // as TestBaselineFindsTheBucket waits
	check := func(name string, end func(t *testing.T, realiops, fio int), code int, said string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait more than they work
			directory, file := t.TempDir(), filepath.Join(t.TempDir(), "run.jsonl")
			c, stdout, stderr := withFIO(t, "baseline", "--dir", directory, "--allow-ram", "--size", "8M", "--runtime",
				"5m", "--only", "random-write,commit", "-o", file)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			end(t, c.Process.Pid, fioUnder(t, directory, file))
			err := c.Wait()
			exit, _ := errors.AsType[*exec.ExitError](err)
			if exit == nil || exit.ExitCode() != code || !strings.Contains(stderr.String(), said) {
				t.Errorf("%v, want %d and %q: %s", err, code, said, stderr)
			}
			if code > 0 && !strings.Contains(stdout.String(), "No result of random-write: ") {
				t.Errorf("printed: %s", stdout)
			}
			for range 300 {
				if left, _ := os.ReadDir(directory); len(left) == 0 {
					break
				}
				time.Sleep(100 * time.Millisecond) // the supervisor needs a moment
			}
			checkEmpty(t, directory)
			if again, _, complaint := withFIO(t, "report", file); again.Run() != nil {
				t.Errorf("report: %s", complaint)
			}
		})
	}
	check("Ctrl-C", func(_ *testing.T, realiops, _ int) {
		_ = syscall.Kill(realiops, syscall.SIGINT)
	}, 2, "stopped by SIGINT (Ctrl-C)")
	check("fio is killed", func(_ *testing.T, _, fio int) {
		_ = syscall.Kill(fio, syscall.SIGKILL)
	}, 2, "random-write: fio was killed (signal: killed)")
	check("realiops is killed", func(_ *testing.T, realiops, _ int) {
		_ = syscall.Kill(realiops, syscall.SIGKILL)
	}, -1, "")
}

// fioUnder returns the process of the fio in a directory, once its first second is recorded.
func fioUnder(t *testing.T, directory, file string) int {
	t.Helper()
	for range 2400 { // two minutes
		time.Sleep(50 * time.Millisecond)
		text, _ := os.ReadFile(file)
		_, job, begun := strings.Cut(string(text), `"load":"random-write","repetition":1,"event":"begin"`)
		if !begun || !strings.Contains(job, `"probe":"fio"`) {
			continue
		}
		links, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, link := range links {
			var pid int
			target, err := os.Readlink(link)
			if err == nil && strings.HasPrefix(target, directory+"/") {
				fmt.Sscanf(link, "/proc/%d/cwd", &pid)
				return pid
			}
		}
	}
	t.Fatal("no fio began to work")
	return 0
}
