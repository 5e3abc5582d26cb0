package binaries

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/realiops/realiops/internal/measure/scratch"
	"github.com/realiops/realiops/internal/owner"
)

// Store keeps unpacked releases, one directory each, for all realiops processes of a user.
//
// A release is made in a staging directory beside its place and renamed when complete, under a lock: of two processes
// that miss the same release, one makes it and the other waits. A killed process's leftovers are cleared by the next.
type Store struct {
	Directory  string
	Repository string // empty: where they are published
	Notify     func(string)
	// Hold makes sure that a staging directory is removed if this process cannot. If nil, the next fetch removes it.
	Hold func(directory string) (drop func())
}

// staging begins the names of staging directories.
const staging = "realiops-fetch-"

// Bin returns the directory with the release's programs, and fetches them if necessary.
func (s Store) Bin(ctx context.Context, r Release) (string, error) {
	place := filepath.Join(s.Directory, r.name())
	if err := owner.Directory(s.Directory); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("refuse to run programs from the cache: %w; set XDG_CACHE_HOME to another directory", err)
	}
	if complete(filepath.Join(place, "bin")) {
		return filepath.Join(place, "bin"), nil
	}
	if err := os.MkdirAll(s.Directory, 0o755); err != nil {
		return "", fmt.Errorf("create the cache directory: %w; set XDG_CACHE_HOME to another directory", err)
	}
	unlock, err := s.lock(ctx, place+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if !complete(filepath.Join(place, "bin")) {
		err = s.make(ctx, r, place)
	}
	return filepath.Join(place, "bin"), err
}

// complete reports whether a directory holds a server's programs. It notices when cache cleaners removed some.
func complete(bin string) bool {
	for _, program := range []string{"initdb", "postgres"} {
		if info, err := os.Stat(filepath.Join(bin, program)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

func (s Store) lock(ctx context.Context, file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the cache: %w", err)
	}
	for tries := 0; ; tries++ {
		switch err := scratch.TryLock(f); {
		case err == nil:
			return func() { f.Close() }, nil
		case !errors.Is(err, scratch.ErrLocked):
			return nil, errors.Join(fmt.Errorf("lock the cache: %w", err), f.Close())
		case tries == 0:
			s.Notify("waiting for another realiops process to download PostgreSQL")
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), f.Close())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// make fetches and unpacks a release. The caller holds its lock.
func (s Store) make(ctx context.Context, r Release, place string) error {
	scratch.Sweep(s.Directory, staging, os.RemoveAll)
	if err := os.RemoveAll(place); err != nil {
		return fmt.Errorf("remove an incomplete download: %w", err)
	}
	directory, lock, err := scratch.Make(s.Directory, staging)
	if err != nil {
		return fmt.Errorf("prepare the cache: %w", err)
	}
	defer lock.Close()
	if s.Hold != nil {
		defer s.Hold(directory)()
	}
	defer os.RemoveAll(directory)
	file, err := os.Create(filepath.Join(directory, "jar"))
	if err != nil {
		return fmt.Errorf("prepare the cache: %w", err)
	}
	defer file.Close()
	s.Notify(fmt.Sprintf("downloading PostgreSQL %s (%d MB)", r.Version(), (r.pin.size+500_000)/1_000_000))
	if err := (download{s.Repository, r, patience, time.Second}).to(ctx, file); err != nil {
		return err
	}
	s.Notify("unpacking PostgreSQL " + r.Version())
	tree := filepath.Join(directory, "tree")
	if err := s.unpack(ctx, r, file, tree); err != nil {
		return err
	}
	if err := os.Rename(tree, place); err != nil {
		return fmt.Errorf("add PostgreSQL %s to the cache: %w", r.Version(), err)
	}
	return nil
}

func (s Store) unpack(ctx context.Context, r Release, file *os.File, tree string) error {
	archive, err := archiveIn(file)
	if err != nil {
		return fmt.Errorf("%s did not serve PostgreSQL %s (%w); is there a login page in between?",
			download{repository: s.Repository}.from(), r.Version(), err)
	}
	if err := checkPinned(archive, r); err != nil {
		return err
	}
	content, err := archive.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	if err := os.Mkdir(tree, 0o755); err != nil {
		return err
	}
	if err := unpack(ctx, content, tree); err != nil {
		return fmt.Errorf("unpack PostgreSQL %s into %s: %w", r.Version(), s.Directory, err)
	}
	if err := os.Chmod(tree, 0o755); err != nil {
		return err
	}
	return syncTree(tree)
}

// CacheDirectory returns the directory of a user's releases, in the account's cache directory. It finds the account
// even if the environment does not name it.
func CacheDirectory() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil && os.Getenv("XDG_CACHE_HOME") == "" {
		var me *user.User
		if me, err = user.Current(); err == nil {
			cache = filepath.Join(me.HomeDir, ".cache")
		}
	}
	if err != nil {
		return "", fmt.Errorf("find the cache directory: %w; set XDG_CACHE_HOME to one", err)
	}
	return filepath.Join(cache, "realiops", "postgres"), nil
}
