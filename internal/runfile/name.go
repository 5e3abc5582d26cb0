package runfile

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/owner"
)

// Directory is the default directory of runs, in the working directory.
const Directory = "realiops-runs"

// Latest stands for the newest run in Directory wherever a run file is asked for.
const Latest = "LAST"

// NewID returns the id of a run: its start, and four letters so that two runs of one second differ.
func NewID(start time.Time) string {
	return start.UTC().Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:4])
}

// ours matches the ids of [NewID], of [Anonymizer], and of the published numbers that come with the program.
var ours = regexp.MustCompile(`^([0-9]{8}-[0-9]{6}-[a-z2-7]{4}|run-[0-9a-f]{12}|published-[a-z]+|loads-pg[0-9]+)$`)

// sharedID returns an id for shared copies of a run, which is the same for all of them and does not reveal it.
func sharedID(id string) string {
	if strings.HasPrefix(id, "run-") && ours.MatchString(id) {
		return id // of a copy
	}
	return fmt.Sprintf("run-%.6x", sha256.Sum256([]byte(id)))
}

// ShownID returns an id as reports show it, marked if realiops did not make it.
func ShownID(id string) string {
	if ours.MatchString(id) {
		return id
	}
	return id + " (an invalid id)"
}

// FileOf returns the default file name of a run, or "" if realiops did not make the id, so that nobody is told to type
// it.
func FileOf(id string) string {
	if !ours.MatchString(id) {
		return ""
	}
	return id + ending
}

// ending is the suffix of default file names, which are compressed.
const ending = ".jsonl.zst"

// DefaultPath returns the path of a run unless the user gives another.
func DefaultPath(id string) string { return filepath.Join(Directory, id+ending) }

// FileName returns a file name, without its ending, for any text; different texts have different names.
func FileName(of string) string {
	var name strings.Builder
	for i, b := range []byte(of) {
		if plain := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '.' &&
			i > 0; plain {
			name.WriteByte(b)
		} else {
			fmt.Fprintf(&name, "_%02x", b)
		}
	}
	const most = 150
	if name.Len() <= most {
		return name.String()
	}
	return fmt.Sprintf("%s_%x", name.String()[:most], sha256.Sum256([]byte(of)))
}

// Resolve turns what a user types into a path: LAST is the run in Directory that was written last, whatever its name,
// and all else is itself.
func Resolve(name string) (string, error) {
	if name == "" {
		return "", errors.New("the name of a run file is empty")
	}
	if name != Latest {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && strings.EqualFold(name, Latest) {
			return "", fmt.Errorf("there is no file %s; did you mean %s, the last run?", name, Latest)
		}
		return name, nil
	}
	if err := owner.Directory(Directory); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("look for the last run: %w; name the file instead of %s", err, Latest)
	}
	entries, err := os.ReadDir(Directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("look for the last run: %w", err)
	}
	var last string
	var written time.Time
	for _, e := range entries {
		if info, err := e.Info(); err == nil && isRun(info) && !info.ModTime().Before(written) {
			last, written = e.Name(), info.ModTime()
		}
	}
	if last == "" {
		return "", fmt.Errorf("no runs in ./%s yet; make one with realiops run, or name a file", Directory)
	}
	path := filepath.Join(Directory, last)
	if err := owner.File(path); err != nil {
		return "", fmt.Errorf("look for the last run: %w; name the file instead of %s", err, Latest)
	}
	return path, nil
}

func isRun(f fs.FileInfo) bool {
	name := strings.TrimSuffix(f.Name(), ".zst")
	return f.Mode().IsRegular() && strings.HasSuffix(name, ".jsonl")
}
