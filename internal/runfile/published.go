package runfile

import (
	"fmt"
	"strings"
	"time"
)

// Observed is the method of a load that is not ours: counters show its work, not clients.
const Observed = "observed"

// Total holds figures for a stretch as a whole, without readings in between.
type Total struct {
	Load       string `json:"load"`
	Repetition int    `json:"repetition"`
	Probe      string `json:"probe"`
	// From and To are the window of these figures. Zero: their source says no more than that they are the whole load's.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
	// Values are by metric; of a rate, what it comes to over the stretch: operations, bytes.
	Values map[string]float64 `json:"values"`
}

// How figures that realiops did not read itself were taken from their source.
const (
	Published = "published" // they stand there as numbers
	Computed  = "computed"  // from published numbers, as the note says
	Digitized = "digitized" // read off a chart
)

// Origin is the source of a load's figures that realiops did not read itself.
type Origin struct {
	Load       string `json:"load"`
	Repetition int    `json:"repetition"`
	Probe      string `json:"probe"` // whose figures these are
	Title      string `json:"title,omitempty" scrub:"text"`
	Place      string `json:"place" scrub:"text"` // a repository, or an address
	File       string `json:"file,omitempty"`
	Commit     string `json:"commit,omitempty"` // of the file: older ones had other values
	Author     string `json:"author,omitempty"`
	Licence    string `json:"licence"`
	How        string `json:"how"` // published, computed, digitized
	// of a figure read off a chart, as a share of it: its standard deviation
	Error float64 `json:"error,omitempty"`
	Note  string  `json:"note,omitempty" scrub:"text"`
}

// String says it for people, without the load.
func (o Origin) String() string {
	text := o.Place
	if o.Title != "" {
		text = o.Title + ", " + text
	}
	if o.Author != "" {
		text = o.Author + ": " + text
	}
	if len(o.Commit) > shortCommit {
		text += " at " + o.Commit[:shortCommit]
	}
	text += " (" + strings.TrimSuffix(o.Licence, ".") + ")"
	if o.How == Digitized {
		text += fmt.Sprintf(", read off charts, give or take %.2g%%", 100*o.Error)
	}
	return text
}

// shortCommit is the number of digits of a commit shown to people.
const shortCommit = 9
