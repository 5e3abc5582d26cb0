package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/input"
)

// check rejects values that no load, disk or price can have.
func (o SizeOptions) check() error {
	for _, f := range []struct {
		flag               string
		value, least, most float64
	}{
		{"--rows-per-second", o.RowsPerSecond, 0, 1e12},
		{"--growth", o.Growth, -99.9, 1e6},
		{"--percentile", o.Percentile, 50, 100},
		{"--headroom", o.Headroom, 0, 1e4},
		{"--gib", o.GiB, 1, command.MostGiB},
		{"--disks", float64(o.Disks), 0, 64},
		{"--repeat, in hours,", o.repeat.Hours(), 0, 24 * 366},
	} {
		if !(f.value >= f.least && f.value <= f.most) { // also NaN
			return fmt.Errorf("%s %s: want %s to %s", f.flag, number.Stated(f.value), number.Stated(f.least),
				number.Stated(f.most))
		}
	}
	return nil
}

// Asked combines flags and catalog.
func (o SizeOptions) Asked(ctx context.Context) (sizing.Ask, error) {
	instances, errInstances := o.readLimits(ctx)
	known := catalog.Prices()
	own, errOwn := ownPrices(ctx, o.Prices)
	ask := o.Ask
	ask.Repeat, ask.Instances, ask.Doubts = int(o.repeat.Seconds()), instances, catalog.Doubts(own, known)
	ask.Tariff = sizing.Tariff{Region: o.Region, Prices: catalog.Override(own, known)}
	if err := errors.Join(errInstances, errOwn); err != nil {
		return ask, err
	}
	if err := errors.Join(o.choose(&ask), checkClass(o.Instance, instances)); err != nil {
		return ask, err
	}
	if o.Everywhere {
		return ask, nil
	}
	return ask, o.narrow(&ask, own)
}

// choose selects the requested kinds of storage, by provider or name, or all.
func (o *SizeOptions) choose(ask *sizing.Ask) error {
	o.on = slices.Clone(o.on)
	for i, name := range o.on {
		o.on[i] = strings.ToLower(strings.TrimSpace(name))
	}
	for _, v := range catalog.Volumes() {
		if len(o.on) == 0 || slices.Contains(o.on, v.Provider) || slices.Contains(o.on, v.Name) {
			ask.Volumes = append(ask.Volumes, v)
		}
		ask.HardDisks = ask.HardDisks || v.HardDisk && slices.Contains(o.on, v.Name)
	}
	for _, r := range catalog.DistributedRules() {
		if len(o.on) == 0 || slices.Contains(o.on, r.Name) {
			ask.Distributed = append(ask.Distributed, r)
		}
	}
	known := StorageNames()
	for _, name := range o.on {
		if !slices.Contains(known, name) {
			if services := clouds[name]; services != "" {
				return fmt.Errorf("--on %q is a cloud; use %s", name, services)
			}
			return fmt.Errorf("--on %q: want one of %s%s", name, strings.Join(known, ", "), command.Meant("", name, known))
		}
	}
	return nil
}

// clouds maps names of clouds, which --on does not accept, to the providers of their storage.
var clouds = map[string]string{"aws": "ebs, rds or aurora", "gcp": "google"}

