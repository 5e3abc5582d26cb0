package binaries

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// Order asks for one archive. It is plain data, so that it can be given to another process.
type Order struct {
	Version    string // as the repository names it
	Directory  string // where the archive goes; empty before
	Repository string // empty: the library's own
}

// Download puts the archive of an order into its directory, and returns why it is not there.
//
// The work is done by the library embedded-postgres, which knows the repository and holds the download against the sum
// published beside it. Its only way in is Start, which would go on to unpack and run what came, before anyone could
// hold it against our own pins. So unpacking is made impossible: the place for it lies below a symbolic link to
// nowhere. To the library's first look there is nothing there, hence it downloads; when it then makes the directory,
// the link is in the way, and Start ends. Start therefore always fails, and what counts is whether the archive came.
//
// The library cannot be interrupted, may end the process, and leaves a file in the temporary directory: run this in a
// process of its own whose TMPDIR is the order's directory.
func Download(o Order) error {
	nowhere := filepath.Join(o.Directory, "nowhere")
	if err := os.Symlink("absent", nowhere); err != nil {
		return fmt.Errorf("prepare the download: %w", err)
	}
	config := embeddedpostgres.DefaultConfig().
		Version(embeddedpostgres.PostgresVersion(o.Version)).
		Port(0).
		CachePath(o.Directory).
		RuntimePath(filepath.Join(o.Directory, "runtime")).
		BinariesPath(filepath.Join(nowhere, "binaries")).
		Logger(io.Discard)
	if o.Repository != "" {
		config = config.BinaryRepositoryURL(strings.TrimRight(o.Repository, "/"))
	}
	err := embeddedpostgres.NewDatabase(config).Start()
	if _, missing := archive(o.Directory); missing == nil {
		return nil
	}
	if err == nil {
		err = errors.New("the library brought no archive")
	}
	return err
}

// archive is where the library put what it downloaded.
func archive(directory string) (string, error) {
	found, err := filepath.Glob(filepath.Join(directory, "*.txz"))
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%d archives in %s, want one", len(found), directory)
	}
	return found[0], nil
}

// explained turns what the library says into what a person can act on.
func explained(err error, r Release, repository string) error {
	if repository == "" {
		repository = "the repository of its binaries"
	}
	text := err.Error()
	switch {
	case strings.Contains(text, "unable to connect"), strings.Contains(text, "download sha256"):
		return fmt.Errorf("PostgreSQL %s is not in the cache yet and %s cannot be reached: "+
			"connect to the network once, or name a mirror in REALIOPS_PG_REPOSITORY", r.Version(), repository)
	case strings.Contains(text, "no version found"):
		return fmt.Errorf("%s has no PostgreSQL %s for %s, or does not give it out", repository, r.Version(), r.pin.platform)
	case strings.Contains(text, "checksums do not match"):
		return fmt.Errorf("the download of PostgreSQL %s does not have the checksum published beside it: "+
			"nothing was unpacked", r.Version())
	default:
		return fmt.Errorf("download PostgreSQL %s from %s: %w", r.Version(), repository, err)
	}
}
