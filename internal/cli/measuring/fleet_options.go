package measuring

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/reading"
	"github.com/realiops/realiops/internal/measure/account"
)

type fleetOptions struct {
	store   command.StoreOptions
	files   []string // of sysstat
	aws     bool
	account account.Options
	maxCost float64
	out     string
	size    reading.SizeOptions
	has     string
	top     int
}

// labelName matches the names that labels have in Prometheus.
var labelName = regexp.MustCompile(`^[a-zA-Z_]\w*$`)

// check rejects contradictory options.
func (o *fleetOptions) check(args []string, flags *pflag.FlagSet) error {
	switch {
	case command.CountGiven(o.store.URL != "", o.aws, len(args) > 0, len(o.files) > 0) != 1:
		return errors.New("name one source: --prometheus URL, --aws, files that sadf -j wrote, or a directory that " +
			"realiops fleet wrote")
	case len(args) > 1:
		return fmt.Errorf("%s was written by realiops fleet; name it alone", args[0])
	case len(args) > 0 && flags.Changed("for"):
		return fmt.Errorf("--for does not apply to %s, which was fetched already; leave it out", args[0])
	case len(args) > 0 && flags.Changed("max-cost"):
		return fmt.Errorf("--max-cost does not apply to %s, which needs no AWS calls; leave it out", args[0])
	case len(o.files) > 0 && flags.Changed("for"):
		return errors.New("--for does not apply to files, which are read whole")
	case len(args) > 0 && o.out != "":
		return errors.New("--dir is for a source's answers; name an existing directory alone")
	case !(o.size.Percentile >= 50 && o.size.Percentile <= 100):
		return fmt.Errorf("--percentile %g: want 50 to 100", o.size.Percentile)
	case !(o.size.Headroom >= 0 && o.size.Headroom <= 1e4):
		return fmt.Errorf("--headroom %g: want 0 to 10000", o.size.Headroom)
	case o.top < 1:
		return fmt.Errorf("--top %d: want 1 or more", o.top)
	case !(o.maxCost >= 0):
		return fmt.Errorf("--max-cost %g: want 0 or more", o.maxCost)
	}
	for label := range strings.SplitSeq(o.store.NameLabel, ",") {
		if o.store.NameLabel != "" && !labelName.MatchString(label) {
			return fmt.Errorf("--name-label %q: want labels separated by commas, such as cluster,instance",
				o.store.NameLabel)
		}
	}
	store := o.store
	if o.aws {
		store.Until = "" // shared by both
	}
	return store.Strayed()
}

// isDirectory reports whether name is a directory, as from realiops fleet. It leaves missing files to the reader.
func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
