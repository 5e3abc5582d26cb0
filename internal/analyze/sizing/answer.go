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
	Load          string  // whose load is like theirs; empty: the one that asked most of storage
	RowsPerSecond float64 // to scale to; 0: as measured
	Growth        float64 // percent on top
	Percentile    float64 // of the seconds of the load, that is sized for; 0: the 99th
	Headroom      float64 // percent
	GiB           float64 // of data
	Instance      string
	HardDisks     bool    // may be ordered
	MultiAZ       bool    // with a standby, on RDS
	Disks         int     // to stripe it over, exactly so many; 0: as many as cost least
	Hours         float64 // of a day that the need lasts; 0 or 24: all of it
	DefaultGiB    bool    // nobody said how much data there is
	DefaultRegion bool    // nobody said whose prices count
	Repeated      bool    // reads and writes were read apart, and are the same figures
	Repeat        int     // seconds that the demand goes on for, over and over
	Balance       Asked
	Calibrate     *counts.Run // on Aurora; nil: what was published stands
	Tariff        Tariff
	Volumes       []catalog.Volume
	Instances     []catalog.Instance
	Distributed   []catalog.Distributed
	Doubts        []string // about what was given beside the need, each a sentence without its full stop
}

// Sizing is the answer.
type Sizing struct {
	Ask Ask
	// what each run needs, or each load of an observation; what is sized for is the worst of them, number by number
	Parts    []Part
	Part     // the one that asks for most bytes; of an observation, that which does so on average
	Balance  Balance
	Target   Span // what storage must carry, before headroom
	Options  []Option
	Choice   *Choice          // nil: nothing is known to carry it
	Passing  *Passing         // what the machine must pass; nil: one was named that does, or nothing is known of it
	Machines []MachineCost    // of the class that was asked for; none: no price is known
	Omitted  []string         // what is not in the need
	Cautions []string         // about the need itself, for those who pay
	Aurora   *AuroraAnswer    // nil: rows or bytes of WAL are not known
	Misread  *Misread         // nil: WAL records are not known
	Spreads  []catalog.Spread // on distributed databases; none: rows are not known
	// the same for each volume of a server that has several; none: it has one, or of several runs
	Apart    []Apart
	Warnings []string
}

// Part is the need of one run, or of one load of an observation.
type Part struct {
	Run   *counts.Run  // nil: the need was said
	Needs []needs.Need // of every load
	Need  needs.Need   // that is sized for
	Basis string       // of its rate: p99 or as was asked, mean, model or said
	Scale Scale
	Own   Span // what it makes of the target
	// Above are the seconds that asked for more than is sized for, headroom included; nil: none are known.
	Above *Above
}

// Above are seconds that asked for more than is sized for.
type Above struct {
	Seconds int
	Worst   needs.Rate // each number by itself
}

// Misread is the order that would follow from taking WAL records for I/O.
type Misread struct {
	Records  float64  // a second
	Factor   float64  // of the requests that are sized for
	Cheapest *Option  // nil: nothing carries as much
	IOCost   *float64 // a month on Aurora, were each record billed; nil: no price is known
}

// What the rate that is sized for is, where it is no percentile of the seconds of the load, as p99.
const (
	ByMean  = "mean"
	ByModel = "model"
)

// BySaying is the basis of a need that was stated.
const BySaying = "said"

// Choice is the recommended order: the cheapest that carries the need.
type Choice struct {
	Option
	If     string  // what is not known and must hold for it; empty: it carries the need
	Next   *Option // the cheapest of another kind; nil: there is none
	Single *Option // the cheapest that is one volume, where the choice is a stripe; nil: no one volume carries it
	Also   []Also  // what carries it, too, and has no price that ranks it
	Turns  []Turn  // where another kind would be chosen
	Raised *Raised // nil: it is asked for all day, or nothing of the order is more than what comes with the size
}

