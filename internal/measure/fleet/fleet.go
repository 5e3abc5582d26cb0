// Package fleet writes a source's history of many databases, hour by hour, as one run file
// per database in one directory.
//
// A file appears when it is complete, so an interrupted command that is started again continues with the
// missing databases. It uses the original stretch of time, which a file beside the others records. Only a few
// databases are in memory at once.
package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Database is a database of a source, by a unique name.
type Database struct {
	Name   string
	Target runfile.Target
}

// Source keeps data on many databases.
type Source interface {
	// Hours returns the kept hours of some databases, in the same order.
	Hours(ctx context.Context, databases []Database, from, to time.Time) ([]history.Data, error)
	// AtOnce returns the best number of databases for one call.
	AtOnce() int
}

// ErrPartly says that the source marked an answer as incomplete. Its databases are left out,
// and asked for again next time.
var ErrPartly = errors.New("the source marked its answer as incomplete")

// Stretch is the requested stretch of time and its source.
type Stretch struct {
	Source string    `json:"source"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Unread []string  `json:"unread,omitempty"` // series that look like a database's and are not read
}

// Directory holds the files of a fleet.
type Directory struct {
	path string
	Stretch
}

// about is the file that describes the others.
const about = "fleet.json"

// ending is the suffix of run files.
const ending = ".jsonl.zst"

// Open creates the directory, or continues an existing one with its original stretch.
func Open(path string, asked Stretch) (Directory, error) {
	d := Directory{path, asked}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return d, fmt.Errorf("create the fleet directory: %w", err)
	}
	file := filepath.Join(path, about)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return d, d.begin()
	}
	if err != nil {
		return d, err
	}
	var begun Stretch
	if err := json.Unmarshal(text, &begun); err != nil {
		return d, fmt.Errorf("%s was not written by realiops fleet: %w", file, err)
	}
	switch {
	case begun.Source != asked.Source:
		return d, fmt.Errorf("%s holds what %s answered, not %s; name another directory with --dir", path, begun.Source,
			asked.Source)
	case begun.To.Sub(begun.From) != asked.To.Sub(asked.From):
		return d, fmt.Errorf("%s holds %s until %s, which is another length; name another directory with --dir", path,
			printable.Duration(begun.To.Sub(begun.From)), begun.To.Format(time.RFC3339))
	}
	d.Stretch = begun
	return d, nil
}

func (d Directory) begin() error {
	text, err := json.Marshal(d.Stretch)
	if err != nil {
		return err
	}
	part := filepath.Join(d.path, "."+about)
	if err := os.WriteFile(part, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("start the fleet: %w", err)
	}
	return os.Rename(part, filepath.Join(d.path, about))
}

// Asked returns the request behind a directory, or an empty one if its file is missing.
func Asked(path string) (s Stretch, err error) {
	text, err := os.ReadFile(filepath.Join(path, about))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return s, fmt.Errorf("read the fleet's description: %w", err)
	}
	return s, nil
}

// Files returns the run files of a directory, in order: those that a fleet writes, and unpacked ones.
func Files(path string) (all []string, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("read the fleet directory: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		isRun := strings.HasSuffix(name, ending) || strings.HasSuffix(name, strings.TrimSuffix(ending, ".zst"))
		if isRun && !strings.HasPrefix(name, ".") && e.Type().IsRegular() {
			all = append(all, filepath.Join(path, name))
		}
	}
	return all, nil
}

func (d Directory) file(name string) string {
	return filepath.Join(d.path, runfile.FileName(name)+ending)
}

// Missing returns the databases that have no file yet.
func (d Directory) Missing(all []Database) []Database {
	return slices.DeleteFunc(slices.Clone(all), func(database Database) bool {
		_, err := os.Stat(d.file(database.Name))
		return err == nil
	})
}

// Fetch asks a source for databases and writes a file for each, and reports the progress after each answer. It leaves
// out databases with incomplete answers, and returns their number.
func (d Directory) Fetch(ctx context.Context, source Source, head runfile.Run, all []Database,
	done func(n int)) (partly int, err error) {
	n := 0
	for chunk := range slices.Chunk(all, source.AtOnce()) {
		data, err := source.Hours(ctx, chunk, d.From, d.To)
		switch {
		case errors.Is(err, ErrPartly):
			partly += len(chunk)
			continue
		case err != nil:
			return partly, err
		}
		for i, database := range chunk {
			if err := d.keep(head, database, data[i]); err != nil {
				return partly, err
			}
		}
		n += len(chunk)
		done(n)
	}
	return partly, nil
}

// keep writes a database's file under a temporary name, and renames it when it is complete.
func (d Directory) keep(head runfile.Run, database Database, data history.Data) error {
	part := filepath.Join(d.path, "."+runfile.FileName(database.Name)+ending)
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) { // of an interrupted run
		return fmt.Errorf("remove a partial file: %w", err)
	}
	head.Observed, head.Target, head.Start = true, database.Target, d.From
	head.Plan = runfile.Plan{Name: runfile.FleetPlan, Loads: []runfile.Load{}}
	if err := history.WriteTo(part, head, data, d.To); err != nil {
		return err
	}
	return os.Rename(part, d.file(database.Name))
}
