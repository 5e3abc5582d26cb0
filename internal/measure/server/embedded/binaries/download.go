package binaries

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/printable"
)

// published is Maven's central repository, where the zonky project publishes PostgreSQL's binaries.
const published = "https://repo1.maven.org/maven2"

// jarOverhead bounds the size of a repository's file beyond the archive in it. Some hundred bytes are usual.
const jarOverhead = 4 << 20

// patience is how long a server may be silent before the download fails.
const patience = 30 * time.Second

// download fetches a release's file from a repository. It retries after broken transfers and server errors, but not
// if the server does not answer or lacks the file.
type download struct {
	repository string // empty: published
	release    Release
	patience   time.Duration
	pause      time.Duration // before the second try, doubled before the third
}

func (d download) to(ctx context.Context, file *os.File) error {
	const tries = 3
	for try := 1; ; try++ {
		passing, err := d.once(ctx, file)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil || !passing || try == tries {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Duration(try) * d.pause):
		}
	}
}

// once tries once. passing means that another try may succeed.
func (d download) once(ctx context.Context, file *os.File) (passing bool, err error) {
	if err := errors.Join(file.Truncate(0), rewind(file)); err != nil {
		return false, fmt.Errorf("prepare the download: %w", err)
	}
	ctx, quiet := context.WithCancelCause(ctx)
	defer quiet(nil)
	alarm := time.AfterFunc(d.patience, func() {
		quiet(fmt.Errorf("no data from %s for %s", d.from(), printable.Duration(d.patience)))
	})
	defer alarm.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.address(), nil)
	if err != nil {
		return false, fmt.Errorf("invalid REALIOPS_PG_REPOSITORY: %s", d.from())
	}
	answer, err := http.DefaultClient.Do(request) // uses the proxy that the environment names
	if err != nil {
		return false, cmp.Or(context.Cause(ctx), d.unreachable(err))
	}
	defer answer.Body.Close()
	pin := d.release.pin
	switch {
	case answer.StatusCode >= http.StatusInternalServerError || answer.StatusCode == http.StatusTooManyRequests:
		return true, fmt.Errorf("%s answered %s; try again later, or set REALIOPS_PG_REPOSITORY to a mirror", d.from(),
			answer.Status)
	case answer.StatusCode != http.StatusOK:
		return false, fmt.Errorf("%s does not serve PostgreSQL %s for %s (%s)",
			d.from(), d.release.Version(), pin.platform, answer.Status)
	}
	most := pin.size + jarOverhead
	n := int64(0)
	if answer.ContentLength <= most {
		n, err = io.Copy(file, io.LimitReader(&watched{answer.Body, func() { alarm.Reset(d.patience) }}, most+1))
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return true, context.Cause(ctx)
	case max(n, answer.ContentLength) > most:
		return false, fmt.Errorf("%s sent more than the %d MB of PostgreSQL %s; nothing was unpacked",
			d.from(), (pin.size+500_000)/1_000_000, d.release.Version())
	case errors.Is(err, io.ErrUnexpectedEOF):
		return true, fmt.Errorf("download of PostgreSQL %s from %s was cut off after %s bytes",
			d.release.Version(), d.from(), printable.Count(n))
	case err != nil:
		return true, fmt.Errorf("download PostgreSQL %s from %s: %w", d.release.Version(), d.from(), err)
	}
	return false, nil
}

// watched is a reader that calls heard after each read.
type watched struct {
	io.Reader
	heard func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.heard()
	return n, err
}

// address returns the file's URL in a Maven repository.
func (d download) address() string {
	artifact := "embedded-postgres-binaries-" + d.release.pin.platform
	version := d.release.pin.version
	return strings.TrimRight(cmp.Or(d.repository, published), "/") +
		"/io/zonky/test/postgres/" + artifact + "/" + version + "/" + artifact + "-" + version + ".jar"
}

// from returns the repository for messages, without a password.
func (d download) from() string {
	if d.repository == "" {
		return "the repository of PostgreSQL binaries"
	}
	if u, err := url.Parse(d.repository); err == nil {
		return u.Redacted()
	}
	return "not a URL"
}

// unreachable adds a remedy to the error of a repository that does not answer.
func (d download) unreachable(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	err = cmp.Or(input.OutOfFiles(err), err)
	if _, ok := errors.AsType[*net.OpError](err); !ok {
		return fmt.Errorf("download PostgreSQL %s from %s: %w", d.release.Version(), d.from(), err)
	}
	return fmt.Errorf("PostgreSQL %s is not cached and %s is unreachable; connect to the network once, or set "+
		"REALIOPS_PG_REPOSITORY to a mirror", d.release.Version(), d.from())
}

func rewind(f *os.File) error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}

func archiveIn(file *os.File) (*zip.File, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	jar, err := zip.NewReader(file, info.Size())
	if err != nil {
		return nil, err
	}
	for _, f := range jar.File {
		if strings.HasSuffix(f.Name, ".txz") {
			return f, nil
		}
	}
	return nil, errors.New("no archive in the response")
}
