package observation

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/runfile"
)

// told keeps a display's messages.
type told []string

func (d *told) Stage(string)          {}
func (d *told) Doing(string)          {}
func (d *told) Message(text string)   { *d = append(*d, text) }
func (d *told) Record(runfile.Record) {}

// A file is continued only for the same data, whatever answers at the address.
func TestAnotherServerAtTheSameAddressIsRefused(t *testing.T) {
	at := func(identifier string) runfile.Target {
		return runfile.Target{Host: "db", Port: 5432, Database: "app", SystemIdentifier: identifier}
	}
	check := func(then, now runfile.Target, refused, said string) {
		t.Helper()
		show := &told{}
		r := &recording{Options: Options{Path: "a.jsonl", Show: show}, before: &runfile.Run{Target: then}}
		err := r.sameServer(now)
		if (err == nil) != (refused == "") || err != nil && !strings.Contains(err.Error(), refused) {
			t.Errorf("%v, want %q", err, refused)
		}
		if text := strings.Join(*show, ""); (text == "") != (said == "") || !strings.Contains(text, said) {
			t.Errorf("told %q, want %q", text, said)
		}
	}
	check(at("71"), at("71"), "", "")
	check(at("71"), at("72"), "another server at db:5432 (system identifier 71, not 72)", "")
	check(at("71"), at(""), "", "Cannot tell whether")
	check(at(""), at("71"), "", "Cannot tell whether")
	other := at("71")
	other.Database = "shop"
	check(at("71"), other, "database shop", "")
	old, patched, upgraded := at(""), at(""), at("")
	old.Version, patched.Version, upgraded.Version = "16.4", "16.9", "17.0"
	check(old, patched, "", "Cannot tell whether")
	check(old, upgraded, "observation of PostgreSQL 16, but the server is now PostgreSQL 17", "")
}

// While this process does not run, no probe records anything; a server that does not answer leaves gaps.
func TestThatNothingWasReadIsRecorded(t *testing.T) {
	var gaps []string
	show := &told{}
	w := &watch{
		probes: []string{"pgstat", "block"}, interval: time.Second, tell: show.Message,
		record: func(r runfile.Record) error {
			if gap, is := r.(runfile.Gap); is {
				gaps = append(gaps, gap.Probe+": "+string(gap.Reason))
			}
			return nil
		},
	}
	now := time.Now()
	for _, after := range []time.Duration{0, time.Second, 5 * time.Second, 25 * time.Second} {
		if err := w.stood(now.Add(after)); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(gaps, []string{"pgstat: late", "block: late"}) || len(*show) != 1 ||
		!strings.Contains((*show)[0], "stood still for 20 s") {
		t.Errorf("%q, told %q", gaps, *show)
	}
}

// TestCostOfAFileThatEndsEarly: what was written before the disk was full counts.
func TestCostOfAFileThatEndsEarly(t *testing.T) {
	file, err := runfile.Create(filepath.Join(t.TempDir(), "run.jsonl"))
	if err == nil {
		err = errors.Join(file.Write(runfile.Run{ID: "x"}), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file.Path())
	if err != nil || info.Size() == 0 {
		t.Fatal(info, err)
	}
	if c, err := new(cost).total(file); c.Bytes != info.Size() || err == nil {
		t.Errorf("%d bytes (%v), want %d and an error", c.Bytes, err, info.Size())
	}
}

// TestNothingOnAFullDisk: a file without its first lines holds nothing.
func TestNothingOnAFullDisk(t *testing.T) {
	endpoint, err := postgres.Parse("host=127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	file, err := runfile.Create(filepath.Join(t.TempDir(), "run.jsonl"))
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	r := &recording{Options: Options{Show: &told{}}, file: file, target: &target.Target{Endpoint: endpoint}}
	if err := r.head(postgres.Facts{}, &target.Probes{}); err == nil || r.recorded {
		t.Errorf("%v, and something was recorded: %t", err, r.recorded)
	}
}
