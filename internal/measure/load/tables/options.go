package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
)

// DefaultSteps is pgbench's default.
const DefaultSteps = "dtgvp"

// Method is how pgbench_accounts is partitioned, as in --partition-method.
type Method string

// The methods. Range is the default with partitions.
const (
	Range Method = "range"
	Hash  Method = "hash"
)

// Options holds the options of pgbench -i. The zero value holds its defaults.
type Options struct {
	Steps       string // -I; empty: DefaultSteps
	NoVacuum    bool   // -n: skips step v
	ForeignKeys bool   // appends step f if Steps lacks it

	Scale      int // -s; 0 is 1
	Fillfactor int // -F, in percent; 0 is 100

	Partitions                  int
	PartitionMethod             Method
	Tablespace, IndexTablespace string
	Unlogged                    bool

	Progress io.Writer // nil: no output
	Quiet    bool      // -q: a line every five seconds instead of every 100,000 rows
	Terminal bool      // each line overwrites the last
}

// completed fills in the defaults and validates the result.
func (o Options) completed() (Options, error) {
	o.Steps = cmp.Or(o.Steps, DefaultSteps)
	if o.NoVacuum {
		o.Steps = strings.ReplaceAll(o.Steps, "v", "")
	}
	if o.ForeignKeys && !strings.Contains(o.Steps, "f") {
		o.Steps += "f"
	}
	o.Scale = cmp.Or(o.Scale, 1)
	o.Fillfactor = cmp.Or(o.Fillfactor, maxFillfactor)
	if o.Partitions > 0 && o.PartitionMethod == "" {
		o.PartitionMethod = Range
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	return o, o.check()
}

// The server's bounds of a fillfactor, in percent.
const (
	minFillfactor = 10
	maxFillfactor = 100
)

func (o Options) check() error {
	switch {
	case o.Scale < 1:
		return fmt.Errorf("invalid scale %d: must be at least 1", o.Scale)
	case o.Fillfactor < minFillfactor || o.Fillfactor > maxFillfactor:
		return fmt.Errorf("invalid fillfactor %d: must be %d to %d", o.Fillfactor, minFillfactor, maxFillfactor)
	case o.Partitions < 0:
		return fmt.Errorf("invalid number of partitions %d: must not be negative", o.Partitions)
	case o.Partitions == 0 && o.PartitionMethod != "":
		return errors.New("a partition method requires a number of partitions greater than zero")
	case o.Partitions > 0 && o.PartitionMethod != Range && o.PartitionMethod != Hash:
		return fmt.Errorf("unknown partition method %q; use %s or %s", o.PartitionMethod, Range, Hash)
	}
	for _, letter := range o.Steps {
		if _, known := steps[letter]; !known && letter != ' ' {
			return fmt.Errorf("unknown initialization step %q; use d, t, g, G, v, p or f", letter)
		}
	}
	return nil
}
