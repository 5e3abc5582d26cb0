//go:build unix

package main

import (
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/process"
	"github.com/realiops/realiops/internal/test/servertest"
)

// runOnTheirs starts a run on the user's server and waits for load.
func runOnTheirs(t *testing.T, dsn string) *process.Process {
	t.Helper()
	record := filepath.Join(t.TempDir(), "run.jsonl")
	p := start(t, realiops(t, "run", "--dsn", dsn, "--yes", "--plan", bulkAlone(t), "-o", record))
	must(t, p.AwaitInFile(record, `"kind":"work"`))
	return p
}

// If a server does not answer, the first Ctrl-C says what is waited for, and what a second one
// leaves; the second ends the run.
func TestCtrlCOnAServerThatHangs(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, embedded.Options{Version: "17"})
	r := runOnTheirs(t, s.DSN())
	thaw := freeze(t, postmaster(t, s.Target().Storage.Directory))
	t.Cleanup(thaw)
	for _, said := range []string{
		"Interrupt again to end at once: the schema realiops may stay on the server, and the next run drops it",
		"ended at once: the schema realiops may stay on the server, and the next run drops it",
	} {
		must(t, r.Process.Signal(os.Interrupt))
		must(t, r.AwaitText(said))
	}
	if status := r.Wait(); status != -1 {
		t.Errorf("status %d: %s", status, r.Printed())
	}
}

// After a failover to a server with other data, nothing is done there, and the message says that
// the schema stays on the lost one.
func TestTheSchemaAfterAFailover(t *testing.T) {
	t.Parallel()
	lost, promoted := servertest.Start(t, embedded.Options{Version: "17"}),
		servertest.Start(t, embedded.Options{Version: "17"})
	var target atomic.Pointer[string]
	lead := func(dsn string) { host := hostOf(t, dsn); target.Store(&host) }
	lead(lost.URL())
	port := servertest.Listen(t, func(client net.Conn) { pass(client, *target.Load()) })
	u, err := url.Parse(lost.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	r := runOnTheirs(t, u.String())
	boss := servertest.Connect(t, servertest.Endpoint(t, promoted.DSN()))
	servertest.Exec(t, boss, "alter role postgres password '"+servertest.Endpoint(t, lost.DSN()).Password()+"'")
	servertest.Exec(t, boss, "create schema realiops")
	servertest.Exec(t, boss, "comment on schema realiops is 'made by realiops, which drops it at the end of a run'")
	servertest.Exec(t, boss, "create table realiops.bulk (id int)")
	servertest.Exec(t, boss, "comment on table realiops.bulk is 'made by realiops, which drops it with the schema'")
	lead(promoted.URL())
	if err := syscall.Kill(postmaster(t, lost.Target().Storage.Directory), syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	status, said := r.Wait(), r.Printed()
	there := servertest.Value[bool](t, boss, "select to_regnamespace('realiops') is not null")
	if status != 2 || !strings.Contains(said,
		"is left behind on the lost server, because another server answers now, with other data "+
			"(system identifier ") {
		t.Errorf("status %d: %s", status, said)
	}
	if !there {
		t.Error("the schema of another run is gone")
	}
}

func hostOf(t *testing.T, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

func pass(client net.Conn, target string) {
	defer client.Close()
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(server, client); server.Close() }()
	_, _ = io.Copy(client, server)
}
