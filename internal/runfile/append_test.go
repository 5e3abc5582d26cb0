package runfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// later returns records that are added to a file after its end line.
func later() []Record {
	return []Record{
		Period{From: noon, To: noon.Add(time.Minute), Probe: "cloudwatch", Metric: "cloudwatch/WriteIOPS",
			Statistic: "Average", Value: 3, Fetched: noon.Add(time.Hour)},
		Gap{At: noon, Probe: "cloudwatch", Reason: Late},
	}
}

func goOn(t *testing.T, path string, records ...Record) {
	t.Helper()
	w, err := Append(path)
	if err != nil {
		t.Fatal(err)
	}
	writeAll(t, w, records...)
}

func TestAppendGoesOnAfterTheEndLine(t *testing.T) {
	for _, name := range []string{"run.jsonl", "run.jsonl.zst"} {
		path := save(t, name, everyKind()...)
		goOn(t, path, later()[0])
		goOn(t, path, later()[1])
		got, err := collect(bytes.NewReader(contentOf(t, path)))
		if diff := cmp.Diff(slices.Concat(everyKind(), later()), got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

// TestAppendMendsTornEnd: a file may be cut anywhere after its first line, and everything readable before is still
// there after appending.
func TestAppendMendsTornEnd(t *testing.T) {
	for _, name := range []string{"run.jsonl", "run.jsonl.zst"} {
		whole := contentOf(t, saveInBlocks(t, name))
		for cut := len(whole) - 1; cut > 0; cut -= 1 + len(whole)/25 { // each costs three syncs
			before, err := collect(bytes.NewReader(whole[:cut]))
			if tear, torn := errors.AsType[*TornError](err); len(before) == 0 || err != nil &&
				!(torn && tear.Line > 1) {
				break // only a part of the first line
			}
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, whole[:cut], 0o666); err != nil {
				t.Fatal(err)
			}
			goOn(t, path, later()...)
			got, err := collect(bytes.NewReader(contentOf(t, path)))
			if diff := cmp.Diff(slices.Concat(before, later()), got); diff != "" || err != nil {
				t.Fatalf("%s cut at %d of %d: %v %s", name, cut, len(whole), err, diff)
			}
			if left, _ := filepath.Glob(path + "?*"); len(left) > 0 {
				t.Fatalf("%s cut at %d leaves %v", name, cut, left)
			}
		}
	}
}

// saveInBlocks writes like a run that is flushed now and then.
func saveInBlocks(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range everyKind() {
		if err := errors.Join(w.Write(r), w.Sync()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOneWriterAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	first, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Write(everyKind()[0]); err != nil {
		t.Fatal(err)
	}
	if second, err := Append(path); !errors.Is(err, ErrInUse) {
		t.Errorf("got %v, %v; want %v", second, err, ErrInUse)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	goOn(t, path, later()...)
}

func TestAppendRefusesOtherFiles(t *testing.T) {
	check := func(name, text string, want error) {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Append(path); !errors.Is(err, want) {
			t.Errorf("%s holding %q: got %v, want %v", name, text, err, want)
		}
		if got := string(contentOf(t, path)); got != text {
			t.Errorf("%s was changed to %q", name, got)
		}
	}
	check("a.jsonl", "", ErrEmpty)
	check("a.jsonl", "hello\n", ErrNotRunFile)
	check("a.jsonl", "hello", ErrNotRunFile)
	check("a.jsonl.zst", "hello", ErrNotRunFile)
	if _, err := Append(filepath.Join(t.TempDir(), "none.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v for a file that is not there", err)
	}
}
