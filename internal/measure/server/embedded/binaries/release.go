package binaries

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// DefaultVersion is the major version used when none is asked for.
const DefaultVersion = "17"

// pin is one archive of the repository, with the only content that it may have.
type pin struct {
	platform string // as the repository names it
	version  string // as the repository names it: 17.11.0
	size     int64  // bytes of the archive
	sha256   string // of the archive, in hexadecimal
}

// Release is a PostgreSQL that can be fetched for this machine.
type Release struct{ pin pin }

// Version returns the release's version in PostgreSQL's form: 17.11.
func (r Release) Version() string { return strings.TrimSuffix(r.pin.version, ".0") }

// Major returns the release's major version: 17.
func (r Release) Major() int { return major(r.pin.version) }

func (r Release) name() string { return r.pin.platform + "-" + r.pin.version }

// Find returns the release for a version as users write it: 17, or 17.11 if that is the one
// available. Empty means the default.
func Find(version string) (Release, error) {
	return find(releases(pins(), here()), cmp.Or(version, DefaultVersion))
}

func find(there []Release, version string) (Release, error) {
	if len(there) == 0 {
		return Release{}, fmt.Errorf("no PostgreSQL binaries available for %s", here())
	}
	for _, r := range there {
		if version == r.Version() || version == strconv.Itoa(r.Major()) {
			return r, nil
		}
	}
	return Release{}, fmt.Errorf("no PostgreSQL %q available for %s; use one of %s", version, here(), list(there))
}

func list(there []Release) string {
	var versions []string
	for _, r := range there {
		versions = append(versions, r.Version())
	}
	return strings.Join(versions, ", ")
}

// releases returns the pins that run on the machine, oldest first.
func releases(all []pin, m machine) (there []Release) {
	for _, p := range all {
		if p.platform == m.platform(major(p.version)) {
			there = append(there, Release{p})
		}
	}
	slices.SortFunc(there, func(a, b Release) int { return a.Major() - b.Major() })
	return there
}

// machine holds a machine's properties that decide which binaries run on it.
type machine struct {
	system, processor string // as Go names them
	alpine            bool   // musl instead of glibc
}

func here() machine {
	_, err := os.Stat("/etc/alpine-release")
	return machine{runtime.GOOS, runtime.GOARCH, err == nil}
}

func (m machine) String() string {
	if m.alpine {
		return m.system + "/" + m.processor + " (Alpine)"
	}
	return m.system + "/" + m.processor
}

// platform returns the repository's name for the machine. Macs with Apple's processor run PostgreSQL 13 for
// Intel's, since it has no other.
func (m machine) platform(major int) string {
	processor := m.processor
	switch {
	case processor == "arm64" && m.system == "darwin" && major < 14:
		processor = "amd64"
	case processor == "arm64":
		processor = "arm64v8"
	}
	if m.alpine {
		processor += "-alpine"
	}
	return m.system + "-" + processor
}

// major returns the first number of a version, or 0.
func major(version string) int {
	first, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(first)
	if err != nil {
		return 0
	}
	return n
}
