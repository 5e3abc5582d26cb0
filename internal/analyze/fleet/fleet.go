// Package fleet ranks many databases by money and by risk, from what each of them did hour by hour.
//
// Each is a run file with periods, as internal/measure/fleet writes it. [Ask.Read] says of one what it needed, what it
// has, what is in the way, and what to order instead; a [Fleet] has them in order. They are read one after the other,
// and what is kept of each is small. What is not known of one is said, and never taken for nothing: such a database has
// no rank by money.
package fleet

import (
	"fmt"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// Schema names the JSON that a [Fleet] is written as.
const Schema = "realiops.fleet/1"

// Ask holds the settings by which all databases are judged.
type Ask struct {
	Percentile float64 // of the hours, that is ordered for
	Headroom   float64 // percent
	Region     string  // of databases that do not say theirs
	Assumed    bool    // nobody said that region
	Prices     []catalog.Price
	Volumes    []catalog.Volume
	Instances  []catalog.Instance
	Has        map[string]Has // by the name of the database, before what its file says
	Now        time.Time      // no forecast lies before it
}

// Fleet is all databases of a source.
type Fleet struct {
	Schema    string     `json:"schema"`
	From      time.Time  `json:"from"`
	To        time.Time  `json:"to"`
	Currency  string     `json:"currency"`
	Saves     Span       `json:"saves_a_month"`          // of all databases that would cost less
	AsOf      string     `json:"prices_as_of,omitempty"` // from the oldest to the newest date of the prices in that
	Databases []Database `json:"databases"`              // by saving, those without a known one last
	Unread    []string   `json:"unread"`                 // files that are no run file of a database, with the reason
	// databases of which it was said what they have, and that the source does not tell of
	NotFound []string `json:"not_found"`
	// names of series in a store that look like those of databases, and are not read
	Families []string `json:"unread_series"`
}

// Database is one of them, and what is said of it.
type Database struct {
	Name   string    `json:"database"`
	Kind   Kind      `json:"kind"`
	Class  string    `json:"class"`
	Region string    `json:"region"`
	From   time.Time `json:"from,omitzero"`
	To     time.Time `json:"to,omitzero"`
	Hours  int       `json:"hours"`
	Known  int       `json:"known_hours"`
	// KnownUntil is when the last hour that is known ended.
	KnownUntil time.Time `json:"known_until,omitzero"`
	Need       *Need     `json:"need"`          // nil: see Lacks
	Has        *Storage  `json:"has"`           // nil: likewise
	Order      *Storage  `json:"order"`         // nil: what it has stays, or see Lacks
	Saves      *Span     `json:"saves_a_month"` // below 0: it costs more; nil: not known
	// ClassUnknown reports that the limits of its machine are not known: Order and Saves take them to be high enough.
	ClassUnknown bool `json:"-"` // said in Lacks
	// RegionAssumed reports that nobody named its region, and CutOff that its file has no end.
	RegionAssumed, CutOff bool `json:"-"` // said in Notes
	// AsOf are the dates of the prices in all its amounts, from the oldest to the newest.
	AsOf   string   `json:"prices_as_of,omitempty"`
	Aurora *Aurora  `json:"aurora"` // nil: it is none
	Risk   Risk     `json:"risk"`
	Lacks  []string `json:"missing"` // what is not known, and how to get it
	Notes  []string `json:"notes"`
	// Daily is the highest hour of each day, as requests a second; of Aurora what it was billed for in each whole day,
	// in operations a second. A day of which that is not known is NaN.
	Daily []float64 `json:"daily"`
}

// Page is all that is said of one database, with its hours.
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
	Machine Kind = "machine" // its users run it
)

// Span is an amount with the ends of what it may be.
type Span struct {
	Value   float64 `json:"value"`
	Lowest  float64 `json:"lowest"`
	Highest float64 `json:"highest"`
}

// Rate is a needs.Rate, or a capacity, in the two numbers that limits are set in.
type Rate struct {
	Requests float64 `json:"requests"`
	MiBps    float64 `json:"mibps"`
}

// Need is a database's demand on its storage, each number by itself.
type Need struct {
	Typical   Rate      `json:"typical"` // the median hour
	WorstHour Rate      `json:"worst_hour"`
	WorstAt   time.Time `json:"worst_hour_at"` // by requests
	WorstDay  *Rate     `json:"worst_day"`     // nil: no day is known in nearly all of its hours
	// What is ordered for: Least by the means of hours; Most by the highest minutes in them, as if those of reads and
	// writes fell together. Most is nil where nothing is known within hours.
	Least Rate  `json:"sized_least"`
	Most  *Rate `json:"sized_most"`
}

// Storage is a volume that a database has, or that is to be ordered.
type Storage struct {
	Volume  string   `json:"volume"`
	Title   string   `json:"title"`
	GiB     float64  `json:"gib"`
	IOPS    float64  `json:"iops"`    // bought beside the size; 0: none
	MiBps   float64  `json:"mibps"`   // likewise
	Carries Rate     `json:"carries"` // for good, with the machine in front of it
	Monthly *float64 `json:"monthly"` // nil: no price is known
}

// Aurora is a cluster's monthly cost.
type Aurora struct {
	Now       string  `json:"now"`     // aurora, aurora-iopt1; empty: not known
	Cheaper   string  `json:"cheaper"` // likewise; empty: cannot be told
	Sure      bool    `json:"sure"`
	Standard  float64 `json:"standard"`
	Optimized float64 `json:"io_optimized"`
}

// Has holds the user's statement of a database's storage.
type Has struct {
	Volume  string  // as in the catalog
	GiB     float64 // 0: not known
	IOPS    float64 // bought beside the size; 0: what comes with it, if any does
	MiBps   float64
	Class   string
	Region  string
	MultiAZ bool
}

func (d *Database) lack(format string, values ...any) {
	d.Lacks = append(d.Lacks, fmt.Sprintf(format, values...))
}

// withhold leaves out an order, and what can only be said of all hours.
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

func named(names []string) string {
	text := strings.Join(names[:min(few, len(names))], ", ")
	if more := len(names) - few; more > 0 {
		text += fmt.Sprintf(" and %s more", number.Grouped(float64(more), 0))
	}
	return text
}

// few is the number of names that a sentence lists of many.
const few = 5

// Risk grades how close a database is to being limited by its storage.
type Risk struct {
	Level Level   `json:"level"`
	Uses  float64 `json:"uses"`  // the highest hour as a share of what its volume and machine carry for good
	By    string  `json:"by"`    // operations or bytes
	Of    string  `json:"of"`    // volume or instance, whichever carries less
	Hours int     `json:"hours"` // at 95% of it and more
	// Credits is the emptiest bucket; nil: there is none.
	Credits *Credits `json:"credits"`
}

// Level is a kind of risk.
type Level string

// The levels, the gravest first.
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
	// BurstBalance, EBSIOBalance%, EBSByteBalance%; empty: by the provider's rule, from a full bucket on
	Metric string  `json:"metric"`
	Now    float64 `json:"now"` // percent, in the last hour that is known
	Lowest float64 `json:"lowest"`
	Hours  int     `json:"hours_without"` // in which nothing was left
	// Ends is when nothing will be left if the next weeks are as the last seven days were, and Early if they ask for as
	// much more as the headroom is; nil: not within 31 days.
	Ends  *time.Time `json:"ends"`
	Early *time.Time `json:"ends_early"`
	// Ended: by the same reckoning they have ended since the last hour that is known.
	Ended bool `json:"ended_since"`
}
