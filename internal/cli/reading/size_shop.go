package reading

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// narrow keeps the volumes of one shop and sets the region for prices. --on decides; without it the machine class,
// then the run's server, then the region, then a price file: no order goes to another cloud unless --on names both.
func (o SizeOptions) narrow(ask *sizing.Ask, own []catalog.Price) error {
	if err := CheckRegion(o.Region, ask.Tariff.Regions()); err != nil && o.Region != "" {
		return err
	}
	keep := func(takes func(catalog.Volume) bool) {
		if len(o.on) == 0 {
			ask.Volumes = slices.DeleteFunc(slices.Clone(ask.Volumes), func(v catalog.Volume) bool { return !takes(v) })
		}
	}
	provider := catalog.ProviderOf(o.Instance)
	cloud := catalog.CloudOfRegion(o.Region, ask.Tariff.Prices)
	if other := catalog.RegionLike(o.Region); other != "" && len(o.on) == 0 && provider == "" {
		ask.Doubts = append(ask.Doubts, fmt.Sprintf("%s is a region of %s, and %s one of %s", o.Region, cloud.Title(),
			other, catalog.CloudOfRegion(other, nil).Title()))
	}
	if o.Region == "" && o.server.Cloud == nil {
		cloud = cloudOf(own)
	}
	cloud = cmp.Or(cloud, catalog.AWS)
	switch {
	case strings.EqualFold(catalog.Bare(o.Instance), "serverless"):
		keep(func(v catalog.Volume) bool { return v.Provider == "aurora" })
	case provider == "rds" || o.Instance == "" && o.Region == "" && o.onRDS():
		keep(managed)
	case provider != "":
		keep(func(v catalog.Volume) bool { return v.Provider == provider })
	default:
		keep(func(v catalog.Volume) bool { return v.Cloud() == cloud })
	}
	if o.Disks > 0 {
		keep(func(v catalog.Volume) bool { return !managed(v) })
	}
	if o.MultiAZ {
		keep(managed)
	}
	if err := o.contradicts(ask.Volumes, provider); err != nil {
		return err
	}
	ask.Tariff.Region = o.priced(*ask, cloud)
	ask.DefaultRegion = o.Region == "" && (o.server.Cloud == nil || o.server.Cloud.Region == "")
	if ask.DefaultRegion && o.server.Cloud != nil {
		ask.Doubts = append(ask.Doubts, fmt.Sprintf("The server's region is unknown, so these are the prices of %s: pass --region",
			ask.Tariff.Region))
	}
	asked := len(ask.Volumes)
	ask.Volumes = slices.DeleteFunc(slices.Clone(ask.Volumes), func(v catalog.Volume) bool {
		return !catalog.SoldIn(ask.Tariff.Region, v)
	})
	if asked > 0 && len(ask.Volumes) == 0 {
		return fmt.Errorf("nothing in --on is sold in %s", ask.Tariff.Region)
	}
	if provider == "ebs" && !slices.ContainsFunc(ask.Volumes, func(v catalog.Volume) bool {
		return v.Provider == "ebs"
	}) {
		ask.Instance = "db." + o.Instance
	}
	return nil
}

// cloudOf returns the cloud of all of the user's own prices; empty: several or none.
func cloudOf(own []catalog.Price) (cloud catalog.Cloud) {
	for _, p := range own {
		if of := catalog.CloudOfVolume(p.Volume); cloud != "" && of != cloud {
			return ""
		} else {
			cloud = of
		}
	}
	return cloud
}

// onRDS reports whether the run, or the metric, is of a server that AWS manages.
func (o SizeOptions) onRDS() bool {
	return slices.Contains([]string{"rds", "aurora"}, o.server.Flavor) ||
		slices.Contains([]string{"rds", "aurora"}, o.flavor)
}

// managed reports whether a volume is RDS's or Aurora's, which stripe automatically and have standbys.
func managed(v catalog.Volume) bool { return v.Provider == "rds" || v.Provider == "aurora" }

// contradicts rejects flags that exclude each other.
func (o SizeOptions) contradicts(volumes []catalog.Volume, provider string) error {
	anyVolume := func(is func(catalog.Volume) bool) bool { return slices.ContainsFunc(volumes, is) }
	cloud := catalog.CloudOfRegion(o.Region, nil)
	switch takes := func(v catalog.Volume) bool {
		return v.Provider == provider || v.Provider == "rds" && provider == "ebs" || v.Provider == "aurora" &&
			provider == "rds"
	}; {
	case len(volumes) == 0 && o.Disks > 0 && len(o.on) == 0:
		return errors.New("--disks: RDS and Aurora stripe by themselves; leave it out")
	case len(volumes) == 0 && o.MultiAZ && len(o.on) == 0:
		return fmt.Errorf("--multi-az is only for RDS, not for the %s", o.Instance)
	case provider != "" && len(o.on) > 0 && len(volumes) > 0 && !anyVolume(takes):
		return fmt.Errorf("--class %s is %s, to which nothing in --on can be attached", o.Instance,
			catalog.MachineOf(provider))
	case provider != "" && len(volumes) > 0 && !anyVolume(func(v catalog.Volume) bool {
		return takes(v) && catalog.Attaches(o.Instance, v)
	}):
		return fmt.Errorf("--class %s takes none of these volumes%s", o.Instance, withPremium(provider))
	case o.Region != "" && cloud != "" && len(volumes) > 0 && !anyVolume(func(v catalog.Volume) bool {
		return v.Cloud() == cloud
	}):
		other := volumes[0].Cloud()
		return fmt.Errorf("--region %s is a region of %s; name one of %s, such as %s", o.Region, cloud.Title(), other.Title(),
			other.Home())
	case o.Disks > 0 && anyVolume(managed):
		return errors.New("--disks: RDS and Aurora stripe by themselves; leave it out, or remove them from --on")
	case o.MultiAZ && anyVolume(func(v catalog.Volume) bool { return !managed(v) }):
		return errors.New("--multi-az: only RDS has a standby; leave it out, or name only rds with --on")
	}
	return nil
}

// withPremium says what an Azure size without premium disks lacks, or returns "".
func withPremium(provider string) string {
	if provider != "azure" {
		return ""
	}
	return "; Azure's sizes with Premium SSD and Ultra Disk have an s after the number, as in Standard_D8s_v5"
}

// priced returns the region for prices: the named one, the run's, a price file's, or the cloud's best-known.
func (o SizeOptions) priced(ask sizing.Ask, cloud catalog.Cloud) string {
	if o.Region != "" {
		return o.Region
	}
	if len(ask.Volumes) > 0 && !slices.ContainsFunc(ask.Volumes, func(v catalog.Volume) bool {
		return v.Cloud() == catalog.AWS
	}) {
		cloud = ask.Volumes[0].Cloud()
	}
	if of := o.server.Cloud; of != nil && of.Region != "" && cloud == catalog.AWS {
		return of.Region
	}
	if o.Prices != "" {
		return sizing.Tariff{Prices: ask.Tariff.Prices}.First(cloud)
	}
	return cloud.Home()
}
