package catalog

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
