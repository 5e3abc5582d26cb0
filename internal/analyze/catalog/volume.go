package catalog

import (
	_ "embed"
	"slices"
)

// Volume is a kind of storage as its provider sells it.
type Volume struct {
	Name     string     `json:"name"`
	Provider string     `json:"provider"` // ebs, rds, azure, google
	Title    string     `json:"title"`
	GiB      [2]float64 `json:"gib"`      // least and most
	UnitKiB  float64    `json:"unit_kib"` // the most bytes that count as one operation
	Merges   bool       `json:"merges"`   // sequential operations count as one, up to the unit
	// an operation is charged a whole unit of bytes, however small
	HardDisk    bool   `json:"hard_disk,omitempty"`
	SoldInSteps bool   `json:"sold_in_steps,omitempty"`
	Tiers       []Tier `json:"tiers"` // by size, each up to the next one's
	// a machine may cache it, with separate caps for cached operations
	HostCache bool `json:"host_cache,omitempty"`
	// bytes per second are published and sold in MB of 10^6, not MiB
	InMB       bool     `json:"in_mb,omitempty"`
	Unlimited  bool     `json:"unlimited,omitempty"` // no limits are published, and it is priced by use
	PricedAs   string   `json:"priced_as,omitempty"` // the volume whose prices it has; empty: its own
	Note       string   `json:"note,omitempty"`
	Unverified string   `json:"unverified,omitempty"` // what could not be confirmed
	Sources    []string `json:"sources"`
}

// Tier holds the limits of a volume from a size on.
type Tier struct {
	Name    string  `json:"name,omitempty"` // if sizes have names
	FromGiB float64 `json:"from_gib"`
	Volumes int     `json:"volumes"` // that it is striped over
	IOPS    Rule    `json:"iops"`
	MiBps   Rule    `json:"mibps"`
	Note    string  `json:"note,omitempty"`
}

// Rule computes a volume's limit of operations or MiB per second. The sustained limit is Free + PerGiB x size, between
// Least and Most, or follows from the operations; more may be bought, or allowed for a while.
type Rule struct {
	Free   float64 `json:"free,omitempty"`
	PerGiB float64 `json:"per_gib,omitempty"`
	Least  float64 `json:"least,omitempty"`
	Most   float64 `json:"most,omitempty"` // 0: no bound

	PerIOPS float64      `json:"per_iops,omitempty"` // comes with each operation bought
	ByIOPS  [][2]float64 `json:"by_iops,omitempty"`  // the same as a line through points

	SoldLeast   float64 `json:"sold_least,omitempty"`
	SoldMost    float64 `json:"sold_most,omitempty"` // 0: nothing is sold beside the size
	SoldPerGiB  float64 `json:"sold_per_gib,omitempty"`
	SoldPerIOPS float64 `json:"sold_per_iops,omitempty"`

	SoldLeastPerGiB float64 `json:"sold_least_per_gib,omitempty"` // at least SoldLeast

	Burst         float64 `json:"burst,omitempty"`
	BurstPerGiB   float64 `json:"burst_per_gib,omitempty"`
	BurstMost     float64 `json:"burst_most,omitempty"`
	Credits       float64 `json:"credits,omitempty"` // operations or MiB
	CreditsPerGiB float64 `json:"credits_per_gib,omitempty"`
}

//go:embed volumes.json
var volumesFile []byte

//go:embed distributed.json
var distributedFile []byte

// Volumes returns all kinds of storage, by provider. Bytes per second are in MiB, even if published in MB.
func Volumes() []Volume {
	all := decode[Volume](volumesFile)
	for _, v := range all {
		for i := range v.Tiers {
			v.Tiers[i].MiBps.scale(v.Step())
		}
	}
	return all
}

// Step returns the smallest unit of throughput sold, in MiB per second: one, or one MB of 10^6.
func (v Volume) Step() float64 {
	if v.InMB {
		return 1e6 / (1 << 20)
	}
	return 1
}

// scale multiplies all amounts of a rule; amounts per operation or per GiB scale likewise.
func (r *Rule) scale(by float64) {
	for _, amount := range []*float64{
		&r.Free, &r.PerGiB, &r.Least, &r.Most, &r.PerIOPS, &r.SoldLeast, &r.SoldMost, &r.SoldPerGiB, &r.SoldPerIOPS,
		&r.SoldLeastPerGiB,
		&r.Burst, &r.BurstPerGiB, &r.BurstMost, &r.Credits, &r.CreditsPerGiB,
	} {
		*amount *= by
	}
	for i := range r.ByIOPS {
		r.ByIOPS[i][1] *= by
	}
}

// DistributedRules returns the published rules of thumb for databases that spread rows over nodes.
func DistributedRules() []Distributed { return decode[Distributed](distributedFile) }

// Tier returns the tier of a size, which must be one of the volume's.
func (v Volume) Tier(gib float64) (Tier, bool) {
	for _, t := range slices.Backward(v.Tiers) {
		if gib >= t.FromGiB && gib <= v.GiB[1] {
			return t, true
		}
	}
	return Tier{}, false
}

// MostIOPS returns the operations per second of the largest volume that a provider sells; 0 if none is known.
func MostIOPS(provider string) (most float64) {
	for _, v := range Volumes() {
		for _, t := range v.Tiers {
			if v.Provider == provider {
				most = max(most, t.IOPS.Free, t.IOPS.Most, t.IOPS.SoldMost)
			}
		}
	}
	return most
}

// Distributed holds the published figures about the disks of a database that spreads rows over nodes.
type Distributed struct {
	Name           string      `json:"name"`
	Title          string      `json:"title"`
	InsertsPerCore *[2]float64 `json:"inserts_per_core,omitempty"` // per second: least and most measured
	IOPSPerInsert  *[2]float64 `json:"iops_per_insert,omitempty"`  // of all disks, with all copies
	IOPSPerVCPU    float64     `json:"iops_per_vcpu,omitempty"`    // to be provisioned; 0: no such rule
	MBPerVCPU      float64     `json:"mb_per_vcpu,omitempty"`
	Copies         float64     `json:"copies,omitempty"` // of each row, by default
	Note           string      `json:"note"`
	Sources        []string    `json:"sources"`
}

// Spread is a load's demand on a database that spreads rows over nodes, by a published rule of thumb.
type Spread struct {
	Name    string      `json:"name"`
	Title   string      `json:"title"`
	Rows    float64     `json:"rows"`     // per second
	Cores   *[2]float64 `json:"cores"`    // of all nodes, at least and at most; nil: no rule, as for the others
	IOPS    *[2]float64 `json:"iops"`     // of all disks, with all copies
	VCPUs   *float64    `json:"vcpus"`    // at least, for disks that take all copies of what was written here
	PerVCPU *[2]float64 `json:"per_vcpu"` // operations and MB per second to provision
	Note    string      `json:"note"`
	Sources []string    `json:"sources"` // keys
}

// Spread returns the demand of rows per second: at least, estimated, and at most.
func (d Distributed) Spread(least, rows, most float64) Spread {
	spread := Spread{Name: d.Name, Title: d.Title, Rows: rows, Note: d.Note, Sources: d.Sources}
	if per := d.InsertsPerCore; per != nil {
		spread.Cores = &[2]float64{least / per[1], most / per[0]}
	}
	if per := d.IOPSPerInsert; per != nil {
		spread.IOPS = &[2]float64{least * per[0], most * per[1]}
	}
	if d.IOPSPerVCPU > 0 {
		spread.PerVCPU = &[2]float64{d.IOPSPerVCPU, d.MBPerVCPU}
	}
	return spread
}
