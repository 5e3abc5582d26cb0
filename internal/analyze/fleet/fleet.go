// Package fleet ranks many databases by money and by risk, given what each of them did hour by hour.
//
// Each database is a run file with periods, as internal/measure/fleet writes it. [Ask.Read] finds what one needed, what
// it has, what limits it, and what to order instead; a [Fleet] sorts them. They are read one at a time, and little is
// kept of each. Unknown values are reported, never taken for zero: such a database has no rank by money.
package fleet

import (
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// Schema names the JSON form of a [Fleet].
const Schema = "realiops.fleet/1"

// Ask holds the settings by which all databases are judged.
type Ask struct {
	Percentile float64 // of the hours, to order for
	Headroom   float64 // percent
	Region     string  // of databases without one
	Assumed    bool    // nobody gave that region
	Prices     []catalog.Price
	Volumes    []catalog.Volume
	Instances  []catalog.Instance
	Has        map[string]Has // by database; overrides its file
	Now        time.Time      // no forecast is before it
}

// Fleet holds all databases of a source.
type Fleet struct {
	Schema    string     `json:"schema"`
	From      time.Time  `json:"from"`
	To        time.Time  `json:"to"`
	Currency  string     `json:"currency"`
	Saves     Span       `json:"saves_a_month"`          // of all databases that would cost less
	AsOf      string     `json:"prices_as_of,omitempty"` // dates of its prices, oldest and newest
	Databases []Database `json:"databases"`              // by saving, unknown savings last
	Unread    []string   `json:"unread"`                 // files that are no run file of a database, with the reason
	// databases given by Ask.Has that the source does not have
	NotFound []string `json:"not_found"`
	// names of unread series in a store that look like those of databases
	Families []string `json:"unread_series"`
}

// Database is one database and the findings about it.
type Database struct {
	Name   string    `json:"database"`
	Kind   Kind      `json:"kind"`
	Class  string    `json:"class"`
	Region string    `json:"region"`
	From   time.Time `json:"from,omitzero"`
	To     time.Time `json:"to,omitzero"`
	Hours  int       `json:"hours"`
	Known  int       `json:"known_hours"`
	// KnownUntil is the end of the last known hour.
	KnownUntil time.Time `json:"known_until,omitzero"`
	Need       *Need     `json:"need"`          // nil: see Lacks
	Has        *Storage  `json:"has"`           // nil: see Lacks
	Order      *Storage  `json:"order"`         // nil: the present storage stays, or see Lacks
	Saves      *Span     `json:"saves_a_month"` // below 0: it costs more; nil: unknown
	// ClassUnknown reports that the limits of its machine are unknown: Order and Saves assume that they suffice.
	ClassUnknown bool `json:"-"` // in Lacks
	// Doubted reports that the source itself doubts what it did: as where a disk was missing at times.
	Doubted bool `json:"-"` // why is in Lacks
	// RegionAssumed reports that nobody gave its region, and CutOff that its file has no end.
	RegionAssumed, CutOff bool `json:"-"` // in Notes
	// AsOf has the dates of the prices in all its amounts, oldest and newest.
	AsOf   string   `json:"prices_as_of,omitempty"`
	Aurora *Aurora  `json:"aurora"` // nil: not Aurora
	Risk   Risk     `json:"risk"`
	Lacks  []string `json:"missing"` // what is unknown, and how to get it
	Notes  []string `json:"notes"`
	// Daily is the highest hour of each day, in requests per second; for Aurora the billed operations per second of
	// each whole day. Unknown days are NaN.
	Daily []float64 `json:"daily"`
}

// Page is a database with its hours.
type Page struct {
	Database
	work work
}

// Kind is the service that runs a database.
type Kind string

// The kinds.
const (
	RDS     Kind = "rds"
	Cluster Kind = "aurora"
	Machine Kind = "machine" // run by its users
)

// Span is an amount with its bounds.
type Span struct {
	Value   float64 `json:"value"`
	Lowest  float64 `json:"lowest"`
	Highest float64 `json:"highest"`
}

// Rate is a needs.Rate, or a capacity, in the units of limits.
type Rate struct {
	Requests float64 `json:"requests"`
	MiBps    float64 `json:"mibps"`
}

// Need is a database's demand on its storage, each number separately.
type Need struct {
	Typical   Rate      `json:"typical"` // the median hour
	WorstHour Rate      `json:"worst_hour"`
	WorstAt   time.Time `json:"worst_hour_at"` // by requests
	WorstDay  *Rate     `json:"worst_day"`     // nil: no day has enough known hours
	// The rates to order for: Least by the means of hours; Most by the highest minutes in them, as if those of reads
	// and writes coincided. Most is nil if only means are known.
	Least Rate  `json:"sized_least"`
	Most  *Rate `json:"sized_most"`
}

// Storage is a volume that a database has, or that is to be ordered.
type Storage struct {
	Volume  string   `json:"volume"`
	Title   string   `json:"title"`
	GiB     float64  `json:"gib"`
	IOPS    float64  `json:"iops"`    // bought beside the size; 0: none
	MiBps   float64  `json:"mibps"`   // bought beside the size
	Carries Rate     `json:"carries"` // sustained, with its machine
	Monthly *float64 `json:"monthly"` // nil: no price is known
}

// Aurora is a cluster's monthly cost.
type Aurora struct {
	Now       string  `json:"now"`     // aurora, aurora-iopt1; empty: unknown
	Cheaper   string  `json:"cheaper"` // aurora, aurora-iopt1; empty: cannot be told
	Sure      bool    `json:"sure"`
	Standard  float64 `json:"standard"`
	Optimized float64 `json:"io_optimized"`
}

// Has is the user's description of a database's storage.
type Has struct {
	Volume        string  // as in the catalog
	GiB           float64 // 0: unknown
	IOPS          float64 // bought beside the size; 0: the default amount, if any
	MiBps         float64
	Class, Region string
	MultiAZ       bool
}

func (d *Database) lack(format string, values ...any) {
	d.Lacks = append(d.Lacks, fmt.Sprintf(format, values...))
}

// withhold removes an order, and what only complete hours can show.
func (d *Database) withhold(why string) {
	d.Order, d.Saves = nil, nil
	if d.Risk.Level == None {
		d.Risk.Level = NotKnown
	}
	d.lack("no order: %s", why)
}

func (d *Database) note(format string, values ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, values...))
}

