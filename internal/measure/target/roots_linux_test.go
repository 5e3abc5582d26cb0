package target

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/test/servertest"
)

// rooted lists servers on this machine with their own root or mounts. The scripts get POSTGRES (its installation),
// OUTSIDE (the data directory), INSIDE (the server's name for it) and ROOT (an empty directory); $RUN is the
// command that becomes the server.
var rooted = []struct {
	name   string
	flags  uintptr
	inside string // empty: an empty directory of this machine
	script string
}{
	{"mounts", syscall.CLONE_NEWNS | syscall.CLONE_NEWPID, "", `
		mount --make-rprivate / && mount --bind "$OUTSIDE" "$INSIDE" && mount -t proc proc /proc
		exec setpriv --reuid 65534 --regid 65534 --clear-groups "$POSTGRES/bin/postgres" "$@"`},
	{"mounts-and-root", syscall.CLONE_NEWNS, "", `
		mount --make-rprivate / && mount --rbind / "$ROOT" && mount --bind "$OUTSIDE" "$ROOT$INSIDE"
		exec chroot --userspec 65534:65534 "$ROOT" "$POSTGRES/bin/postgres" "$@"`},
	{"root", 0, "/data/17", `
		mkdir -p "$ROOT/data" "$ROOT/dev" && cp -a "$POSTGRES" "$ROOT/postgres" && cp -a /dev/null "$ROOT/dev"
		ldd "$POSTGRES/bin/postgres" | grep -o '/[^ ]*' | while read -r library; do cp -L --parents "$library" "$ROOT"; done
		cp -a "$OUTSIDE" "$ROOT$INSIDE" && mv "$ROOT$INSIDE/pg_wal" "$ROOT/data/wal" && ln -s /data/wal "$ROOT$INSIDE/pg_wal"
		LD_LIBRARY_PATH=/postgres/lib exec chroot --userspec 65534:65534 "$ROOT" /postgres/bin/postgres "$@"`},
}

// TestServersWithRootsOfTheirOwn: a server in another mount namespace or root is measured with its device,
// processes and files, like any other.
func TestServersWithRootsOfTheirOwn(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root makes namespaces and other roots")
	}
	installation := installationOf(t)
	for _, kind := range rooted {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			outside, dsn := startRooted(t, installation, kind.flags, kind.inside, kind.script)
			target, err := Open(t.Context(), Options{Yours: true, DSN: dsn}, silent{})
			if err != nil {
				t.Fatal(err)
			}
			session, err := target.Session(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close(t.Context())
			probes, err := target.Observe(t.Context(), session.Facts)
			if err != nil {
				t.Fatal(err)
			}
			defer probes.Close(t.Context())
			if probes.Layout() == nil {
				t.Fatal(probes.unseen)
			}
			data := probes.Layout().Root(layout.Data)
			want, err := layout.Of(outside)
			if err != nil || data.Major != want.Major || data.Minor != want.Minor || data.Inode != want.Inode {
				t.Errorf("data directory: %+v, want %+v (%v)", data, want, err)
			}
			if wal := probes.Layout().Root(layout.WAL); wal == nil || wal.Err != nil {
				t.Errorf("WAL: %+v", wal)
			}
			storage, err := block.StorageOf(outside)
			if err != nil || probes.Storage.Device != storage.Device || probes.Storage.Device == "" {
				t.Errorf("device %q, want %q (%v)", probes.Storage.Device, storage.Device, err)
			}
			if probes.Storage.Directory != session.Facts.DataDirectory {
				t.Errorf("directory %q, want %q", probes.Storage.Directory, session.Facts.DataDirectory)
			}
			servertest.Exec(t, session.Control, "create table public.t as select n from generate_series(1, 1000) n")
			f, err := probes.Layout().Open(servertest.Value[string](t, session.Control,
				"select pg_relation_filepath('public.t')"))
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			for _, sampler := range probes.Samplers[1:] {
				sample, err := sampler.Sample(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, gap := range sample.Gaps {
					if !strings.Contains(gap.Metric, "cgroup") {
						t.Errorf("%s: %+v", sampler.Name(), gap)
					}
				}
			}
			if !probes.ByFile() {
				t.Error("requests are not followed to files")
			}
		})
	}
}

type silent struct{}

func (silent) Stage(string)   {}
func (silent) Message(string) {}

// installationOf returns the directory of the programs of a test server.
func installationOf(t *testing.T) string {
	t.Helper()
	conn := servertest.Connect(t, servertest.Database(t, "17"))
	facts, err := postgres.Inspect(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", facts.BackendPID))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(filepath.Dir(program))
}

// startRooted starts a server by a script and returns its data directory as this process sees it.
func startRooted(t *testing.T, installation string, flags uintptr, inside, script string) (outside, dsn string) {
	t.Helper()
	const nobody = 65534 // PostgreSQL refuses root
	top, err := os.MkdirTemp("/var/tmp", "realiops-root-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	outside, root := filepath.Join(top, "data"), filepath.Join(top, "root")
	for path, owner := range map[string]int{top: nobody, outside: nobody, root: 0,
		filepath.Join(top, "inside"): nobody} {
		if err := os.MkdirAll(path, 0o755); err != nil { //nolint:gosec // others must get through
			t.Fatal(err)
		}
		if err := os.Chown(path, owner, owner); err != nil {
			t.Fatal(err)
		}
	}
	initdb := exec.CommandContext(t.Context(), filepath.Join(installation, "bin", "initdb"),
		"-D", outside, "-U", "postgres", "--auth=trust", "--no-sync", "--no-locale", "--encoding=UTF8")
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	initdb.Dir = "/"
	if said, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, said)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	reached := outside
	if inside == "" {
		inside = filepath.Join(top, "inside")
	} else {
		reached = root + inside
	}
	server := exec.CommandContext(t.Context(), "sh", "-e", "-c", script, "sh", "-D", inside, "-p", fmt.Sprint(port),
		"-h", "127.0.0.1", "-c", "unix_socket_directories=", "-c", "dynamic_shared_memory_type=mmap")
	server.Env = append(os.Environ(), "POSTGRES="+installation, "OUTSIDE="+outside, "INSIDE="+inside, "ROOT="+root)
	server.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGQUIT) }
	server.Dir = "/"
	var said strings.Builder
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	dsn = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port)
	for {
		conn, err := pgx.Connect(t.Context(), dsn)
		if err == nil {
			t.Cleanup(func() { <-ended })
			_ = conn.Close(context.Background())
			return reached, dsn
		}
		select {
		case err := <-ended:
			t.Fatalf("the server ended: %v\n%s", err, &said)
		case <-t.Context().Done():
			t.Fatal(err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
