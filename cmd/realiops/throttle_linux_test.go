package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bucket is a bucket of credits as a provider keeps it: writes use them and time restores them; the device may be
// written at burst while there are any, and at base otherwise.
type bucket struct {
	burst, base float64 // bytes a second
	credits     float64
	written     func() float64 // to the device so far
	allow       func(bytesPerSecond float64)
}

// run runs the bucket until the test ends, and reports when it was first empty.
func (b bucket) run(t *testing.T) (empty <-chan time.Time) {
	told, stopped := make(chan time.Time, 1), make(chan struct{})
	go func() {
		defer close(stopped)
		full, last, before := b.credits, time.Now(), b.written()
		for open := true; t.Context().Err() == nil; time.Sleep(20 * time.Millisecond) {
			now, written := time.Now(), b.written()
			b.credits = min(full, b.credits+b.base*now.Sub(last).Seconds()-(written-before))
			last, before = now, written
			if open && b.credits <= 0 {
				open = false
				b.allow(b.base)
				told <- now
			}
		}
	}()
	t.Cleanup(func() { <-stopped })
	return told
}

// ownGroup returns a control group with a write limit on one device: a function to set the
// limit, and one to add a process.
func ownGroup(t *testing.T, device string) (allow func(float64), join func(pid int)) {
	t.Helper()
	group := filepath.Join("/sys/fs/cgroup/blkio", fmt.Sprintf("realiops-test-%d", os.Getpid()))
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Skipf("the kernel throttles no control group here: %v", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(group); err != nil {
			t.Error(err)
		}
	})
	set := func(name, value string) {
		if err := os.WriteFile(filepath.Join(group, name), []byte(value), 0o600); err != nil {
			t.Error(err)
		}
	}
	number, err := os.ReadFile(filepath.Join("/sys/block", device, "dev"))
	if err != nil {
		t.Fatal(err)
	}
	return func(rate float64) {
			set("blkio.throttle.write_bps_device", fmt.Sprintf("%s %.0f", strings.TrimSpace(string(number)), rate))
		}, func(pid int) {
			set("cgroup.procs", fmt.Sprint(pid))
		}
}

// writtenTo returns the bytes written to a device so far.
func writtenTo(device string) float64 {
	const sector = 512
	text, _ := os.ReadFile(filepath.Join("/sys/block", device, "stat"))
	if f := strings.Fields(string(text)); len(f) > 6 {
		var sectors float64
		fmt.Sscan(f[6], &sectors)
		return sectors * sector
	}
	return math.NaN()
}

// A nearly empty bucket like an st1's of 125 GiB is recognized: when it was empty, the rates before and after, and
// the volume type. The device is in memory, so that only the bucket slows it down.
func TestBaselineFindsTheBucket(t *testing.T) {
	t.Parallel() // it waits more than it works
	work, err := os.MkdirTemp("/dev/shm", "realiops-test-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(work) })
	directory, device := ownDisk(t, work, 512<<20)
	const mib, fast = 1 << 20, 10 // seconds
	st1 := bucket{burst: 31.25 * mib, base: 5 * mib, credits: fast * 26.25 * mib, written: func() float64 {
		return writtenTo(device)
	}}
	var join func(int)
	st1.allow, join = ownGroup(t, device)
	st1.allow(st1.burst)

	file := filepath.Join(t.TempDir(), "run.jsonl")
	c, stdout, stderr := withFIO(t, "baseline", "--dir", directory, "--allow-ram", "--size", "4M", "--only",
		"sequential-write", "--until-throttled=1m", "--yes", "--format", "json", "-o", file)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	join(c.Process.Pid)
	empty := st1.run(t)
	if err := c.Wait(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	var report struct {
		Throttle struct {
			Found         bool
			Why           string
			At            time.Time
			Before, After struct{ Bytes, Latency float64 }
			Buckets       []struct {
				Title, Of string
				GiB       float64
			}
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	got := report.Throttle
	if !got.Found {
		t.Fatalf("not found: %s", got.Why)
	}
	near := func(what string, got, want, within float64) {
		if !(math.Abs(got-want) <= within*want) { // also NaN
			t.Errorf("%s is %.3g, want %.3g", what, got, want)
		}
	}
	near("the rate before", got.Before.Bytes, st1.burst, 0.1)
	near("the rate after", got.After.Bytes, st1.base, 0.1)
	const inFlight = 8 * 256 << 10 // by Little's law
	near("the latency before", got.Before.Latency, inFlight/st1.burst, 0.2)
	near("the latency after", got.After.Latency, inFlight/st1.base, 0.2)
	if off := got.At.Sub(<-empty).Seconds(); math.Abs(off) > 3 {
		t.Errorf("found %+.1f s from when the bucket was empty", off)
	}
	fits := map[string]float64{}
	for _, b := range got.Buckets {
		fits[b.Title+" "+b.Of] = b.GiB
	}
	near("the size of the st1 that it fits", fits["EBS st1 MiB/s"], 125, 0.1)
}
