package runfile

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestNewIDSortsByTimeAndIsUnique(t *testing.T) {
	zone := time.FixedZone("east", 3600)
	id := NewID(time.Date(2026, 3, 1, 0, 30, 5, 0, zone))
	if !regexp.MustCompile(`^20260228-233005-[a-z2-7]{4}$`).MatchString(id) {
		t.Errorf("id %q", id)
	}
	if other := NewID(time.Date(2026, 3, 1, 0, 30, 5, 0, zone)); other == id {
		t.Errorf("two runs of one second are both %s", id)
	}
	if got := DefaultPath("x"); got != filepath.Join("realiops-runs", "x.jsonl.zst") {
		t.Errorf("DefaultPath: %s", got)
	}
}

func TestResolve(t *testing.T) {
	t.Chdir(t.TempDir())
	check := func(name, want string) {
		t.Helper()
		if got, err := Resolve(name); err != nil || got != want {
			t.Errorf("Resolve(%s) = %q, %v; want %q", name, got, err, want)
		}
	}
	checkNone := func() {
		t.Helper()
		if got, err := Resolve("LAST"); err == nil ||
			!strings.HasPrefix(err.Error(), "no runs in ./realiops-runs yet") {
			t.Errorf("Resolve(LAST) = %q, %v", got, err)
		}
	}
	written := func(name string, at time.Time) {
		t.Helper()
		path := filepath.Join(Directory, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	check("some/file.jsonl", "some/file.jsonl")
	checkNone()
	if err := os.MkdirAll(filepath.Join(Directory, "z.jsonl"), 0o777); err != nil { // a directory is no run
		t.Fatal(err)
	}
	written("z.html", noon.Add(time.Hour))
	checkNone()
	written("20260301-120000-aaaa.jsonl", noon)
	check("LAST", filepath.Join(Directory, "20260301-120000-aaaa.jsonl"))
	written("my-own-name.jsonl", noon.Add(-time.Hour))
	check("LAST", filepath.Join(Directory, "20260301-120000-aaaa.jsonl"))
	written("20260301-120100-aaaa.jsonl.zst", noon.Add(time.Minute))
	check("LAST", filepath.Join(Directory, "20260301-120100-aaaa.jsonl.zst"))
}
