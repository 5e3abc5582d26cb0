// Command duetimes prints how punctual a run's probes were during its loads, and how long a reading took.
//
//	duetimes FILE...
//
// It prints a line for each probe: its name, the number of due readings, the share begun within 50 ms of the due
// time, the lateness in milliseconds (median, 99th percentile and maximum), and the median duration of a reading. A
// due time without a reading counts as missed.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

const (
	// punctual is the largest delay of a reading that counts as punctual.
	punctual = 50 * time.Millisecond
	// unsure is the possible delay of the very first reading, which gives the start of the clock: a reading that
	// seems too early by at most this is on time. No timer fires too early.
	unsure = 5 * time.Millisecond
)

func main() {
	found := map[string]*tally{}
	for _, path := range os.Args[1:] {
		r, err := read(path)
		if err != nil {
			fmt.Fprintf(os.Stderr, "duetimes: %s: %v\n", path, err)
			os.Exit(1)
		}
		for probe, readings := range r.readings {
			if found[probe] == nil {
				found[probe] = &tally{}
			}
			for _, load := range r.loads {
				found[probe].judge(r, readings, load)
			}
		}
	}
	for _, probe := range slices.Sorted(maps.Keys(found)) {
		found[probe].print(probe)
	}
}

// tally holds the findings about one probe.
type tally struct {
	due, within int
	late, took  []time.Duration
}

// record has the relevant part of a run file.
type record struct {
	interval time.Duration
	readings map[string][]reading // by probe
	start    time.Time            // of the clock
	loads    []span               // with a load, or idle
}

type reading struct {
	began time.Time
	took  time.Duration
}

type span struct{ from, to time.Time }

func read(path string) (record, error) {
	r := record{readings: map[string][]reading{}}
	records, file, err := runfile.Open(path)
	if err != nil {
		return r, err
	}
	defer file.Close()
	for line, err := range records {
		if err != nil {
			return r, err
		}
		if err := r.take(line); err != nil {
			return r, err
		}
	}
	if len(r.loads) == 0 {
		return r, errors.New("no load in it")
	}
	return r, nil
}

func (r *record) take(line runfile.Record) (err error) {
	switch line := line.(type) {
	case runfile.Run:
		r.interval, err = time.ParseDuration(line.Parameters["interval"])
	case runfile.Reading:
		took := time.Duration(line.Took * float64(time.Second))
		one := reading{line.At.Add(-took / 2), took}
		r.readings[line.Probe] = append(r.readings[line.Probe], one)
		if r.start.IsZero() || one.began.Before(r.start) {
			r.start = one.began // all probes are first read together, when the clock starts
		}
	case runfile.Work:
		if last := len(r.loads) - 1; last >= 0 && !line.From.After(r.loads[last].to) {
			r.loads[last].to = line.To
		} else {
			r.loads = append(r.loads, span{line.From, line.To})
		}
	}
	return err
}

// judge examines the due times within a load. All readings then were due: those at the edges of
// a load are before and after it.
func (t *tally) judge(r record, readings []reading, load span) {
	start := r.start.Add(-unsure)
	first := load.from.Sub(start)/r.interval + 1
	last := (load.to.Sub(start) - punctual) / r.interval
	t.due += int(last - first + 1)
	for _, reading := range readings {
		since := reading.began.Sub(start)
		if k := since / r.interval; k < first || k > last || reading.began.After(load.to) {
			continue // the last due time may come so late that the reading at the load's edge lies in its interval
		}
		late := since%r.interval - unsure
		t.late, t.took = append(t.late, late), append(t.took, reading.took)
		if late <= punctual {
			t.within++
		}
	}
}

func (t *tally) print(probe string) {
	slices.Sort(t.late)
	slices.Sort(t.took)
	ms := func(d time.Duration) string {
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 2, 64)
	}
	fmt.Println(probe, t.due, float64(t.within)/float64(cmp.Or(t.due, 1)),
		ms(quantile(t.late, 0.5)), ms(quantile(t.late, 0.99)), ms(quantile(t.late, 1)), ms(quantile(t.took, 0.5)))
}

func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1))]
}
