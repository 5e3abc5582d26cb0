package block

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// The server writes a known number of bytes to where they reach no disk. When the session has ended, they
// are on the postmaster's account.
func TestProcessesOfARealServer(t *testing.T) {
	dsn := servertest.Database(t, "17")
	session := servertest.Connect(t, dsn)
	s, err := New(realRoots(t, layout.Server{Data: servertest.Value[string](t, session, "show data_directory")}))
	if err != nil {
		t.Fatal(err)
	}
	written := func() float64 {
		t.Helper()
		sample, err := s.Sample(t.Context())
		bytes, read := sample.Values["block.process/wchar"]
		if err != nil || !read {
			t.Fatalf("%v, %v, %+v", err, read, sample.Gaps)
		}
		return bytes
	}
	const rows, row = 4096, 8192
	grew := func(when string, from float64) {
		t.Helper()
		if grown := written() - from; grown < rows*row || grown > rows*row*1.5 {
			t.Errorf("%s: grew by %v bytes, want %d and a little for the server's own", when, grown, rows*row)
		}
	}
	before := written()
	const statement = "copy (select repeat('x', 8191) from generate_series(1, 4096)) to '/dev/null'"
	if _, err := session.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	grew("while the session lives", before)
	pid := servertest.Value[int](t, session, "select pg_backend_pid()")
	if err := session.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for range 6000 { // until the postmaster has reaped it, at most a minute
		if !exists("/proc/" + strconv.Itoa(pid)) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	grew("after its end", before)
}

// Writes of sessions that end during a reading are neither lost nor counted twice.
func TestProcessesOfAServerWithoutRest(t *testing.T) {
	dsn := servertest.Database(t, "17")
	directory := servertest.Value[string](t, servertest.Connect(t, dsn), "show data_directory")
	h := thisHost()
	p, err := h.processesIn(directory)
	if err != nil {
		t.Fatal(err)
	}
	var reads, unrest int
	last := map[string]float64{}
	read := func() {
		t.Helper()
		reads++
		values, err := p.read()
		if err != nil {
			if unrest++; !errors.Is(err, errUnrest) {
				t.Error(err)
			}
			return
		}
		if values["block.process/wchar"] < last["block.process/wchar"] ||
			values["block.process/syscw"] < last["block.process/syscw"] {
			t.Errorf("fell from %v to %v", last, values)
		}
		last = values
	}
	read()
	first := last["block.process/wchar"]
	const sessions, rows, row = 20, 100, 8192
	done := make(chan error, 1)
	go func() { done <- cameAndWent(t.Context(), dsn.Config(), sessions) }()
	for over := false; !over; {
		select {
		case err := <-done:
			over = true
			if err != nil {
				t.Fatal(err)
			}
		default:
			read()
		}
	}
	const known = sessions * rows * row
	for deadline := time.Now().Add(time.Minute); last["block.process/wchar"]-first < known &&
		time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond) // until the last one has ended
		read()
	}
	if grown := last["block.process/wchar"] - first; grown < known || grown > 1.5*known {
		t.Errorf("grew by %v bytes, want %d and a little for the server's own", grown, known)
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", p.postmaster))
	if n := len(strings.Fields(string(children))); err != nil || n == 0 || len(p.open) > n+sessions/4 {
		t.Errorf("%d files are open of %d processes (%v)", len(p.open), n, err)
	}
	if unrest > reads/4 {
		t.Errorf("%d of %d readings found no rest", unrest, reads)
	}
}

// cameAndWent runs sessions that each write 100 rows of 8192 bytes where they reach no disk.
func cameAndWent(ctx context.Context, server *pgx.ConnConfig, sessions int) error {
	for range sessions {
		conn, err := pgx.ConnectConfig(ctx, server)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, "copy (select repeat('x', 8191) from generate_series(1, 100)) to '/dev/null'")
		if err = errors.Join(err, conn.Close(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// Writes to a table in a tablespace on its own device are counted there, and in the sum.
func TestTablespaceOfARealServer(t *testing.T) {
	session := servertest.Connect(t, servertest.Database(t, "17"))
	directory := servertest.Value[string](t, session, "show data_directory")
	device, place := mountedDevice(t, directory)
	execute := func(statement string) {
		t.Helper()
		if _, err := session.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	execute("create tablespace apart location '" + place + "'")
	oid := servertest.Value[uint32](t, session, "select oid from pg_tablespace where spcname = 'apart'")
	apart := layout.Tablespace{OID: oid, Location: place, Temp: true}
	s, err := New(realRoots(t, layout.Server{Data: directory, Tablespaces: []layout.Tablespace{apart}}))
	if err != nil {
		t.Fatal(err)
	}
	sample := func() map[string]float64 {
		t.Helper()
		sample, err := s.Sample(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return sample.Values
	}
	before := sample()
	if _, counted := before["block.data/writes"]; !counted {
		t.Skip("the data directory's device is not to be seen")
	}
	const rows = 7000 // seven to a page
	execute("create table t tablespace apart as select 'x'::char(1000) from generate_series(1, 7000)")
	execute("checkpoint")
	after := sample()
	grew := func(view string) float64 { return after[view+"/write_bytes"] - before[view+"/write_bytes"] }
	if got := grew("block.tablespaces"); got < rows*1000 || got > 2*rows*1000 {
		t.Errorf("%v bytes went to the tablespace's %s, want %d and a little more", got, device, rows*1000)
	}
	if grew("block.temp") != grew("block.tablespaces") || grew("block") != grew("block.data")+
		grew("block.tablespaces") {
		t.Errorf("%v in all, %v to the data, %v to the tablespace, %v to temporary files",
			grew("block"), grew("block.data"), grew("block.tablespaces"), grew("block.temp"))
	}
	execute("drop table t")
	execute("drop tablespace apart")
}

// mountedDevice mounts a loop device with a file system where the owner of a directory may write.
func mountedDevice(t *testing.T, directory string) (device, place string) {
	t.Helper()
	node := loopDevice(t)
	if out, err := exec.Command("/sbin/mkfs.ext4", "-q", node).CombinedOutput(); err != nil {
		t.Skipf("make a file system: %v: %s", err, out)
	}
	place, err := os.MkdirTemp("", "block-") // other users can reach it, unlike the test's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(place) })
	if err := unix.Mount(node, place, "ext4", 0, ""); err != nil {
		t.Skipf("mount a file system: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(place, unix.MNT_DETACH) }) // a failed test leaves a tablespace there
	var owner unix.Stat_t
	if err := unix.Stat(directory, &owner); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(place, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(place, int(owner.Uid), int(owner.Gid)); err != nil {
		t.Fatal(err)
	}
	return filepath.Base(node), place
}
