package binaries

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReleasesForEveryMachine(t *testing.T) {
	check := func(m machine, want string) {
		t.Helper()
		if diff := cmp.Diff(want, list(releases(pins(), m))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", m, diff)
		}
	}
	check(machine{"linux", "amd64", false}, "13.23, 14.24, 15.19, 16.15, 17.11, 18.6")
	check(machine{"linux", "arm64", false}, "14.23, 15.19, 16.15, 17.11, 18.6")
	check(machine{"darwin", "amd64", false}, "13.18, 14.22, 15.19, 16.15, 17.11, 18.6")
	check(machine{"darwin", "arm64", false}, "13.18, 14.23, 15.19, 16.15, 17.11, 18.6")
	check(machine{"linux", "amd64", true}, "")
	check(machine{"linux", "riscv64", false}, "")
}

func TestPinsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range pins() {
		key := Release{p}.name()
		if seen[key] || p.size < 1_000_000 || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(p.sha256) {
			t.Errorf("%+v: twice, or not whole", p)
		}
		seen[key] = true
	}
}

func TestFind(t *testing.T) {
	there := releases(pins(), machine{"linux", "amd64", false})
	check := func(version, want string) {
		t.Helper()
		got, err := find(there, version)
		if err != nil || got.Version() != want {
			t.Errorf("%s: %s, %v, want %s", version, got.Version(), err, want)
		}
	}
	check("17", "17.11")
	check("17.11", "17.11")
	check("13", "13.23")

	refuse := func(there []Release, version, want string) {
		t.Helper()
		want = strings.ReplaceAll(want, "HERE", here().String())
		if _, err := find(there, version); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", version, err, want)
		}
	}
	const list = "use one of 13.23, 14.24, 15.19, 16.15, 17.11, 18.6"
	refuse(there, "12", `no PostgreSQL "12" available for HERE; `+list)
	refuse(there, "17.9", `no PostgreSQL "17.9" available for HERE; `+list)
	refuse(there, "latest", `no PostgreSQL "latest" available for HERE; `+list)
	refuse(nil, "17", "no PostgreSQL binaries available for HERE")
}
