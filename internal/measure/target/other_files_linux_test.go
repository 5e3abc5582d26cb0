package target_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/request"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/test/process"
	"github.com/realiops/realiops/internal/test/servertest"
)

type silent struct{}

func (silent) Stage(string)   {}
func (silent) Message(string) {}

// TestOtherProgramsFiles: another program's writes beside the server's files, in its tablespace, data
// directory and database, are not the server's; the server's own writes there are. A link to / that the
// catalog does not have is not followed.
func TestOtherProgramsFiles(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes disks, and follows requests")
	}
	const size = 512 << 20
	place := loopDisk(t, size)
	server := servertest.Start(t, embedded.Options{Version: "17", Settings: []string{"checkpoint_timeout=1h"}})
	conn := servertest.Connect(t, servertest.Endpoint(t, server.DSN()))
	data := servertest.Value[string](t, conn, "show data_directory")
	var owner unix.Stat_t
	if err := errors.Join(unix.Stat(data, &owner), os.Chown(place, int(owner.Uid), int(owner.Gid))); err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, conn, "create tablespace apart location '"+place+"'")
	t.Cleanup(func() {
		for _, one := range []string{"drop table if exists t", "drop tablespace apart"} {
			if _, err := conn.Exec(context.Background(), one); err != nil {
				t.Error(err)
			}
		}
	})
	link := filepath.Join(data, "pg_tblspc/99999")
	if err := os.Symlink("/", link); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(link) })
	yours, err := target.Open(t.Context(), target.Options{Yours: true, DSN: server.DSN()}, silent{})
	if err != nil {
		t.Fatal(err)
	}
	session, err := yours.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close(t.Context())
	probes, err := yours.Observe(t.Context(), session.Facts)
	if err != nil {
		t.Fatal(err)
	}
	defer probes.Close(t.Context())
	if !probes.ByFile() {
		t.Skip("requests cannot be followed here")
	}
	for _, r := range probes.Layout().Roots {
		if r.Path == "/" || r.Err != nil {
			t.Errorf("a root is %+v", r)
		}
	}
	sample := func() probe.Sample {
		t.Helper()
		for _, s := range probes.Samplers {
			if s.Name() == request.Name {
				if err := s.(interface {
					WaitForCounters(context.Context) error
				}).WaitForCounters(t.Context()); err != nil {
					t.Fatal(err)
				}
				sample, err := s.Sample(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return sample
			}
		}
		return probe.Sample{}
	}
	before := sample()
	const each = 32 << 20
	version := strings.TrimSpace(servertest.Value[string](t, conn,
		"select 'PG_17_' || catalog_version_no from pg_control_system()"))
	for _, name := range []string{"backup.dat", "PG_16_202307071/5/16384", version + "/backup.dat", version +
		"/5.old/16384"} {
		path := filepath.Join(place, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		// Not a child of this process; the kernel's own threads write part of it.
		write := exec.Command("sh", "-c", `dd if=/dev/zero of="$0" bs=1M count=32 conv=fsync; true`, path)
		if out, err := write.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	after := sample()
	grew := func(metric string) float64 { return after.Values[metric] - before.Values[metric] }
	if server, others := grew("request.server/write_bytes"), grew("request.other_programs/write_bytes"); server > each/
		4 || others < 4*each {
		t.Errorf("another program wrote %d bytes: %.0f are the server's, %.0f of other programs", 4*each, server, others)
	}
	if len(after.Gaps) > 0 {
		t.Errorf("%+v", after.Gaps)
	}
	before = after
	servertest.Exec(t, conn,
		"create table t tablespace apart as select repeat('x', 1000) from generate_series(1, 16000)")
	servertest.Exec(t, conn, "checkpoint")
	after = sample()
	// Relations younger than five seconds may still be unnamed.
	if tables := grew("request.tables/write_bytes") + grew("request.relations/write_bytes"); tables < 16000*1000 {
		t.Errorf("the server wrote %d bytes to a table there, and %.0f are told", 16000*1000, tables)
	}
	for _, name := range []string{"PG_16_202307071", version + "/backup.dat", version + "/5.old", "backup.dat"} {
		if err := os.RemoveAll(filepath.Join(place, name)); err != nil {
			t.Error(err)
		}
	}
}

// loopDisk mounts a file system on its own disk.
func loopDisk(t *testing.T, size int64) string {
	t.Helper()
	work, err := os.MkdirTemp("/var/tmp", "realiops-files-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(work) })
	image, mount := filepath.Join(work, "image"), filepath.Join(work, "mount")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, size), os.Mkdir(mount, 0o755),
		os.Chmod(work, 0o755)); err != nil {
		t.Fatal(err)
	}
	do := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Skipf("%s: %v: %s", name, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	node := do("losetup", "--find", "--show", image)
	process.Undo(t, "losetup", "--detach", node)
	do("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", node)
	do("mount", node, mount)
	process.Undo(t, "umount", mount)
	return mount
}