func (a Ask) tariff(region string) sizing.Tariff {
	return sizing.Tariff{Region: region, Prices: a.Prices}
}

// Risk grades how close a database is to being limited by its storage.
type Risk struct {
	Level Level   `json:"level"`
	Uses  float64 `json:"uses"`  // the highest hour as a share of what volume and machine sustain
	By    string  `json:"by"`    // operations or bytes
	Of    string  `json:"of"`    // volume or instance, whichever is lower
	Hours int     `json:"hours"` // at 95% of it or more
	// Credits is the emptiest bucket; nil if there is none.
	Credits *Credits `json:"credits"`
}

// Level is a level of risk.
type Level string

// The levels, the most severe first.
const (
	Exhausted Level = "out of credits"
	Throttled Level = "at its limit"
	Ending    Level = "credits end"
	Near      Level = "near its limit"
	None      Level = "none"
	NotKnown  Level = "not known"
)

func levels() []Level { return []Level{Exhausted, Throttled, Ending, Near, None, NotKnown} }

// Credits is the balance of a volume's bucket or of its machine's.
type Credits struct {
	// BurstBalance, EBSIOBalance%, EBSByteBalance%; empty: simulated by the provider's rule, from a full bucket
	Metric string  `json:"metric"`
	Now    float64 `json:"now"` // percent, in the last known hour
	Lowest float64 `json:"lowest"`
	Hours  int     `json:"hours_without"` // with an empty bucket
	// Ends is when the bucket will be empty if the next weeks are like the last seven days, and Early if demand is
	// higher by the headroom; nil: not within 31 days.
	Ends  *time.Time `json:"ends"`
	Early *time.Time `json:"ends_early"`
	// Ended: by the same forecast it has emptied since the last known hour.
	Ended bool `json:"ended_since"`
}
