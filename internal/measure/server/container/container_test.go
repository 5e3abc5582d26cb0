package container

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/realiops/realiops/internal/measure/server"
)

// testImage is built by scripts/postgres-image.
const testImage = "realiops/postgres:17-local"

// testEngine returns this machine's engine. It skips the test if there is none, or no image.
func testEngine(t *testing.T) *engine {
	t.Helper()
	e, err := reach(t.Context())
	if err != nil {
		t.Skip(err)
	}
	if _, err := e.ImageInspect(t.Context(), testImage); err != nil {
		t.Skipf("the image %s is not there; scripts/postgres-image builds it", testImage)
	}
	return e
}

// start runs a server for one test.
func start(t *testing.T, o Options) *Server {
	t.Helper()
	o.Image = testImage
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// traces counts the remains of a server: its container and the volumes made for it.
type traces struct {
	Container bool
	Volumes   int
}

func (e *engine) tracesOf(t *testing.T, name string) traces {
	t.Helper()
	_, err := e.ContainerInspect(t.Context(), name, client.ContainerInspectOptions{})
	volumes, listing := e.VolumeList(t.Context(),
		client.VolumeListOptions{Filters: make(client.Filters).Add("label", label+"="+name)})
	if listing != nil {
		t.Fatal(listing)
	}
	return traces{err == nil, len(volumes.Items)}
}

// left compares what is left of a server with want.
func (e *engine) left(t *testing.T, name string, want traces) {
	t.Helper()
	if diff := cmp.Diff(want, e.tracesOf(t, name)); diff != "" {
		t.Errorf("what is left of %s (-want +got):\n%s", name, diff)
	}
}

// running holds the traces of a running server.
var running = traces{Container: true, Volumes: 1}

func TestServerIsDurableAndLeavesNothing(t *testing.T) {
	e := testEngine(t)
	s := start(t, Options{Settings: []string{"work_mem = 5MB", "max_connections=150"}})
	e.left(t, s.Name(), running)

	want := map[string]string{"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
		"restart_after_crash": "off", "work_mem": "5MB", "max_connections": "150"}
	got := map[string]string{}
	for name := range want {
		got[name] = query(t, s.DSN(), "SHOW "+name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if super := query(t, s.DSN(), "SELECT usesuper::text FROM pg_user WHERE usename = current_user"); super != "true" {
		t.Errorf("superuser is %s, want true", super)
	}

	if err := s.Stop(t.Context()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	e.left(t, s.Name(), traces{})
	if err := s.Stop(t.Context()); err != nil {
		t.Errorf("a second Stop: %v", err)
	}
	if err := s.Cause(); err != nil {
		t.Errorf("Cause after Stop is %v, want none", err)
	}
}

func TestTargetNamesTheVolumeOnThisHost(t *testing.T) {
	testEngine(t)
	s := start(t, Options{})
	target := s.Target()
	if target.Kind != server.Container || target.Image != testImage {
		t.Errorf("target is %+v", target)
	}
	if target.Storage.Directory == "" {
		t.Skip("this user may not look into the engine's volumes")
	}
	// Its pg_control begins with the server's identifier, which proves that this is the server's directory.
	control, err := os.ReadFile(filepath.Join(target.Storage.Directory, "global", "pg_control"))
	if err != nil {
		t.Fatal(err)
	}
	got := strconv.FormatUint(binary.NativeEndian.Uint64(control), 10)
	if want := query(t, s.DSN(), "SELECT system_identifier::text FROM pg_control_system()"); got != want {
		t.Errorf("%s is the directory of the cluster %s, want %s", target.Storage.Directory, got, want)
	}
	if target.Storage.FileSystem == "" {
		t.Error("the file system is not known")
	}
}

func TestPortIsOnLoopbackWhereTheEngineIsHere(t *testing.T) {
	e := testEngine(t)
	if !e.local {
		t.Skip("the engine is not on this machine")
	}
	config, err := pgx.ParseConfig(start(t, Options{}).DSN())
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != "127.0.0.1" {
		t.Fatalf("the host is %s, want 127.0.0.1", config.Host)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		ip := a.(*net.IPNet).IP
		if ip.IsLoopback() || ip.IsLinkLocalUnicast() {
			continue
		}
		conn, err := net.DialTimeout("tcp", net.JoinHostPort(ip.String(), strconv.Itoa(int(config.Port))), time.Second)
		if err == nil {
			conn.Close()
			t.Errorf("the server is open to other machines at %s", ip)
		}
	}
}

func TestSettingThatTheServerRefuses(t *testing.T) {
	e := testEngine(t)
	name := newName()
	_, err := startAs(t.Context(), name, Options{Image: testImage, Settings: []string{"no_such_thing=1"}})
	if err == nil {
		t.Fatal("it started")
	}
	for _, part := range []string{testImage, "exit code 1", `unrecognized configuration parameter "no_such_thing"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has more than one line: %q", err)
	}
	e.left(t, name, traces{})
}

func TestInterruptedStartLeavesNothing(t *testing.T) {
	e := testEngine(t)
	// Most of these fall while the engine creates the container.
	for _, after := range []time.Duration{0, 20, 30, 40, 50, 60, 80, 100, 150, 300, 700} {
		after *= time.Millisecond
		ctx, interrupt := context.WithCancelCause(t.Context())
		timer := time.AfterFunc(after, func() { interrupt(errors.New("stopped by SIGINT (Ctrl-C)")) })
		name := newName()
		_, err := startAs(ctx, name, Options{Image: testImage})
		timer.Stop()
		if err == nil || !strings.Contains(err.Error(), "stopped by SIGINT (Ctrl-C)") {
			t.Errorf("interrupted after %v: error is %v", after, err)
		}
		e.left(t, name, traces{})
	}
}

func TestNoNetworkIsMade(t *testing.T) {
	e := testEngine(t)
	start(t, Options{})
	// The library's name for its own network.
	if _, err := e.NetworkInspect(t.Context(), testcontainers.ReaperDefault,
		client.NetworkInspectOptions{}); err == nil {
		t.Errorf("there is a network %s", testcontainers.ReaperDefault)
	}
}

func TestDeathIsReported(t *testing.T) {
	e := testEngine(t)
	s := start(t, Options{})
	select {
	case <-s.Died():
		t.Fatal("it died at once")
	default:
	}
	if _, err := e.ContainerKill(t.Context(), s.Name(), client.ContainerKillOptions{Signal: "KILL"}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.Died():
	case <-time.After(time.Minute):
		t.Fatal("nobody noticed")
	}
	// Engines write an end by signal 9 as exit code 137.
	if err := s.Cause(); err == nil || !strings.Contains(err.Error(), "exit code 137") {
		t.Errorf("Cause is %v", err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Errorf("Stop after death: %v", err)
	}
}

func TestDeathOfAServerProcessStopsTheServer(t *testing.T) {
	testEngine(t)
	s := start(t, Options{})
	conn := connect(t, s.DSN())
	// A way to crash a backend from inside; after a restart the counters would be zero.
	_, err := conn.Exec(t.Context(), `COPY (SELECT pg_backend_pid()) TO PROGRAM 'read pid; kill -KILL $pid'`)
	if err == nil {
		t.Fatal("the session survived")
	}
	select {
	case <-s.Died():
	case <-time.After(time.Minute):
		t.Fatal("the server went on")
	}
}

func TestKeptContainerHasItsData(t *testing.T) {
	e := testEngine(t)
	s := start(t, Options{Keep: true})
	t.Cleanup(func() {
		_, err := e.ContainerRemove(context.Background(), s.Name(),
			client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		if err != nil {
			t.Error(err)
		}
	})
	if _, err := connect(t, s.DSN()).Exec(t.Context(), "CREATE TABLE precious AS SELECT 42 AS answer"); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, err := e.ContainerInspect(t.Context(), s.Name(), client.ContainerInspectOptions{})
	if err != nil {
		t.Fatalf("the container is gone: %v", err)
	}
	if state := found.Container.State; state.Status != container.StateExited || state.ExitCode != 0 {
		t.Errorf("it is %s with exit code %d, want exited in order", state.Status, state.ExitCode)
	}
	e.left(t, s.Name(), running)
	if _, err := e.ContainerStart(t.Context(), s.Name(), client.ContainerStartOptions{}); err != nil {
		t.Fatalf("it cannot be started again: %v", err)
	}
}

func TestSweepRemovesWhatNeverRan(t *testing.T) {
	e := testEngine(t)
	s := &Server{engine: e, name: newName()}
	hostConfig := &container.HostConfig{}
	s.arrange(image{dataDirectory: usualDirectory})(hostConfig)
	owner := "test-" + s.name
	_, err := e.ContainerCreate(t.Context(), client.ContainerCreateOptions{
		Name: s.name, Config: &container.Config{Image: testImage, Labels: map[string]string{label: owner}},
		HostConfig: hostConfig,
	})
	if err != nil {
		t.Fatal(err)
	}
	e.sweep(t.Context(), owner, time.Now().Add(-time.Minute))
	e.left(t, s.name, running)
	e.sweep(t.Context(), owner, time.Now().Add(time.Minute))
	e.left(t, s.name, traces{})
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func query(t *testing.T, dsn, sql string) (text string) {
	t.Helper()
	if err := connect(t, dsn).QueryRow(t.Context(), sql).Scan(&text); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return text
}
