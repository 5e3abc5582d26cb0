//go:build unix

package runfile

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// childTask names the task of this test program when a test starts it as a child.
const childTask = "REALIOPS_RUNFILE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childTask) {
	case "":
		os.Exit(m.Run())
	case "write until killed":
		childWrites(0)
	case "write until the limit":
		childWrites(fileLimit)
	case "go on without room":
		limitFiles(10)
		_, err := Append(os.Args[1])
		fmt.Println(err, errors.Is(err, syscall.EFBIG))
	}
}

// fileLimit simulates a full disk, in bytes: the kernel refuses what exceeds it, even in the middle of a write.
const fileLimit = 200_000

// childWrites writes a numbered reading every millisecond and prints its number when Write has returned. It ends when
// writing fails, and prints the error.
func childWrites(limit uint64) {
	if limit > 0 {
		limitFiles(limit)
	}
	w, err := Create(os.Args[1])
	for n := 0; err == nil; n++ {
		switch n {
		case 0:
			err = w.Write(everyKind()[0])
		default:
			err = w.Write(numbered(n))
		}
		if err == nil {
			fmt.Println(n)
			time.Sleep(time.Millisecond)
		}
	}
	fmt.Println("failed:", err)
	fmt.Println("closed:", w.Close())
}

// limitFiles limits the size of this process's files. It is for children, since the testing package has its own files.
func limitFiles(bytes uint64) {
	signal.Ignore(syscall.SIGXFSZ) // which comes with the error
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes}); err != nil {
		fmt.Println("limit:", err)
		os.Exit(1)
	}
}

// numbered returns a reading with noise, so that compression cannot make a full disk take minutes.
func numbered(n int) Reading {
	noise := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)})
	padding := make([]byte, 200)
	_, _ = noise.Read(padding) // never fails
	return Reading{At: noon, Probe: hex.EncodeToString(padding), Values: map[string]float64{"n": float64(n)}}
}

func child(t *testing.T, task, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, path)
	cmd.Env = append(os.Environ(), childTask+"="+task)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// checkNumbered checks that a file holds the run line and then readings 1, 2, 3, …, and returns their number.
func checkNumbered(t *testing.T, path string) (readings int) {
	t.Helper()
	records, err := load(t, path)
	if _, torn := errors.AsType[*TornError](err); err != nil && !torn {
		t.Fatalf("the file cannot be read: %v", err)
	}
	for i, r := range records[min(1, len(records)):] {
		if got := r.(Reading).Values["n"]; got != float64(i+1) {
			t.Fatalf("reading %d has number %v", i+1, got)
		}
	}
	return len(records) - 1
}

func TestKilledWriterLosesAboutASecond(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"run.jsonl", "run.jsonl.zst"} {
		path := filepath.Join(t.TempDir(), name)
		cmd, out := child(t, "write until killed", path)
		began := map[int]time.Time{}
		last, start := 0, time.Now()
		for time.Since(start) < 5*time.Second && out.Scan() {
			last, _ = strconv.Atoi(out.Text())
			began[last] = time.Now()
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		_ = cmd.Wait()
		kept := checkNumbered(t, path)
		// Four times the promised second, because test machines are slow.
		if lost := killed.Sub(began[kept+1]); kept < last && lost > 4*time.Second {
			t.Errorf("%s: %d of %d readings kept: the first lost was written %v before the end", name, kept, last, lost)
		}
		if kept < 100 {
			t.Errorf("%s: only %d readings kept", name, kept)
		}
	}
}

func TestFullDiskKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"run.jsonl", "run.jsonl.zst"} {
		path := filepath.Join(t.TempDir(), name)
		cmd, out := child(t, "write until the limit", path)
		var said []string
		for out.Scan() {
			said = append(said, out.Text())
		}
		_ = cmd.Wait()
		if n := len(said); n < 2 || !strings.HasPrefix(said[n-2], "failed: write the run file: write "+path+": ") ||
			!strings.HasPrefix(said[n-1], "closed: write the run file: ") {
			t.Fatalf("the writer did not say what happened: %q", said[max(0, len(said)-3):])
		}
		size := len(contentOf(t, path))
		kept := checkNumbered(t, path)
		if size != fileLimit || kept < fileLimit/600 {
			t.Errorf("%s: %d bytes and %d readings kept", name, size, kept)
		}
	}
}

