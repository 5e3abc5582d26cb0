//go:build unix

package fio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/role"
	"github.com/realiops/realiops/internal/measure/supervisor"
)

func TestMain(m *testing.M) {
	if status, played := role.Main(os.Args, supervisor.Role()); played {
		os.Exit(status)
	}
	if len(os.Args) == 3 && os.Args[1] == holderCommand {
		if err := runForever(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// holderCommand makes the test program a realiops that can be killed while fio runs.
const holderCommand = "test-holder"

func runForever(place string) error {
	p, err := Find(context.Background(), "")
	if err != nil {
		return err
	}
	d, err := Make(place)
	if err != nil {
		return err
	}
	fmt.Println(d.supervisor.PID())
	job := small("long", time.Minute)
	_, err = d.Run(context.Background(), p, job, func(Status) { fmt.Println("running") })
	return err
}

// program returns the machine's fio.
func program(t *testing.T) Program {
	t.Helper()
	p, err := Find(t.Context(), "")
	if err != nil {
		t.Skip(err)
	}
	return p
}

// small is a job that any file system can do.
func small(name string, runtime time.Duration) Job {
	s := Settings{Size: 4 << 20, Runtime: runtime}
	return s.job(shape{name: name, rw: "randwrite", block: "8k", depth: 1, options: []Option{{"filename", "data"}},
		files: "data"})
}

func made(t *testing.T) *Directory {
	t.Helper()
	d, err := Make(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(d.Path); err == nil {
			t.Errorf("%s is left", d.Path)
		}
	})
	return d
}

// A job with a known number of writes shows whether its counts are read correctly, however busy the machine is.
func TestCountsAreWhatTheJobAsksFor(t *testing.T) {
	p, d := program(t), made(t)
	const want = 400 // at 125 a second they take 3.2 seconds, or more
	job := small("paced", 30*time.Second).with(Option{"number_ios", strconv.Itoa(want)}, Option{"rate_iops", "125"},
		Option{"time_based", "0"}, Option{"fdatasync", "10"}, Option{"rate_process", "linear"})
	if err := d.Lay(t.Context(), p, []Job{job}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(d.Path, "data"))
	if err != nil || info.Size() != 4<<20 || info.Sys() == nil {
		t.Fatalf("%v, %v", info, err)
	}
	var all []Status
	last, err := d.Run(t.Context(), p, job, func(s Status) { all = append(all, s) })
	if err != nil {
		t.Fatal(err)
	}
	if last.Write.Operations != want || last.Write.Bytes != want*8192 {
		t.Errorf("%d writes of %d bytes, want %d of 8192 each", last.Write.Operations, last.Write.Bytes, want)
	}
	if flushes := float64(last.Sync.Operations); math.Abs(flushes-want/10) > 1 || last.Read != (Side{}) {
		t.Errorf("%v flushes, want about %d; reads: %+v", flushes, want/10, last.Read)
	}
	if last.Seconds < 2.8 || last.Seconds > 33 || len(all) < 3 || !slices.IsSortedFunc(all, func(a, b Status) int {
		return int(a.Write.Operations - b.Write.Operations)
	}) {
		t.Errorf("%v s, %d statuses", last.Seconds, len(all))
	}
	if w := last.Write; !(0 < w.P50 && w.P50 <= w.P95 && w.P95 <= w.P99 && w.P99 <= w.P999 && w.P999 <= 1.02*w.Max) ||
		last.Sync.P99 <= 0 {
		t.Errorf("percentiles %+v, %+v", w, last.Sync)
	}
}

// Several concurrent jobs are one group, whose counts fio adds up.
func TestSeveralSectionsAreOne(t *testing.T) {
	p, d := program(t), made(t)
	jobs, err := ReadFile(strings.NewReader(`
; two at once, and one after
[global]
size=2m
ioengine=psync
rate_iops=100
[reader]
rw=randread
[writer]
rw=randwrite
numjobs=2
[later]
stonewall
rw=write
bs=64k
`), d.Path, Settings{Size: 1 << 20, Runtime: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if len(jobs) != 2 || jobs[0].Name != "reader" || jobs[1].Name != "later" || jobs[0].Bytes != 6<<20 ||
		jobs[0].Depth != 3 || TestBytes(jobs) != 8<<20 {
		t.Fatalf("%+v", jobs)
	}
	if err := d.Lay(t.Context(), p, jobs); err != nil {
		t.Fatal(err)
	}
	want := []int64{100, 200, 100, 200}
	var got []int64
	for range 5 { // a shared disk may pause for a second and miss the rate
		last, err := d.Run(t.Context(), p, jobs[0], func(Status) {})
		if err != nil {
			t.Fatal(err)
		}
		got = []int64{last.Read.Operations, last.Write.Operations, last.Read.Bytes / 4096, last.Write.Bytes / 4096}
		if slices.EqualFunc(got, want, func(g, w int64) bool { return math.Abs(float64(g-w)) <= 0.1*float64(w) }) {
			return
		}
	}
	t.Errorf("reads, writes and their pages are %d, want about %d", got, want)
}

// TestVersionIsNotAwaitedForever: a wrapper's child that keeps the output open does not keep us.
func TestVersionIsNotAwaitedForever(t *testing.T) {
	wrapper := filepath.Join(t.TempDir(), "fio")
	if err := os.WriteFile(wrapper, []byte("#!/bin/sh\nsleep 20 &\n"), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	begin := time.Now()
	_, err := Find(t.Context(), wrapper)
	if took := time.Since(begin); !errors.Is(err, exec.ErrWaitDelay) || took > 15*time.Second {
		t.Errorf("%v after %s", err, took)
	}
}

func TestKilledFioIsSaid(t *testing.T) {
	p, d := program(t), made(t)
	var once bool
	last, err := d.Run(t.Context(), p, small("long", time.Minute), func(s Status) {
		if once {
			return
		}
		once = true
		_ = unix.Kill(fioIn(t, d), unix.SIGKILL)
	})
	if err == nil || !strings.HasPrefix(err.Error(), "fio was killed (signal: killed)") || last.Write.Operations == 0 {
		t.Errorf("%v, %+v", err, last)
	}
}

// fioIn returns the process ID of the fio in a directory.
func fioIn(t *testing.T, d *Directory) int {
	t.Helper()
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == d.Path {
			var pid int
			fmt.Sscanf(link, "/proc/%d/cwd", &pid)
			return pid
		}
	}
	t.Fatal("no fio works in the directory")
	return 0
}

func TestStopsInOrder(t *testing.T) {
	p, d := program(t), made(t)
	ctx, stop := context.WithCancelCause(t.Context())
	began := time.Now()
	last, err := d.Run(ctx, p, small("long", time.Minute), func(s Status) { stop(ErrStopped) })
	if err != ErrStopped || last.Write.Operations == 0 || time.Since(began) > 30*time.Second {
		t.Errorf("%v, %+v after %v", err, last, time.Since(began))
	}
}

// Whichever process is killed, nothing stays after the next run.
func TestKilledRealiopsLeavesNothing(t *testing.T) {
	program(t)
	check := func(who string, kill func(realiops, watcher int), sweep bool) {
		t.Run(who, func(t *testing.T) {
			place := t.TempDir()
			c := exec.Command(os.Args[0], holderCommand, place)
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			var watcher int
			var word string
			if _, err := fmt.Fscan(out, &watcher, &word); err != nil || word != "running" {
				t.Fatal(word, err)
			}
			kill(c.Process.Pid, watcher)
			_ = c.Wait()
			for range 100 {
				if sweep {
					d, err := Make(place)
					if err != nil {
						t.Fatal(err)
					}
					if err := d.Remove(); err != nil {
						t.Fatal(err)
					}
				}
				if left, _ := os.ReadDir(place); len(left) == 0 {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
			left, _ := filepath.Glob(filepath.Join(place, "*", "*"))
			t.Errorf("left: %q", left)
		})
	}
	check("realiops", func(realiops, _ int) { _ = unix.Kill(realiops, unix.SIGKILL) }, false)
	check("both", func(realiops, watcher int) {
		_ = unix.Kill(realiops, unix.SIGSTOP) // otherwise it would start another one
		_ = unix.Kill(watcher, unix.SIGKILL)
		_ = unix.Kill(realiops, unix.SIGKILL)
	}, true)
}

func TestSweepTouchesNothingElse(t *testing.T) {
	place := t.TempDir()
	file, foreign := filepath.Join(place, "precious"), filepath.Join(place, prefix+"1")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(foreign, "data"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Make(place)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Remove(); err != nil {
		t.Error(err)
	}
	for _, path := range []string{file, filepath.Join(foreign, "data")} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v: what has no lock is not ours", path, err)
		}
	}
}

func TestFioMustBeThereAndNotTooOld(t *testing.T) {
	check := func(script, want string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "fio")
		if script != "" {
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", filepath.Dir(path))
		p, err := Find(t.Context(), "")
		got := p.Version
		if err != nil {
			got = strings.ReplaceAll(err.Error(), path, "fio")
		}
		if got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
	const get = "; install it with apt install fio (Debian, Ubuntu), dnf install fio (Fedora, RHEL) or brew " +
		"install fio (macOS)"
	check("", "fio is not installed"+get)
	check("echo fio-2.99", "fio is fio 2.99, but timing flushes needs 3.7 or newer"+get)
	check("echo fio-3.6", "fio is fio 3.6, but timing flushes needs 3.7 or newer"+get)
	check("echo fio-3.7", "3.7")
	check("echo fio-3.36-117-gb2403d", "3.36-117-gb2403d")
	check("echo hello", `fio is not fio: its version is "hello"`)
	check("exit 3", "ask fio for its version: exit status 3")
}

func TestPlacesThatTakeNoFiles(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	_, err := Examine(none)
	if err == nil || err.Error() != "check the directory "+none+": no such file or directory" {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = Examine(file); err == nil || err.Error() != file+" is not a directory" {
		t.Error(err)
	}
	if os.Geteuid() == 0 {
		_, err = Examine("/proc/1")
	} else {
		_, err = Examine("/")
	}
	if err == nil || !strings.Contains(err.Error(), "use another with --dir") {
		t.Error(err)
	}
}

// fio may print its messages in the middle of its JSON.
func TestReadsWhatFioSaysBetween(t *testing.T) {
	text := `fio: job started
{
  "timestamp_ms" : 1000,
fio: pid=1, err=28/file:x.c:1, func=full resid, error=No space left on device
  "jobs" : [ { "error" : 28, "write" : { "total_ios" : 3, "io_bytes" : 24576, "runtime" : 500,
     "lat_ns" : { "mean" : 2000000.0, "max" : 4000000, "N" : 3 }, "clat_ns" : { "percentile" : { "50.000000" : 1000000, "99.000000" : 3000000 } } } } ]
}
trailing
{
  "timestamp_ms" : 2000,
`
	var got []Status
	messages := statusesIn(strings.NewReader(text), func(s Status) { got = append(got, s) })
	want := []Status{{
		At: time.UnixMilli(1000), Seconds: 0.5, Error: 28,
		Write: Side{Operations: 3, Bytes: 24576, Time: 0.006, Max: 0.004, P50: 0.001, P99: 0.003},
	}}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	err := verdict(t.Context(), nil, got[0], messages)
	if err == nil || err.Error() != "fio failed: no space left on device: pid=1, err=28/file:x.c:1, func=full resid, "+
		"error=No space left on device" {
		t.Error(err)
	}
}

func TestRefusesWhatReachesBeyond(t *testing.T) {
	place := t.TempDir()
	check := func(file, want string) {
		t.Helper()
		jobs, err := ReadFile(strings.NewReader(file), place, Settings{Size: 1 << 20})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", file, jobs, err, want)
		}
	}
	beyond := "is outside " + place
	check("[a]\nrw=write\nfilename=/dev/sda", beyond)
	check("[a]\nfilename=../x", beyond)
	check("[a]\nfilename=ok:/dev/nvme0n1", beyond)
	check("[a]\nfilename=a/../../x", beyond)
	check("[a]\nfilename="+place+"/../x", beyond)
	check("[global]\nfilename=/etc/passwd\n[a]\nrw=write", beyond)
	check("[a]\nFileName = /dev/sda", beyond)
	check("[a]\nfilename_format=/dev/sda", beyond)
	check("[a]\ndirectory=/", "directory=/ is outside "+place)
	check("[a]\nexec_prerun=rm -rf /", `option "exec_prerun" is not allowed`)
	check("[a]\nioscheduler=none", `option "ioscheduler" is not allowed`)
	check("[a]\nfill_device=1", `option "fill_device" is not allowed`)
	check("[a]\nread_iolog=x", `option "read_iolog" is not allowed`)
	check("include other.fio\n[a]", "precedes the first [name]")
	check("[a]\ninclude other.fio", `option "include other.fio" is not allowed`)
	check("[a]\nioengine=sg", "unsupported engine")
	check("[a]\nioengine=external:/tmp/x.so", "unsupported engine")
	check("[a]\nrw=randtrim", "discards")
	check("[a]\nfilename=${HOME}", "variables are not supported")
	check("[a]\nsize=50%", "want a size")
	check("[a]\nsize=99999999999999999t", "too large")
	check("[a]\nnumjobs=0", "want 1 to 1024")
	check("[a]\nruntime=-3", "want a time")
	check("[../x]\nrw=write", "invalid job name")
	check("[a\nrw=write", "invalid job name")
	check("[a]\nrw=read\n[b]\nstonewall\n[b]\nstonewall", "two jobs are named b")
	check("# nothing\n", "the file has no job")
	jobs, err := ReadFile(strings.NewReader("[a]\nfilename="+place+"/x\ndirectory="+place+
		"\nsize=8m\niodepth=4\nruntime=2m"), place, Settings{Size: 1 << 20})
	if err != nil || jobs[0].Bytes != 8<<20 || jobs[0].Depth != 4 || jobs[0].Runtime != 2*time.Minute ||
		strings.Contains(jobs[0].Text(), place) {
		t.Errorf("%+v, %v", jobs, err)
	}
}

// The jobs have the published parameters literally.
func TestPublishedParameters(t *testing.T) {
	text := map[string]string{}
	for _, j := range Published(Settings{Size: 1 << 30, Direct: true}) {
		text[j.Name] = " " + j.Text() + " "
	}
	check := func(job string, options ...string) {
		t.Helper()
		for _, o := range options {
			if !strings.Contains(text[job], " --"+o+" ") {
				t.Errorf("%s lacks %s:%s", job, o, text[job])
			}
		}
	}
	check("azure-random", "rw=randread", "size=1073741824", "bs=32k", "direct=1", "iodepth=16", "ioengine=libaio",
		"time_based=1", "runtime=30000ms")
	check("azure-sequential", "rw=read", "bs=32k", "direct=1", "iodepth=16")
	check("ec2-random-read", "rw=randread", "bs=4k", "numjobs=16", "runtime=180000ms", "direct=1")
	check("ec2-random-write", "rw=randwrite", "bs=4k", "numjobs=16", "runtime=180000ms", "direct=1")
	check("hub-random-8k", "rw=randrw", "bs=8k", "nrfiles=8")
	check("hub-random-4k", "rw=randrw", "bs=4k", "nrfiles=8")
	check("hub-sequential", "rw=write", "bs=256k", "nrfiles=8")
}

// fio accepts every job of every set, with direct I/O and without, and each does what its name says.
func TestSetsRun(t *testing.T) {
	p, d := program(t), made(t)
	place, err := Examine(d.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, direct := range []bool{place.Direct, false} {
		s := Settings{Size: 16 << 20, Runtime: 300 * time.Millisecond, Direct: direct}
		// Azure's gigabyte is as published, and slow to write; some stand for similar ones.
		jobs := slices.DeleteFunc(slices.Concat(Database(s), Published(s), []Job{AsDD(s)}), func(j Job) bool {
			return j.Files == "azure" || slices.Contains([]string{"hub-random-4k", "hub-sequential",
				"ec2-random-write"}, j.Name) || !direct &&
				!slices.Contains([]string{"random-read", "hub-random-8k", "buffered-write"}, j.Name)
		})
		if laid, _ := filepath.Glob(filepath.Join(d.Path, "*.*")); len(laid) < 8 { // both times the same files
			if err := d.Lay(t.Context(), p, jobs); err != nil {
				t.Fatal(err)
			}
		}
		for _, j := range jobs {
			last, err := d.Run(t.Context(), p, j, func(Status) {})
			if err != nil {
				t.Errorf("%s, direct %v: %v", j.Name, direct, err)
				continue
			}
			reads, writes := strings.Contains(j.Text(), "read") || strings.Contains(j.Text(), "randrw"),
				strings.Contains(j.Text(), "write") || strings.Contains(j.Text(), "randrw")
			writes = writes && !strings.Contains(j.Text(), "rw=randread")
			reads = reads && !strings.Contains(j.Text(), "rw=randwrite") && !strings.Contains(j.Text(), "rw=write")
			if (last.Read.Operations > 0) != reads || (last.Write.Operations > 0) != writes ||
				(last.Sync.Operations > 0) != (j.Name == "commit") {
				t.Errorf("%s, direct %v: %d reads, %d writes, %d flushes", j.Name, direct, last.Read.Operations,
					last.Write.Operations, last.Sync.Operations)
			}
			inFlight := (last.Read.Time + last.Write.Time + last.Sync.Time) / last.Seconds
			if depth := float64(j.Depth); direct && (inFlight > 1.3*depth || inFlight < 0.1*depth) {
				t.Errorf("%s, direct %v: %.1f in flight, want %d", j.Name, direct, inFlight, j.Depth)
			}
		}
	}
	laid := int64(0)
	files, _ := filepath.Glob(filepath.Join(d.Path, "*"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() {
			laid += info.Size()
		}
	}
	// without Azure's
	want := TestBytes(slices.Concat(Database(Settings{Size: 16 << 20}), Published(Settings{Size: 16 << 20}))) - 1<<30
	if float64(laid) > 1.05*float64(want) || float64(laid) < 0.95*float64(want) {
		t.Errorf("%d bytes of test files, announced were %d: %q", laid, want, files)
	}
}

// TestThroughThePageCache: fio takes the last of a global and an own option, and buffered for the opposite of direct.
func TestThroughThePageCache(t *testing.T) {
	for file, want := range map[string]bool{
		"[a]\nrw=read\n":                                 true,
		"[a]\nrw=read\ndirect=1\n":                       false,
		"[a]\nrw=read\ndirect\n":                         false,
		"[a]\nrw=read\nbuffered=0\n":                     false,
		"[a]\nrw=read\nbuffered=1\n":                     true,
		"[global]\ndirect=1\n[a]\nrw=read\n":             false,
		"[global]\ndirect=1\n[a]\nrw=read\ndirect=0\n":   true,
		"[global]\nbuffered=1\n[a]\nrw=read\ndirect=1\n": false,
	} {
		jobs, err := ReadFile(strings.NewReader(file), t.TempDir(), Settings{Size: 1 << 20})
		if err != nil || len(jobs) != 1 || jobs[0].Buffered != want {
			t.Errorf("%q: %+v, %v; want buffered: %v", file, jobs, err, want)
		}
	}
}
