package runfile

import (
	"fmt"
	"strings"
	"time"
)

// Observed is the method of a load of others: counters show its work, not clients.
const Observed = "observed"

// Total holds figures for a stretch as a whole, without readings in between.
type Total struct {
	Load       string `json:"load"`
	Repetition int    `json:"repetition"`
	Probe      string `json:"probe"`
	// From and To are the window of these figures; zero: the whole load, by their source.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
	// Values are by metric; for a rate, the total over the stretch: operations, bytes.
	Values map[string]float64 `json:"values"`
}

// How figures that realiops did not read itself were taken from their source.
const (
	Published = "published" // as numbers in the source
	Computed  = "computed"  // from published numbers, as the note says
	Digitized = "digitized" // read off a chart
)

// Origin is the source of a load's figures that realiops did not read itself.
type Origin struct {
	Load       string `json:"load"`
	Repetition int    `json:"repetition"`
	Probe      string `json:"probe"` // of these figures
	Title      string `json:"title,omitempty" scrub:"text"`
	Place      string `json:"place" scrub:"text"` // a repository, or an address
	File       string `json:"file,omitempty"`
	Commit     string `json:"commit,omitempty"` // of the file: older ones had other values
	Author     string `json:"author,omitempty"`
	Licence    string `json:"licence"`
	How        string `json:"how"` // published, computed, digitized
	// standard deviation of a figure read off a chart, relative to it
	Error float64 `json:"error,omitempty"`
	Note  string  `json:"note,omitempty" scrub:"text"`
}

// String describes the origin, without the load.
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
