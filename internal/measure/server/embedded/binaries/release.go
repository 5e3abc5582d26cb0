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

// pins returns the archives that may be unpacked and run, with their checksums. scripts/pin-postgres wrote this file.
func pins() []pin {
	return []pin{
		{"linux-amd64", "13.23.0", 14195848, "2b0387c9abb4ab2cdf8e5ebad4f3b0877078203e1de797023c681ecd1ff66938"},
		{"linux-amd64", "14.24.0", 14496000, "a22637a4a9904f6a7ed42ca0849f3db96f29a6d7dc719d9da8487fe4522e5017"},
		{"linux-amd64", "15.19.0", 14625140, "335beb3873692297bfa7712f09ef706114c28896e85ee83098f3aafaaa70b24a"},
		{"linux-amd64", "16.15.0", 14732344, "bda67fe32e23b049c25db4b98132d154a4fa824c44e1bd8fd01b0236f4676c24"},
		{"linux-amd64", "17.11.0", 14982416, "f044ba1009e9c7ed62a5a9a6f923ca6327fe4e80d8f6bf4f8887dbc59ac14bed"},
		{"linux-amd64", "18.6.0", 15114736, "63999c2914366d62c68e51794e597588c336e75ed2958d53c558e8deca5e13fc"},
		{"linux-arm64v8", "14.23.0", 13650448, "86c00ce1efdd10945ffe2867bdefc79d68fd5acb150ee67b150e92ee4d2696d8"},
		{"linux-arm64v8", "15.19.0", 13682236, "1459772dc64a36546dcd5a5b2a1e771fc79e7346ed0575afdef39fcea346aeb9"},
		{"linux-arm64v8", "16.15.0", 13739912, "e66afbea65a143aa6cda8d5a56c2aea9985d1d9649dfb29ba487363844fd1f81"},
		{"linux-arm64v8", "17.11.0", 14010768, "3f389cec72930e0f0d6e917709593bbabcb417023c12d1f1eb7acc9ae7ab436c"},
		{"linux-arm64v8", "18.6.0", 14137620, "2eb24d67326da41a81064d116b0bce412dff543c835d6fcc1c099e4abcf18836"},
		{"darwin-amd64", "13.18.0", 21110268, "b922a37b4cf3519628d8830e48440968b43259dcd0f6b75f2d92e22931aceb57"},
		{"darwin-amd64", "14.22.0", 28203616, "fec75f85cf30bfcc7bebf451ee89e3a39780d2c96baa46fac2b9fc127d9d60ac"},
		{"darwin-amd64", "15.19.0", 61254340, "af7030facc4f147ffa44af198fa64e84d61a7db20e2fa7a78af19f69059fea3e"},
		{"darwin-amd64", "16.15.0", 61869504, "07f29aed5baae53962b0ab80c901763b490b5692cf6a730cb3ece6bf455567af"},
		{"darwin-amd64", "17.11.0", 62125880, "9debf1c40ca2cd7e71d101be421f8b170722222633960267fbfef7ce77b8b530"},
		{"darwin-amd64", "18.6.0", 71165492, "f4db5df0b13e3e72149c0547ccd1eee177cfe67accb8c296e8d0e46ef3601f01"},
		{"darwin-arm64v8", "14.23.0", 28194464, "a4511aac1975b1f5e26eddd6dc0dacd6aca61f266c16b472306726d49c63af7a"},
		{"darwin-arm64v8", "15.19.0", 61254340, "af7030facc4f147ffa44af198fa64e84d61a7db20e2fa7a78af19f69059fea3e"},
		{"darwin-arm64v8", "16.15.0", 61869504, "07f29aed5baae53962b0ab80c901763b490b5692cf6a730cb3ece6bf455567af"},
		{"darwin-arm64v8", "17.11.0", 62125880, "9debf1c40ca2cd7e71d101be421f8b170722222633960267fbfef7ce77b8b530"},
		{"darwin-arm64v8", "18.6.0", 71165492, "f4db5df0b13e3e72149c0547ccd1eee177cfe67accb8c296e8d0e46ef3601f01"},
	}
}
