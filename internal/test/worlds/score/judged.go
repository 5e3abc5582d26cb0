package score

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/worlds"
)

// Method is the method to judge.
type Method func(*counts.Run) attribution.Verdicts

// Judged judges the run of a world, and returns a case for each meter. It leaves the run file in the directory; without
// one, it judges the records directly.
func Judged(method Method, world worlds.World, directory string) ([]Case, error) {
	path := filepath.Join(directory, fmt.Sprintf("world-%d.jsonl", world.Seed))
	var run *counts.Run
	var err error
	if directory == "" {
		run, err = Read(world.Records())
	} else if err = save(path, world.Records()); err == nil {
		run, err = read(path)
	}
	if err != nil {
		return nil, err
	}
	said := verdicts(method, run)
	var cases []Case
	for _, m := range world.Meters {
		verdict, found := said[m.Name]
		if !found {
			return nil, fmt.Errorf("%s: nothing was said of %s", path, m.Name)
		}
		cases = append(cases, Case{world, m, verdict, map[[2]metric.Quantity]bool{}})
	}
	return cases, nil
}

// verdicts returns a method's verdicts, by metric.
func verdicts(method Method, run *counts.Run) map[string]attribution.Verdict {
	said := map[string]attribution.Verdict{}
	for _, v := range method(run).Metrics {
		said[v.Metric.Name] = v
	}
	return said
}

// Read reads records as if from a file.
func Read(records []runfile.Record) (*counts.Run, error) {
	return tally.FromRun(func(yield func(runfile.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	})
}

func save(path string, records []runfile.Record) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	w, err := runfile.Create(path)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return w.Close()
}

func read(path string) (*counts.Run, error) {
	records, file, err := runfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return tally.FromRun(records)
}