func TestManyGoroutinesWriteWholeLines(t *testing.T) {
	const writers, each = 16, 200
	path := filepath.Join(t.TempDir(), "run.jsonl.zst")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(everyKind()[0]); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for writer := range writers {
		all.Go(func() {
			for n := range each {
				err := w.Write(Reading{At: noon, Values: map[string]float64{"writer": float64(writer),
					"n": float64(n)}})
				if err == nil && n%50 == 0 {
					err = w.Sync()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	records, err := load(t, path)
	if err != nil || len(records) != 1+writers*each {
		t.Fatalf("%d records, %v", len(records), err)
	}
	next := map[float64]float64{}
	for _, r := range records[1:] {
		v := r.(Reading).Values
		if next[v["writer"]] != v["n"] {
			t.Fatalf("writer %v: got %v after %v", v["writer"], v["n"], next[v["writer"]])
		}
		next[v["writer"]]++
	}
}

func TestReachesTheKernelWithinASecond(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Write(everyKind()[0]); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for len(contentOf(t, path)) == 0 {
		if time.Now().After(deadline) {
			t.Fatal("nothing in the file after 10 s")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestNeverOverwrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "down", "run.jsonl")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(everyKind()[0]), w.Close()); err != nil {
		t.Fatal(err)
	}
	before := contentOf(t, path)
	if _, err := Create(path); err == nil || err.Error() != path+
		" exists and is not overwritten; name another file" {
		t.Errorf("second Create: %v", err)
	}
	if string(contentOf(t, path)) != string(before) {
		t.Error("the file changed")
	}
}

func TestCreateSaysWhereItFailed(t *testing.T) {
	file := save(t, "run.jsonl", everyKind()[0])
	if _, err := Create(filepath.Join(file, "run.jsonl")); err == nil ||
		!strings.Contains(err.Error(), "create the directory for the run file") {
		t.Errorf("below a file: %v", err)
	}
	locked := t.TempDir()
	if err := os.Chmod(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		return // root may write anywhere
	}
	if _, err := Create(filepath.Join(locked, "run.jsonl")); !errors.Is(err, os.ErrPermission) {
		t.Errorf("in a locked directory: %v", err)
	}
}

func TestClosedWriterRefuses(t *testing.T) {
	for _, name := range []string{"run.jsonl", "run.jsonl.zst"} {
		w, err := Create(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(everyKind()[0]), w.Close(), w.Close()); err != nil {
			t.Errorf("%s: closing twice: %v", name, err)
		}
		if w.Write(everyKind()[0]) == nil || w.Sync() == nil {
			t.Errorf("%s: a closed writer took a record", name)
		}
		if err := w.Close(); err != nil {
			t.Errorf("%s: closing after that: %v", name, err)
		}
	}
}

// TestUnencodableRecordHarmsNothing: JSON has no NaN; the record is refused and the writer goes on.
func TestUnencodableRecordHarmsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	nan := Reading{At: noon, Probe: "block", Values: map[string]float64{"block/writes": zero / zero}}
	if err := w.Write(nan); err == nil || !strings.HasPrefix(err.Error(), "encode read record: ") {
		t.Errorf("NaN: %v", err)
	}
	if err := errors.Join(w.Write(everyKind()[0]), w.Close()); err != nil {
		t.Error(err)
	}
	if got, err := load(t, path); len(got) != 1 || err != nil {
		t.Errorf("%d records, %v", len(got), err)
	}
}

var zero float64

func TestHideLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w.Hide("swordfish")
	if err := errors.Join(w.Write(everyKind()[0]), w.Write(Ended{At: noon, Cause: "said swordfish"}),
		w.Close()); err != nil {
		t.Fatal(err)
	}
	if content := string(contentOf(t, path)); strings.Contains(content, "swordfish") ||
		!strings.Contains(content, `"cause":"said ***"`) {
		t.Errorf("got %s", content)
	}
}

func TestDiscardLeavesNothing(t *testing.T) {
	for _, name := range []string{"run.jsonl", "run.jsonl.zst"} {
		made := filepath.Join(t.TempDir(), "made")
		w, err := Create(filepath.Join(made, "for it", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(everyKind()[0]), w.Discard()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(made); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", made, err)
		}
		if err := w.Discard(); err == nil {
			t.Errorf("%s: a second Discard found something to remove", name)
		}
	}
}

// TestDiscardLeavesDirectoriesInUse: a directory that existed before, or that somebody else uses meanwhile, stays.
func TestDiscardLeavesDirectoriesInUse(t *testing.T) {
	there := t.TempDir()
	w, err := Create(filepath.Join(there, "made", "run.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	others := filepath.Join(there, "made", "other")
	if err := errors.Join(os.WriteFile(others, nil, 0o600), w.Discard()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(others); err != nil {
		t.Error(err)
	}
	plain, err := Create(filepath.Join(there, "run.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.Discard(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(there); err != nil {
		t.Error(err)
	}
}

// TestFirstRecordIsWrittenAtOnce: a full disk must not be noticed only after the load.
func TestFirstRecordIsWrittenAtOnce(t *testing.T) {
	for _, name := range []string{"run.jsonl", "run.jsonl.zst"} {
		path := filepath.Join(t.TempDir(), name)
		w, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w.stop <- struct{}{} // ends the flush of each second
		if err := w.Write(Run{ID: "x"}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}
