package fleet

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/runfile"
)

// columns returns the columns of a list of storage.
func columns() []string {
	return []string{"database", "volume", "gib", "iops", "mibps", "class", "region", "multi_az"}
}

// ReadHas parses a list of what databases have: CSV with a header, separated by commas, semicolons or tabs. The columns
// for name, volume (as in the catalog) and GiB are required; an empty cell is unknown.
func ReadHas(text []byte) (map[string]Has, error) {
	in := csv.NewReader(bytes.NewReader(text))
	in.Comma = input.Separator(text)
	in.TrimLeadingSpace = in.Comma != '\t' // a tab is itself space
	head, err := in.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file is empty")
	case err != nil:
		return nil, fmt.Errorf("its first line is not CSV: %w", err)
	}
	place := map[string]int{}
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(name))
		if !slices.Contains(columns(), name) {
			return nil, fmt.Errorf("unknown column %q; use %s", name, strings.Join(columns(), ", "))
		}
		if _, twice := place[name]; twice {
			return nil, fmt.Errorf("column %s appears twice", name)
		}
		place[name] = i
	}
	for _, name := range columns()[:3] {
		if _, ok := place[name]; !ok {
			return nil, fmt.Errorf("column %s is missing", name)
		}
	}
	all := map[string]Has{}
	for {
		line, err := in.Read()
		switch {
		case errors.Is(err, io.EOF) && len(all) == 0:
			return nil, errors.New("it has column names but no database")
		case errors.Is(err, io.EOF):
			return all, nil
		case errors.Is(err, csv.ErrFieldCount):
			n, _ := in.FieldPos(0)
			return nil, fmt.Errorf("line %d has %d fields, but the first line has %d columns", n, len(line), len(head))
		case err != nil:
			return nil, err
		}
		if err := add(all, line, place); err != nil {
			n, _ := in.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

func add(all map[string]Has, line []string, place map[string]int) error {
	text := func(column string) string {
		if i, ok := place[column]; ok {
			return strings.TrimSpace(line[i])
		}
		return ""
	}
	name := text("database")
	h := Has{Volume: text("volume"), Class: text("class"), Region: text("region")}
	if _, twice := all[name]; twice || name == "" {
		return fmt.Errorf("database %q appears twice or has no name", name)
	}
	for column, to := range map[string]*float64{"gib": &h.GiB, "iops": &h.IOPS, "mibps": &h.MiBps} {
		v, err := strconv.ParseFloat(cmp.Or(text(column), "0"), 64)
		switch {
		case strings.Contains(text(column), ","):
			return fmt.Errorf("%s %q; write the number without a comma, such as 1500 or 0.5", column, text(column))
		case err != nil || !(v >= 0 && v < 1e9):
			return fmt.Errorf("%s %q must be a number, at least 0 and below 1,000,000,000", column, text(column))
		}
		*to = v
	}
	var err error
	if h.MultiAZ, err = strconv.ParseBool(cmp.Or(text("multi_az"), "false")); err != nil {
		return fmt.Errorf("multi_az is %q; want true or false", text("multi_az"))
	}
	all[name] = h
	return nil
}

// HasOf returns the storage of an instance, as AWS describes it.
func HasOf(c runfile.Cloud) Has {
	h := Has{GiB: float64(c.SizeGiB), IOPS: float64(c.IOPS), MiBps: float64(c.ThroughputMiB), Class: c.Class,
		Region: c.Region, MultiAZ: c.MultiAZ}
	if c.Storage != "" {
		h.Volume = "rds-" + c.Storage
	}
	return h
}
