package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/fio"
)

// chooseJobs takes those of the set or the file that were asked for.
func (m *baselineRun) chooseJobs(ctx context.Context) error {
	o := m.options
	settings := fio.Settings{Size: int64(o.size), Runtime: cmp.Or(o.until, o.runtime), Direct: m.place.Direct}
	if err := m.takeSet(ctx, settings); err != nil {
		return err
	}
	only := o.only
	if o.until != 0 && len(only) == 0 && len(m.jobs) > 1 {
		only = []string{m.bursting()}
	}
	if err := m.keepOnly(only); err != nil {
		return err
	}
	if o.until != 0 && len(m.jobs) != 1 {
		return fmt.Errorf("--until-throttled goes on with one job: name it with --only, of %s", strings.Join(m.names(), ", "))
	}
	if o.buffered {
		m.jobs = append(m.jobs, fio.AsDD(fio.Settings{Size: settings.Size, Runtime: cmp.Or(o.runtime, m.jobs[0].Runtime)}))
	}
	return nil
}

func (m *baselineRun) takeSet(ctx context.Context, settings fio.Settings) error {
	o := m.options
	m.set = o.set
	switch {
	case o.job != "":
		text, err := input.Read(ctx, o.job)
		if err != nil {
			return fmt.Errorf("read the jobs: %w", err)
		}
		m.set = filepath.Base(o.job)
		if m.jobs, err = fio.ReadFile(bytes.NewReader(text), m.dir, settings); err != nil {
			return fmt.Errorf("%s: %w", o.job, err)
		}
	case o.set == fio.SetPublished:
		m.jobs = fio.Published(settings)
	default:
		m.jobs = fio.Database(settings)
	}
	return nil
}

// bursting is the job of a set that empties a bucket of operations.
func (m *baselineRun) bursting() string {
	if m.options.set == fio.SetPublished {
		return "hub-random-8k"
	}
	return "random-write"
}

func (m *baselineRun) keepOnly(names []string) error {
	for _, name := range names {
		if !slices.Contains(m.names(), name) {
			return fmt.Errorf("--only %s: there are %s", name, strings.Join(m.names(), ", "))
		}
	}
	if len(names) > 0 {
		m.jobs = slices.DeleteFunc(m.jobs, func(j fio.Job) bool { return !slices.Contains(names, j.Name) })
	}
	return nil
}

func (m *baselineRun) names() []string {
	var names []string
	for _, j := range m.jobs {
		names = append(names, j.Name)
	}
	return names
}
