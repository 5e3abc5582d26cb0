package binaries

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// places returns the directories, as glob patterns over the major version, in which
// packages install a server's programs.
func places() []string {
	return []string{
		"/usr/lib/postgresql/*/bin",                          // Debian and its kin
		"/usr/pgsql-*/bin",                                   // the PostgreSQL project's RPMs
		"/usr/libexec/postgresql*",                           // Alpine
		"/opt/homebrew/opt/postgresql@*/bin",                 // Homebrew on Apple's processors
		"/usr/local/opt/postgresql@*/bin",                    // Homebrew on Intel's
		"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",    // Homebrew on Linux
		"/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
	}
}

// Installation is a server that a package installed on this machine.
type Installation struct {
	Major int
	Bin   string // the directory of its programs
}

// Installed returns the server of that major version on this machine; 0 means the newest.
func Installed(major int) (Installation, error) { return choose(installations(places()), major) }

func choose(there []Installation, major int) (Installation, error) {
	for _, i := range there {
		if major == 0 || i.Major == major {
			return i, nil
		}
	}
	wanted := "PostgreSQL"
	if major != 0 {
		wanted = fmt.Sprintf("PostgreSQL %d", major)
	}
	return Installation{}, fmt.Errorf("no %s found in the usual directories%s", wanted, hint(there))
}

// Hint names the installed servers, for an error about a missing one; empty if there are none.
func Hint() string { return hint(installations(places())) }

func hint(there []Installation) string {
	if len(there) == 0 {
		return ""
	}
	var bins []string
	for _, i := range there {
		bins = append(bins, i.Bin)
	}
	return "; for an installed version, pass --pg-bin " + strings.Join(bins, " or ")
}

// installations returns the servers at the places, newest first.
func installations(places []string) (there []Installation) {
	for _, place := range places {
		before, after, _ := strings.Cut(place, "*")
		found, _ := filepath.Glob(place) // the patterns are valid
		for _, bin := range found {
			version := strings.TrimSuffix(strings.TrimPrefix(bin, before), after)
			if major, err := strconv.Atoi(version); err == nil && complete(bin) {
				there = append(there, Installation{major, bin})
			}
		}
	}
	slices.SortStableFunc(there, func(a, b Installation) int { return cmp.Compare(b.Major, a.Major) })
	return there
}