// Also is an order that carries the need, and that may cost less: its price is not known.
type Also struct {
	Volume catalog.Volume
	Fitted
	Disks int
	Bill  *Bill // by an inferred price; nil: none is known
}

// Turn is the order for another need: the first of those tried whose order is of another kind.
type Turn struct {
	Load, Data float64 // times what was asked for
	Option     *Option // nil: nothing carries it
	HeldBack   bool    // by the machine that was named, where nothing carries it
}

// AuroraAnswer predicts the load's metrics and cost on Aurora.
type AuroraAnswer struct {
	Forecast Forecast
	IOCost   *[3]float64 // a month: at least, as estimated, at most; nil: no price is known
	// Bills are the whole cluster's, with each of these; nil: no class was asked for, or its price is not known.
	Bills *[3]Aurora
}

// MachineCost is the cost of the requested machine class without its storage.
type MachineCost struct {
	Class    string  `json:"class"`             // m5.large on EC2, db.m5.large on RDS
	Standby  bool    `json:"standby,omitempty"` // two of them, in two zones
	Hourly   float64 `json:"hourly"`
	Monthly  float64 `json:"monthly"`
	Currency string  `json:"currency"`
	Source   string  `json:"source"`
}

// Passing is the throughput that an order needs from its machine, and the smallest class that has it.
type Passing struct {
	IOPS  float64 `json:"iops"` // with headroom, as is MiBps
	MiBps float64 `json:"mibps"`
	Class string  `json:"class,omitempty"` // as its provider spells it; empty: see Known
	Known bool    `json:"known"`           // limits of such machines are known, and without Class none of them passes it
}

// Raised is gp3 that has what a batch needs only while it runs.
type Raised struct {
	Config
	Hours float64 // of a day that it stays raised
	Bill  Bill
}

// Apart is the order for one of a server's volumes.
type Apart struct {
	Volume
	Sizing *Sizing // nil: see Why
	Why    string  // there is nothing to order for
}

// Bursting is the course of a repeated demand on a volume with credits.
type Bursting struct {
	Order   Config
	Outcome burst.Outcome
	Limits  []burst.Limit // that it was played against, as they were at the start
	Bill    *Bill         // nil: no price is known
}

// Cap is the throughput of the machine class together with the volume.
type Cap struct {
	Class    string           `json:"class"`
	Instance catalog.Instance `json:"-"`
	Path                      // past any cache of the host, which is the way of all writes
	Carries  bool             `json:"carries"` // it does
	// while both have credits, which the machine has for half an hour a day at least; nil: it does not burst
	Burst  *Path `json:"burst"`
	Cached *Path `json:"cached"` // of reads that the host's cache answers; nil: the machine or the volume has none
}

// Path is the sustained throughput of one way to the volumes: for operations and for bytes, the lower of the
// volumes' sum and the machine's cap.
type Path struct {
	IOPS  float64 `json:"iops"`
	MiBps float64 `json:"mibps"`
	Binds string  `json:"binds"` // volume or instance
}

// Standing classifies an option by whether it carries a need.
type Standing string

// The standings, in the order in which options are told.
const (
	Carries Standing = "carries" // it does, and so does the machine in front of it where one was asked for
	// no limits of it are published, or none of the machine, or it is none of this machine's volumes
	Unknown  Standing = "unknown"
	HeldBack Standing = "held-back" // the machine lets too little by
	Unasked  Standing = "unasked"   // a hard disk, which nobody is advised to put a database on
	TooSmall Standing = "too-small" // at any size
)

// Requirement is the load that a volume must sustain, in the provider's own accounting.
type Requirement struct {
	GiB   float64
	IOPS  float64
	MiBps float64
}

// Binding is the part of a requirement that decides an order.
type Binding string

// What may decide an order.
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
		return q // credits come and go by the second
	}
	for _, rate := range s.Need.Seconds {
		q.Demand = append(q.Demand, s.Scale.Apply(rate).Most)
	}
	return q
}
