package layout

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// process creates a process's /proc files; it sees our files. If works is empty, its working directory is hidden:
// since root may read any link, it is not a link.
func process(t *testing.T, proc string, pid, parent int, title, known, works string) {
	t.Helper()
	directory := filepath.Join(proc, fmt.Sprint(pid))
	if err := os.MkdirAll(filepath.Join(directory, "ns"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cmdline": title,
		"status": fmt.Sprintf(
			"Name:\tpostgres\nTgid:\t%d\nPid:\t%d\nUid:\t104\t104\t104\t104\nGid:\t104\t104\t104\t104\nNSpid:\t%s\n",
			pid, pid, known),
		"stat": fmt.Sprintf("%d (postgres) S %d 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "+
			"0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0", pid, parent),
	} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"cwd": works, "root": "/", "ns/mnt": "mnt:[1]"} {
		path := filepath.Join(directory, name)
		err := os.Symlink(to, path)
		if to == "" {
			err = os.WriteFile(path, nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	sees(t, proc, pid, "22 1 254:0 / / rw - ext4 /dev/vda rw")
}

// sees gives a process a mount table.
func sees(t *testing.T, proc string, pid int, mounts ...string) {
	t.Helper()
	text := strings.Join(mounts, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(proc, fmt.Sprint(pid), "mountinfo"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// dataOf creates a data directory with a system identifier, enough for Locate.
func dataOf(t *testing.T, system uint64) string {
	t.Helper()
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "global"), 0o700); err != nil {
		t.Fatal(err)
	}
	control := binary.NativeEndian.AppendUint64(nil, system)
	if err := os.WriteFile(filepath.Join(data, "global", "pg_control"), control, 0o600); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLocate(t *testing.T) {
	proc, data, replica, other := t.TempDir(), dataOf(t, 7), dataOf(t, 7), dataOf(t, 8)
	for pid, works := range map[int]string{50: data, 51: replica, 52: other, 53: data, 54: replica} {
		process(t, proc, pid, 1, "/usr/lib/postgresql/17/bin/postgres", fmt.Sprint(pid), works)
	}
	process(t, proc, 99, 1, "sh", "99", "/")
	if err := os.Symlink("99", filepath.Join(proc, "self")); err != nil {
		t.Fatal(err)
	}
	idle, socket := "postgres: me shop 172.17.0.1(5001) idle", "postgres: me shop [local] idle"
	process(t, proc, 100, 50, idle, "100", data)
	process(t, proc, 101, 50, idle, "101", "") // another user's: its directory is hidden
	process(t, proc, 102, 50, "nginx: worker process", "102", data)
	process(t, proc, 110, 50, idle, "110\t42", data) // in a container
	// in another one, for another client
	process(t, proc, 111, 51, strings.Replace(idle, "5001", "5002", 1), "111\t42", replica)
	// in a third one, with other data
	process(t, proc, 112, 52, idle, "112\t42", other)
	process(t, proc, 113, 53, "postgres: me sh", "113\t43", data)
	process(t, proc, 114, 54, "postgres: me sh", "114\t43", replica) // truncated titles
	process(t, proc, 115, 50, socket, "115\t44", "")                 // hidden

	found := func(s Session, want string, postmaster int) {
		t.Helper()
		got, err := locate(proc, s)
		if err != nil || !Same(got.Data, want) || got.Postmaster != postmaster {
			t.Errorf("%+v: %+v, %v", s, got, err)
		}
	}
	refused := func(s Session, reason runfile.Reason, words string) {
		t.Helper()
		got, err := locate(proc, s)
		if err == nil || probe.GapOf(err).Reason != reason || !strings.Contains(err.Error(), words) {
			t.Errorf("%+v: %+v, %v", s, got, err)
		}
	}
	found(Session{100, 5001, data, "7"}, data, 50)
	found(Session{100, 5001, "/data/19", "7"}, data, 50) // another root, in which it has that path
	found(Session{101, 5001, data, "7"}, data, 50)       // by the setting alone
	if err := os.WriteFile(filepath.Join(data, "postmaster.pid"), []byte("50\n/was/here\n1700000000\n5432\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	// moved since its start: the server cannot find its own control file
	found(Session{100, 5001, "/was/here", ""}, data, 50)
	refused(Session{100, 5001, "/was/her", ""}, runfile.NotLocal, "but the server reports /was/her")
	refused(Session{100, 5001, data, "9"}, runfile.NotLocal, "system identifier 7, not 9")
	refused(Session{100, 5001, other, ""}, runfile.NotLocal, "but the server reports "+other)
	refused(Session{100, 5002, data, "7"}, runfile.NotLocal, "no process on this machine")
	refused(Session{101, 5001, "", ""}, runfile.Permission, "grant pg_read_all_settings")
	refused(Session{101, 5001, "/not/here", ""}, runfile.NotLocal, "/not/here is not visible")
	refused(Session{102, 5001, data, "7"}, runfile.NotLocal, "no process on this machine")
	refused(Session{41, 5001, data, "7"}, runfile.NotLocal, "no process on this machine")

	found(Session{42, 5001, data, "7"}, data, 50)
	found(Session{42, 5002, data, "7"}, replica, 51)
	found(Session{42, 5001, "", "8"}, other, 52)
	refused(Session{43, 5001, data, "7"}, runfile.NotLocal, "2 servers on this machine")
	// nothing proves that it is the one
	refused(Session{42, 5001, "", ""}, runfile.Permission, "grant pg_read_all_settings")
	refused(Session{44, 0, data, "7"}, runfile.NotLocal,
		"in a container on this machine, as process 115, which is hidden from this user")

	// Among our processes, as in a pod: with other mounts the same path is another directory.
	const volume = "254:16 /pod/data "
	for pid, mounts := range map[int][]string{
		120: {"31 1 0:39 / / rw - overlay overlay rw"},
		121: {"31 1 0:39 / / rw - overlay overlay rw", "32 31 " + volume + data + " rw - ext4 /dev/vdb rw"},
		122: {"41 1 0:41 / / rw - overlay overlay rw", "42 41 " + volume + data + " rw - ext4 /dev/vdb rw"},
	} {
		process(t, proc, pid, 50, idle, fmt.Sprint(pid), "")
		sees(t, proc, pid, mounts...)
	}
	refused(Session{120, 5001, data, "7"}, runfile.NotLocal, "has its own mounts")
	refused(Session{121, 5001, data, "7"}, runfile.NotLocal, "has its own mounts")
	sees(t, proc, 99, "61 1 0:42 / / rw - overlay overlay rw", "62 61 "+volume+data+" rw - ext4 /dev/vdb rw")
	found(Session{122, 5001, data, "7"}, data, 50) // both have the same volume there
	refused(Session{120, 5001, data, "7"}, runfile.NotLocal, "has its own mounts")

	process(t, proc, 124, 50, idle, "124", data) // it ends
	if err := os.Remove(filepath.Join(proc, "124", "cwd")); err != nil {
		t.Fatal(err)
	}
	refused(Session{124, 5001, data, "7"}, runfile.NotLocal, "process 124 ended")

	for s, want := range map[Session]string{
		{44, 0, data, "7"}:     "run the same command with sudo -E",
		{120, 5001, data, "7"}: "run the same command with sudo -E",
		{41, 5001, data, "7"}:  "--pid host", {124, 5001, data, "7"}: "",
	} {
		_, err := locate(proc, s)
		if got := Remedy(probe.GapOf(err)).Text; !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%+v: do %q, want %q (%v)", s, got, want, err)
		}
	}
}