// StorageNames returns the names that --on accepts.
func StorageNames() (names []string) {
	for _, v := range catalog.Volumes() {
		names = append(names, v.Provider, v.Name)
	}
	for _, r := range catalog.DistributedRules() {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// classes matches AWS's and Azure's names of machine classes.
var classes = regexp.MustCompile(
	`(?i)^(db\.)?(serverless|[a-z][a-z0-9-]*\.(nano|micro|small|medium|(\d*x)?large|metal)[a-z0-9.-]*|(standard_)?[a-z]+\d+[a-z0-9_-]*)$`)

// families matches AWS's and Google's names of class families, and some of Azure's classes.
var families = regexp.MustCompile(`(?i)^(db\.)?[a-z]{1,4}\d[a-z]{0,5}$`)

// CheckRegion rejects a name that is not a cloud's region and has no prices.
func CheckRegion(region string, priced []string) error {
	known := slices.Clone(priced)
	for _, c := range []catalog.Cloud{catalog.AWS, catalog.Azure, catalog.Google} {
		known = append(known, c.Regions()...)
	}
	if slices.Contains(known, region) {
		return nil
	}
	return fmt.Errorf("unknown region %s%s (for a new one, pass its prices with --price)", region, command.Meant("",
		region, known))
}

// checkClass rejects an impossible machine class, but accepts one with unknown limits. A family without a size is
// rejected, because it could be another cloud's class.
func checkClass(class string, known []catalog.Instance) error {
	var names []string
	for _, m := range known {
		names = append(names, strings.TrimPrefix(m.Class, "Standard_"))
	}
	bare := catalog.Bare(class)
	short := families.MatchString(class)
	for _, m := range known {
		if short && m.Provider != "azure" && strings.EqualFold(m.Family(), bare) {
			return fmt.Errorf("--class %s is a family; name a class, such as %s%s.large", class, class[:len(class)-len(bare)],
				bare)
		}
	}
	switch is := func(name string) bool { return strings.EqualFold(name, bare) }; {
	case class == "" || classes.MatchString(class) && (!short || slices.ContainsFunc(names, is)):
		return nil
	case classes.MatchString(class):
		return fmt.Errorf("--class %s is unknown%s (AWS's classes have a size, such as m7g.large; Azure's begin with "+
			"Standard_)", class, command.Meant("", bare, names))
	}
	return fmt.Errorf("--class %s is not a machine class%s", class, command.Meant("", bare, names))
}

// ReadPrices returns the prices of a file, then the program's own, and doubts about the file's.
func ReadPrices(ctx context.Context, file string) (prices []catalog.Price, doubts []string, err error) {
	known := catalog.Prices()
	own, err := ownPrices(ctx, file)
	return catalog.Override(own, known), catalog.Doubts(own, known), err
}

// HomeRegion returns AWS's default region for prices: the one of a price file, whose
// prices precede the program's own.
func HomeRegion(file string, prices []catalog.Price) string {
	if file == "" {
		return command.DefaultRegion
	}
	return sizing.Tariff{Prices: prices}.First(catalog.AWS)
}

// ownPrices returns the prices of a file, or none without one.
func ownPrices(ctx context.Context, file string) ([]catalog.Price, error) {
	if file == "" {
		return nil, nil
	}
	text, err := input.Read(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("read the prices: %w", err)
	}
	own, err := catalog.ReadPrices(bytes.NewReader(text))
	return own, command.Naming(file, err)
}

// readLimits returns the limits of a file, then the program's own.
func (o SizeOptions) readLimits(ctx context.Context) ([]catalog.Instance, error) {
	known := catalog.Instances()
	if o.Limits == "" {
		return known, nil
	}
	text, err := input.Read(ctx, o.Limits)
	if err != nil {
		return nil, fmt.Errorf("read the limits: %w", err)
	}
	own, err := catalog.ReadLimits(bytes.NewReader(text))
	return catalog.Before(own, known), command.Naming(o.Limits, err)
}

// readCalibration reads the run on Aurora, if one was named.
func (o *SizeOptions) readCalibration(env command.Env) (err error) {
	if o.calibrate != "" {
		o.Calibrate, err = command.NamedRun(env, o.calibrate, tally.WithoutLatencies)
	}
	return err
}

// suggesting adds the nearest known name to an error.
func suggesting(err error) error {
	if unknown, ok := errors.AsType[*sizing.UnknownLoad](err); ok {
		return fmt.Errorf("%w; it has %s", err, strings.Join(unknown.Known, ", "))
	}
	return err
}
