package sizing

import (
	"time"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// Ask holds a user's choices for sizing a run.
type Ask struct {
	Load          string  // to size for; empty: the one with the largest need
	RowsPerSecond float64 // to scale to; 0: as measured
	Growth        float64 // percent on top
	Percentile    float64 // of the load's seconds, to size for; 0: the 99th
	Headroom      float64 // percent
	GiB           float64 // of data
	Instance      string
	HardDisks     bool    // may be ordered
	MultiAZ       bool    // with a standby, on RDS
	Disks         int     // exact number to stripe over; 0: the cheapest number
	Hours         float64 // per day that the need lasts; 0 or 24: all of it
	DefaultGiB    bool    // nobody gave the size of the data
	DefaultRegion bool    // nobody gave a region for prices
	Repeated      bool    // reads and writes were given separately, with equal figures
	Repeat        int     // seconds for which the demand is repeated
	Balance       Asked
	Calibrate     *counts.Run // on Aurora; nil: the published calibration
	Tariff        Tariff
	Volumes       []catalog.Volume
	Instances     []catalog.Instance
	Distributed   []catalog.Distributed
	Doubts        []string // about what was given besides the need, each a sentence without its full stop
}

// Sizing is the result of sizing runs.
type Sizing struct {
	Ask Ask
	// the need of each run, or of each load of an observation; the target is the maximum of each number
	Parts    []Part
	Part     // the part with the most bytes; of an observation, with the most on average
	Balance  Balance
	Target   Span // what storage must carry, before headroom
	Options  []Option
	Choice   *Choice          // nil: nothing is known to carry it
	Passing  *Passing         // what the machine must pass; nil: the requested one does, or nothing is known
	Machines []MachineCost    // of the requested class; none: no price is known
	Omitted  []string         // what the need does not include
	Cautions []string         // about the need itself, for those who pay
	Aurora   *AuroraAnswer    // nil: rows or bytes of WAL are unknown
	Misread  *Misread         // nil: WAL records are unknown
	Spreads  []catalog.Spread // on distributed databases; none: rows are unknown
	// by volume, if the server has several; none for several runs
	Apart    []Apart
	Warnings []string
}

// Part is the need of one run, or of one load of an observation.
type Part struct {
	Run   *counts.Run  // nil: the need was given
	Needs []needs.Need // of every load
	Need  needs.Need   // the one that is sized for
	Basis string       // of its rate: p99 or as requested, mean, model or said
	Scale Scale
	Own   Span // its part in the target
	// Above are the seconds above the rate that is sized for, headroom included; nil if none are known.
	Above *Above
}

// Above describes the seconds above the rate that is sized for.
type Above struct {
	Seconds int
	Worst   needs.Rate // maximum of each number
}

// Misread is the order that would follow from taking WAL records for I/O.
type Misread struct {
	Records  float64  // per second
	Factor   float64  // of the sized requests
	Cheapest *Option  // nil: nothing carries as much
	IOCost   *float64 // per month on Aurora, if each record was billed; nil: no price is known
}

// Bases of a rate that is no percentile of the load's seconds.
const (
	ByMean  = "mean"
	ByModel = "model"
)

// BySaying is the basis of a need that was given.
const BySaying = "said"

// Choice is the recommended order: the cheapest that carries the need.
type Choice struct {
	Option
	If     string  // unknown condition for it; empty: it carries the need
	Next   *Option // the cheapest of another kind; nil: there is none
	Single *Option // the cheapest single volume, if the choice is a stripe; nil: no single volume carries it
	Also   []Also  // others that carry it, without a price to rank them
	Turns  []Turn  // needs for which another kind would be chosen
	Raised *Raised // nil: the need lasts all day, or the order buys nothing beside the size
}

// Also is an order that carries the need and may be cheaper, since its price is unknown.
type Also struct {
	Volume catalog.Volume
	Fitted
	Disks int
	Bill  *Bill // by an inferred price; nil: none is known
}

// Turn is the order for another need: the nearest need tried with an order of another kind.
type Turn struct {
	Load, Data float64 // as multiples of the requested ones
	Option     *Option // nil: nothing carries it
	HeldBack   bool    // if nothing carries it: by the requested machine
}

// AuroraAnswer predicts the load's metrics and cost on Aurora.
type AuroraAnswer struct {
	Forecast Forecast
	IOCost   *[3]float64 // per month: at least, estimated, at most; nil: no price is known
	// Bills are the cluster's monthly costs for each IOCost; nil if no class was requested, or its price is unknown.
	Bills *[3]Aurora
}

// MachineCost is the cost of the requested machine class without its storage.
type MachineCost struct {
	Class    string  `json:"class"`             // m5.large on EC2, db.m5.large on RDS
	Standby  bool    `json:"standby,omitempty"` // two machines, in two zones
	Hourly   float64 `json:"hourly"`
	Monthly  float64 `json:"monthly"`
	Currency string  `json:"currency"`
	Source   string  `json:"source"`
}

// Passing is the throughput that an order needs from its machine, and the smallest class that has it.
type Passing struct {
	IOPS  float64 `json:"iops"` // with headroom, like MiBps
	MiBps float64 `json:"mibps"`
	Class string  `json:"class,omitempty"` // in its provider's spelling; empty: see Known
	Known bool    `json:"known"`           // limits of such machines are known; without Class none suffices
}

// Raised is gp3 whose performance is raised only while a batch runs.
type Raised struct {
	Config
	Hours float64 // per day, raised
	Bill  Bill
}

// Apart is the order for one of a server's volumes.
type Apart struct {
	Volume
	Sizing *Sizing // nil: see Why
	Why    string  // why there is nothing to order for
}

// Bursting simulates a repeated demand on a volume with credits.
type Bursting struct {
	Order   Config
	Outcome burst.Outcome
	Limits  []burst.Limit // simulated, as they were at the start
	Bill    *Bill         // nil: no price is known
}

// Cap is the throughput of the machine class together with the volume.
type Cap struct {
	Class    string           `json:"class"`
	Instance catalog.Instance `json:"-"`
	Path                      // without the host's cache, as for all writes
	Carries  bool             `json:"carries"` // whether it carries the need
	// while both have credits, which the machine has for at least half an hour a day; nil: it does not burst
	Burst  *Path `json:"burst"`
	Cached *Path `json:"cached"` // of reads from the host's cache; nil: the machine or the volume has none
}

// Path is the sustained throughput of one way to the volumes: for operations and for bytes, the lower of the volumes'
// sum and the machine's cap.
type Path struct {
	IOPS  float64 `json:"iops"`
	MiBps float64 `json:"mibps"`
	Binds string  `json:"binds"` // volume or instance
}

// Standing classifies an option by whether it carries a need.
type Standing string

// The standings, in the order in which options are listed.
const (
	Carries Standing = "carries" // it does, and so does the requested machine
	// no limits are published for it or for the machine, or the machine cannot have it
	Unknown  Standing = "unknown"
	HeldBack Standing = "held-back" // the machine passes too little
	Unasked  Standing = "unasked"   // a hard disk, which is not advisable for a database
	TooSmall Standing = "too-small" // at any size
)

// Requirement is the load that a volume must sustain, in the provider's own accounting.
type Requirement struct {
	GiB, IOPS, MiBps float64
}

// Binding is the part of a requirement that decides an order.
type Binding string

// The parts that may decide an order.
const (
	BySize       Binding = "size"
	ByOperations Binding = "operations"
	ByBytes      Binding = "bytes"
)

// Fitted is an order that carries a requirement.
type Fitted struct {
	Config
	Capacity Capacity
	Binding  Binding
}

func (s Sizing) question() Question {
	q := Question{
		Need: s.Target.Most, GiB: s.Ask.GiB, Headroom: s.Ask.Headroom, Instance: s.Ask.Instance,
		Repeat: s.Ask.Repeat, Balance: s.Balance, Log: s.Need.WALShare(), HardDisks: s.Ask.HardDisks,
		MultiAZ: s.Ask.MultiAZ, Disks: s.Ask.Disks,
	}
	if s.Ask.Disks == 0 {
		q.MostDisks = mostDisks
	}
	if p := s.Need.Peaks; p != nil && p.Length > time.Second {
		return q // credits change by the second
	}
	for _, rate := range s.Need.Seconds {
		q.Demand = append(q.Demand, s.Scale.Apply(rate).Most)
	}
	return q
}
