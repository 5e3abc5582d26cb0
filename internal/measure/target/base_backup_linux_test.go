package target_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/probe/request"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// TestABaseBackupOnTheServersDisk: files that pg_basebackup writes count as other programs' from the first reading,
// files that the server writes meanwhile as its own. At every reading all kinds add up to the disk's counters.
func TestABaseBackupOnTheServersDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes disks, and follows requests")
	}
	program, err := exec.LookPath("pg_basebackup")
	if err != nil {
		t.Skip(err)
	}
	place := loopDisk(t, 2<<30)
	if err := os.Chmod(place, 0o777); err != nil { //nolint:gosec // the server runs as another user
		t.Fatal(err)
	}
	server := servertest.Start(t, embedded.Options{BinDir: embedded.InstalledBin, DataDir: filepath.Join(place, "data"),
		Settings: []string{"checkpoint_timeout=1h"}})
	conn := servertest.Connect(t, servertest.Endpoint(t, server.DSN()))
	const table = 16000 * 1000
	servertest.Exec(t, conn, "create table t as select repeat('x', 1000) from generate_series(1, 16000); checkpoint")
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
	var before map[string]float64
	grew := func(name string, now map[string]float64) float64 { return now[name] - before[name] }
	read := func() map[string]float64 {
		t.Helper()
		for _, s := range probes.Samplers {
			if s.Name() != request.Name {
				continue
			}
			sample, err := s.Sample(t.Context())
			if err != nil || len(sample.Gaps) > 0 {
				t.Fatalf("%v; gaps %v", err, sample.Gaps)
			}
			sum := 0.0
			for name, value := range sample.Values {
				if strings.HasSuffix(name, "/write_bytes") && name != "request/write_bytes" &&
					name != "request.server/write_bytes" {
					sum += value
				}
			}
			if disk := sample.Values["request/write_bytes"]; sum != disk {
				t.Errorf("all kinds are %.0f bytes written, and the disk's are %.0f", sum, disk)
			}
			return sample.Values
		}
		return nil
	}
	sync := func() {
		t.Helper()
		if out, err := exec.Command("sync", "-f", place).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	sync()
	before = read()
	backup := exec.Command(program, "-d", server.DSN(), "-D", filepath.Join(place, "backup"), "-c", "fast", "-X",
		"none", "--no-manifest")
	backup.Stderr = t.Output()
	if err := backup.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- backup.Wait() }()
	servertest.Exec(t, conn, "create table u as select repeat('x', 1000) from generate_series(1, 16000)")
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
		case <-tick.C:
			read()
			continue
		}
		tick.Stop()
		break
	}
	servertest.Exec(t, conn, "checkpoint")
	sync()
	after := read()
	if others := grew("request.other_programs/write_bytes", after); others < table {
		t.Errorf("a backup of a table of %d bytes was written, and %.0f bytes are other programs'", table, others)
	}
	if !slices.ContainsFunc(probes.RankRequests(), func(r runfile.Record) bool {
		top := r.(runfile.Top)
		return top.Of == runfile.Programs && slices.ContainsFunc(top.Items, func(i runfile.TopItem) bool {
			return i.Name == "pg_basebackup" && i.Grew["write_bytes"] > 0
		})
	}) {
		t.Error("pg_basebackup, which syncs what it wrote, is not named")
	}
	// A checkpoint may write its end twice.
	if tables := grew("request.tables/write_bytes", after); tables < table || tables > 2*table {
		t.Errorf("the server wrote a table of %d bytes, and %.0f are told", table, tables)
	}
}
