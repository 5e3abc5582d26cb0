package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

const observed = "../../testdata/runs/observed-pg17.jsonl.zst"

func writeRun(t *testing.T, records []runfile.Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "same.jsonl")
	w, err := runfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// runs runs a command.
func runs(t *testing.T, want int, args ...string) (out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: os.Getenv, Now: time.Now}
	if code := Main(env, args); code != want {
		t.Fatalf("%q: exit status %d, want %d\n%s%s", args, code, want, &stdout, &stderr)
	}
	return stdout.String(), stderr.String()
}

// TestHistoryIsTheObservation: what comes back through a real Prometheus gives the verdicts and the size that the file gives.
func TestHistoryIsTheObservation(t *testing.T) {
	planted, same, last := prometheustest.Observation(t, observed)
	url := prometheustest.Start(t, planted...)
	from := writeRun(t, same)
	through := filepath.Join(t.TempDir(), "through.jsonl")
	_, said := runs(t, exitDone, "history", "--prometheus", strings.Replace(url, "://", "://me:planted-password@", 1), "--until", last.Add(time.Second).Format(time.RFC3339), "--for", "1h", "-o", through)
	if strings.Contains(said, "planted-password") {
		t.Errorf("it says %s", said)
	}
	if text, err := os.ReadFile(through); err != nil || strings.Contains(string(text), "planted-password") {
		t.Errorf("the file has the password of the store, or %v", err)
	}
	verdicts := func(path string) any {
		var r struct{ Metrics, Arms, Headline, Observed any }
		out, _ := runs(t, exitDone, "analyze", path, "--format", "json")
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if diff := cmp.Diff(verdicts(from), verdicts(through), cmp.FilterPath(aside, cmp.Ignore())); diff != "" {
		t.Errorf("(-observed +through the store):\n%s", diff)
	}
	size := func(path string) any {
		var r struct{ Options, Needs any }
		out, _ := runs(t, exitDone, "size", path, "--format", "json")
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if diff := cmp.Diff(size(from), size(through)); diff != "" {
		t.Errorf("(-observed +through the store):\n%s", diff)
	}
	out, _ := runs(t, exitDone, "analyze", through, "--format", "json")
	if !strings.Contains(out, `"verdict": "physical"`) || !strings.Contains(out, `"verdict": "logical"`) {
		t.Errorf("no verdict in\n%s", out)
	}
}

// aside is what the way makes a difference to, and nothing of the numbers: in whose words a metric is told of, and what watching cost.
func aside(path cmp.Path) bool {
	last, is := path.Last().(cmp.MapIndex)
	return is && slices.Contains([]string{"probe", "help", "caveat", "cost", "top"}, last.Key().String())
}
