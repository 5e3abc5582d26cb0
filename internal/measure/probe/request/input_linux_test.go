package request

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// TestWhereRequestsCannotBeFollowed: the reason says what is missing, and where a command would help, which.
func TestWhereRequestsCannotBeFollowed(t *testing.T) {
	needsKernel(t, Place{Data: directory(t)}).Close()
	for _, c := range []struct {
		name, without string // what a shell does before
		as            uint32
		reason        runfile.Reason
		says          string
	}{
		{"somebody else than root", "true", 65534, runfile.Permission, "only root"},
		{"no description of the kernel", "mount -t tmpfs none /sys/kernel/btf", 0, runfile.Unsupported, "/sys/kernel/btf/vmlinux"},
		{"a container's own /sys", "mount -t tmpfs none /sys", 0, runfile.Unsupported, "no block device"},
		{"another file system", "mount -t tmpfs none $REALIOPS_REFUSED", 0, runfile.Unsupported, "another file system"},
	} {
		t.Run(c.name, func(t *testing.T) {
			place := directory(t)
			if err := os.Chmod(place, 0o755); err != nil { //nolint:gosec // for whom it tries
				t.Fatal(err)
			}
			program := filepath.Join(place, "program") // where everybody may start it
			if out, err := exec.Command("install", "-m", "755", os.Args[0], program).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			// Only this process sees the mounts.
			tried := exec.Command("unshare", "--mount", "sh", "-ec", c.without+`; exec setpriv --reuid "$1" --regid "$1" --clear-groups "$2" -test.run=^TestRefused$`,
				"-", strconv.Itoa(int(c.as)), program)
			if strings.Contains(c.without, "REFUSED") {
				place = filepath.Join(place, "base") // the program lies above
			}
			tried.Env = append(os.Environ(), "REALIOPS_REFUSED="+place)
			out, err := tried.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if said := string(out); !strings.Contains(said, fmt.Sprintf("reason %s: ", c.reason)) || !strings.Contains(said, c.says) {
				t.Errorf("%s", said)
			}
			if named := strings.Contains(string(out), "setcap"); named != (c.reason == runfile.Permission) {
				t.Errorf("names the command that allows it: %v: %s", named, out)
			}
		})
	}
}

// TestRefused is the process that may not.
func TestRefused(t *testing.T) {
	place := os.Getenv("REALIOPS_REFUSED")
	if place == "" {
		return
	}
	_, err := New(Place{Data: place})
	var why *probe.Error
	if !errors.As(err, &why) {
		t.Fatal(err)
	}
	fmt.Printf("reason %s: %v; %s\n", why.Reason, why, Remedy(runfile.Gap{Metric: Name, Reason: why.Reason}))
}

// TestRequestsThatAreNotFetched: what comes when the ring is full is counted as lost, and what was in it is not.
func TestRequestsThatAreNotFetched(t *testing.T) {
	top := directory(t)
	s := needsKernel(t, Place{Data: top, Postmaster: os.Getpid(), Database: 5})
	defer s.Close()
	small, err := attach(disksOf(s.files.roots), uint32(os.Getpagesize()))
	if err != nil {
		t.Fatal(err)
	}
	defer small.close()
	before := written(t, s)
	write(t, filepath.Join(top, "base/5/100"), 1000)
	after := written(t, s)
	lost, err := small.lostEvents()
	if err != nil {
		t.Fatal(err)
	}
	const record = eventBytes + 8 // the ring's own note of its length
	fit := float64(os.Getpagesize() / record)
	// Whoever else uses the disk fills the ring, too, and reads are among it.
	if all := after[Name+"/writes"] - before[Name+"/writes"]; all < 1000 || float64(lost) < all-fit {
		t.Errorf("%d of %.0f writes were lost, and %.0f have room", lost, all, fit)
	}
	if after[Name+"/lost"] != 0 {
		t.Errorf("%.0f were lost of those that were fetched", after[Name+"/lost"])
	}
}

// TestFilesThatComeAndGo: what the server writes to files that are gone before anybody looks is the server's, and not the journal's.
func TestFilesThatComeAndGo(t *testing.T) {
	top := directory(t)
	s := needsKernel(t, Place{Data: top, Postmaster: os.Getpid(), Database: 5})
	defer s.Close()
	before := written(t, s)
	s.mu.Lock() // nobody looks
	path := filepath.Join(top, "base/5/pgsql_tmp/pgsql_tmp1.1")
	write(t, path, 40)
	if err := os.Remove(path); err != nil {
		t.Error(err)
	}
	s.mu.Unlock()
	after := written(t, s)
	if got := after["request.other/write_bytes"] - before["request.other/write_bytes"]; got != 40*(16<<10) {
		t.Errorf("%.0f bytes of other files, want %d; of the journal %.0f", got, 40*(16<<10), after["request.journal/write_bytes"]-before["request.journal/write_bytes"])
	}
}

// TestTooManyFiles: of a server with more files than are followed that is said, and those that are followed are.
func TestTooManyFiles(t *testing.T) {
	top := directory(t)
	if err := os.MkdirAll(filepath.Join(top, "base/9"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range mostFiles + 1 {
		fd, err := unix.Open(filepath.Join(top, "base/9", strconv.Itoa(i)), unix.O_CREAT|unix.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(fd)
	}
	first := filepath.Join(top, "base/5/100") // is looked at before base/9
	write(t, first, 1)
	s := needsKernel(t, Place{Data: top, Postmaster: os.Getpid(), Database: 5, Names: map[uint32]Relation{100: {"public.t", Tables}}})
	defer s.Close()
	before := written(t, s)
	write(t, first, 25)
	after := written(t, s)
	// A write may be several requests: so many new files leave little room in one piece.
	if got := after["request.tables/write_bytes"] - before["request.tables/write_bytes"]; got != 25*16<<10 {
		t.Errorf("%.0f bytes of a table, want those of 25 writes of 16 KiB", got)
	}
	if !s.files.tooMany || len(s.files.known) != mostFiles {
		t.Errorf("too many files: %v, and %d are known", s.files.tooMany, len(s.files.known))
	}
	sample, err := s.Sample(t.Context())
	if err != nil || len(sample.Gaps) != 1 || !strings.Contains(sample.Gaps[0].Detail, "more than 100000 files") {
		t.Errorf("%v; gaps %v", err, sample.Gaps)
	}
}
