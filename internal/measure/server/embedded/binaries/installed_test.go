package binaries

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInstalledServersAreFound(t *testing.T) {
	root := t.TempDir()
	install := func(bin string, programs ...string) string {
		bin = filepath.Join(root, bin)
		if err := os.MkdirAll(bin, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, program := range programs {
			if err := os.WriteFile(filepath.Join(bin, program), nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		return bin
	}
	debian := install("usr/lib/postgresql/15/bin", "initdb", "postgres")
	brew := install("opt/homebrew/opt/postgresql@17/bin", "initdb", "postgres")
	install("usr/lib/postgresql/16/bin", "psql")                // a client only
	install("usr/lib/postgresql/old/bin", "initdb", "postgres") // not a version
	var below []string
	for _, place := range places() {
		below = append(below, filepath.Join(root, place))
	}
	there := installations(below)
	if diff := cmp.Diff([]Installation{{17, brew}, {15, debian}}, there); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
	check := func(major int, want string) {
		t.Helper()
		if got, err := choose(there, major); err != nil || got.Bin != want {
			t.Errorf("%d: %s, %v, want %s", major, got.Bin, err, want)
		}
	}
	check(0, brew)
	check(15, debian)
	_, err := choose(there, 16)
	want := "no PostgreSQL 16 found in the usual directories; for an installed version, pass --pg-bin " + brew +
		" or " + debian
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if got := hint(nil); got != "" {
		t.Errorf("hint about nothing: %q", got)
	}
}
