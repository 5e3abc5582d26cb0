package relation

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// WAL holds how much WAL a server wrote while it was observed, and how much of it was page images.
type WAL struct {
	Seconds    float64  `json:"seconds"`           // in which all of these were counted
	Uncounted  float64  `json:"uncounted_seconds"` // between the first reading and the last
	Bytes      *float64 `json:"bytes"`
	Images     *float64 `json:"page_images"`
	ImageBytes *float64 `json:"page_image_bytes"` // nil: only the maximum is known, or nothing
	// Read is the share of the WAL from which ImageBytes was estimated; nil if the server counted all.
	Read    *float64 `json:"read_share"`
	Most    *float64 `json:"page_image_bytes_most"` // upper bound of ImageBytes
	Missing string   `json:"missing,omitempty"`     // why not even the maximum is known
}

// WALOf uses the bytes of page images that the server counted, else an estimate from the WAL read, else an upper bound:
// an image is at most a page, and less without its hole or compressed.
func WALOf(run *counts.Run) WAL {
	w := counted(run)
	if w.Bytes == nil || w.ImageBytes != nil {
		return w
	}
	page, err := strconv.ParseFloat(run.Header.Target.Settings["block_size"], 64)
	switch {
	case w.Images != nil && *w.Images == 0:
		w.ImageBytes, w.Most = new(0.0), new(0.0)
		return w
	case w.Images != nil && err == nil && page > 0:
		w.Most = new(min(*w.Bytes, *w.Images*page))
	case w.Images != nil:
		w.Missing = "the run has no block_size"
	}
	i := slices.IndexFunc(run.Top, func(t counts.Top) bool {
		return t.Of == counts.OfWAL && t.Missing == "" && t.Total["wal_bytes"] > 0
	})
	if i >= 0 {
		total := run.Top[i].Total
		w.ImageBytes, w.Read = new(*w.Bytes*total["image_bytes"]/total["wal_bytes"]), new(total["read_share"])
		if w.Most != nil { // a sample may hold a larger share
			w.ImageBytes = new(min(*w.ImageBytes, *w.Most))
		}
	}
	return w
}

// stretch is the time between two readings.
type stretch struct{ from, to time.Time }

// counted adds up the server's counts over the stretches in which it counted all of them.
func counted(run *counts.Run) (w WAL) {
	grew := map[string]map[stretch]float64{}
	var read runfile.Stretch
	addChanges := func(name string) bool {
		grew[name] = map[stretch]float64{}
		for c, err := range run.Series(name).Changes(time.Unix(0, 0), run.Header.Start.AddDate(100, 0, 0)) {
			read.Extend(c.From, c.To)
			if err == nil {
				grew[name][stretch{c.From, c.To}] = c.Amount
			}
		}
		return len(grew[name]) > 0
	}
	sums := []**float64{&w.Bytes, &w.Images, &w.ImageBytes}
	names := []string{metric.StatWALBytes, metric.StatWALFPI, metric.StatWALFPIBytes}
	if !addChanges(names[0]) {
		names[0] = metric.InsertPosition
	}
	for i, name := range names {
		if addChanges(name) {
			*sums[i] = new(float64)
		} else if w.Missing == "" && name != metric.StatWALFPIBytes {
			w.Missing = whyNot(run, name)
		}
	}
	if w.Bytes == nil {
		return WAL{Missing: w.Missing}
	}
	var spent time.Duration
	inOrder := func(a, b stretch) int { return a.from.Compare(b.from) }
	for _, s := range slices.SortedFunc(maps.Keys(grew[names[0]]), inOrder) {
		all := true
		for i, name := range names {
			_, known := grew[name][s]
			all = all && (known || *sums[i] == nil)
		}
		for i, name := range names {
			if all && *sums[i] != nil {
				**sums[i] += grew[name][s]
			}
		}
		if all {
			spent += s.to.Sub(s.from)
		}
	}
	w.Seconds, w.Uncounted = spent.Seconds(), (read.To.Sub(read.From) - spent).Seconds()
	if spent == 0 {
		return WAL{Uncounted: w.Uncounted, Missing: "the WAL and its page images were never counted at the same time"}
	}
	return w
}

func whyNot(run *counts.Run, name string) string {
	var missing *series.Missing
	_, err := run.Series(name).Before(run.Header.Start.AddDate(100, 0, 0))
	if errors.As(err, &missing) && missing.Reason != series.NeverRead {
		return cmp.Or(missing.Detail, missing.Error())
	}
	return "the run has no " + metric.Printed(name, 0)
}

// Text describes w in a sentence.
func (w WAL) Text() string {
	if w.Bytes == nil {
		return fmt.Sprintf("The WAL is unknown: %s.", w.Missing)
	}
	in := number.Grouped(w.Seconds, 0) + " s"
	if w.Uncounted >= 1 {
		in = fmt.Sprintf("%s of %s s (it was not counted in the rest)",
			number.Grouped(w.Seconds, 0), number.Grouped(w.Seconds+w.Uncounted, 0))
	}
	return fmt.Sprintf("WAL in %s: %s bytes%s.", in, number.Grouped(*w.Bytes, 0), w.images())
}

func (w WAL) images() string {
	part := func(bytes float64) string {
		return fmt.Sprintf("%s (%s)", number.Grouped(bytes, 0), number.Percent(bytes/max(1, *w.Bytes)))
	}
	const of = ", of which page images "
	most := "no upper bound is known: " + w.Missing
	if w.Most != nil {
		most = "at most " + part(*w.Most)
	}
	switch {
	case w.Read != nil:
		read := number.Percent(*w.Read)
		return of + fmt.Sprintf("about %s by the %s of the WAL that was read, %s", part(*w.ImageBytes), read, most)
	case w.ImageBytes != nil:
		return of + part(*w.ImageBytes)
	case w.Most != nil:
		return of + most + ", a whole page each: PostgreSQL before 19 does not count their holes and compression"
	default:
		return "; the share of page images is unknown: " + w.Missing
	}
}
