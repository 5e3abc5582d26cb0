// Package runfiletest reads and compares run files in tests.
package runfiletest

import (
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/realiops/realiops/internal/runfile"
)

// Records returns all records of a file, which must be complete.
func Records(t testing.TB, path string) []runfile.Record {
	t.Helper()
	records, file, err := runfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []runfile.Record
	for record, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, record)
	}
	return all
}

// Sequence returns records as a reader does.
func Sequence(records []runfile.Record) iter.Seq2[runfile.Record, error] {
	return func(yield func(runfile.Record, error) bool) {
		for _, record := range records {
			if !yield(record, nil) {
				return
			}
		}
	}
}

// IsMadeOf checks that a file has exactly these records, byte by byte, or line by line if it is compressed.
// With update it writes the file.
func IsMadeOf(t testing.TB, path string, records []runfile.Record, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(path, written(t, filepath.Base(path), records), 0o644); err !=
			nil { //nolint:gosec // for everybody to read
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".zst") {
		got = Unpacked(t, got)
	}
	if diff := cmp.Diff(string(written(t, "run.jsonl", records)), string(got)); diff != "" {
		t.Errorf("%s is not what its source gives; -update writes it\n%s", path, diff)
	}
}

// Unpacked decompresses a run file.
func Unpacked(t testing.TB, packed []byte) []byte {
	t.Helper()
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	text, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Write writes a file of that name with these records, and returns its path.
func Write(t testing.TB, name string, records []runfile.Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
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

// written returns the content of such a file.
func written(t testing.TB, name string, records []runfile.Record) []byte {
	t.Helper()
	text, err := os.ReadFile(Write(t, name, records))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
