package cost

import (
	"fmt"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/runfile"
)

// remedies returns what would surely make the operation cheaper, one sentence each.
func (c Cost) remedies(run *counts.Run) []string {
	all := []string{}
	for _, text := range append([]string{c.oneTransaction(), c.Relations.scattered()},
		c.Relations.unused(run.Header.Start)...) {
		if text != "" {
			all = append(all, text)
		}
	}
	return all
}

// oneTransaction suggests a single transaction for an operation of one session that waits for each of its commits, none
// of them in two phases. It does not apply to work that was requested in separate transactions, such as a script run a
// hundred times.
func (c Cost) oneTransaction() string {
	steady := func(name string) (float64, bool) {
		count, found := c.Find(name)
		return count.Low, found && count.Missing == "" && count.Low == count.High
	}
	commits, steadyCommits := steady(WaitingCommits)
	written, steadyWritten := steady("commits")
	rows, steadyRows := steady("rows")
	sessions, steadySessions := steady("sessions")
	asked := c.Transactions > int64(c.Repetitions)
	if !steadyCommits || !steadyWritten || !steadyRows || !steadySessions || commits > written || asked || sessions > 1 ||
		commits < 2 || len(c.Others) > 0 {
		return ""
	}
	saved := fmt.Sprintf("%s fsyncs", amount(commits-1))
	if commits == 2 {
		saved = "one fsync"
	}
	return fmt.Sprintf("%s commits for %s: one transaction would save %s.", amount(commits),
		numbered(rows, "row"), saved)
}

func numbered(n float64, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return amount(n) + " " + noun + "s"
}

const (
	// fewestImages of an index, and at least one per entriesOfAnImage entries, never come from entries in order: those
	// fill a page before the next.
	fewestImages     = 20
	entriesOfAnImage = 4
	// leastImages is the share of all images, and leastWAL of the WAL, that is worth a sentence.
	leastImages = 0.3
	leastWAL    = 0.05
	// longUnused is the time without use after which an index counts as unused, unless another can replace it: its
	// queries may be rare.
	longUnused = 7 * 24 * time.Hour
)

// scattered is about the index with the most page images, in its largest repetition. It applies only to inserts: with
// updates the rows may be scattered, and not the keys.
func (rs Relations) scattered() string {
	var worst Relation
	at, most := 0, 0.0
	for _, r := range rs.Items {
		for n, images := range r.Images.Runs {
			if r.Is == runfile.WALIndex && images > most {
				worst, at, most = r, n, images
			}
		}
	}
	all, inserted := 0.0, 0.0
	for _, r := range rs.Items {
		all += r.Images.Runs[min(at, len(r.Images.Runs)-1)]
		if r.Is == runfile.WALTable && r.Name == worst.Table {
			inserted = float64(r.last.Parts["heap_insert"].Records + r.last.Parts["heap_multi_insert"].Records)
			if r.last.Parts["heap_update"].Records > 0 {
				return ""
			}
		}
	}
	if most < fewestImages || inserted == 0 {
		return ""
	}
	entries := worst.OwnRecords.Runs[at]
	if most*entriesOfAnImage < entries || most < leastImages*all {
		return ""
	}
	called := worst.Called()
	if worst.Constraint == runfile.PrimaryKey {
		called = "the primary key " + worst.Name
	}
	return fmt.Sprintf("%.0f%% of the page images are of %s: its keys come in random order, and touched "+
		"%s pages for %s.", 100*most/all, called, amount(most), numbered(entries, "row"))
}

// unused lists the indexes without a constraint that nothing has used and that cost a share of the WAL. Another index
// may serve instead.
func (rs Relations) unused(now time.Time) (all []string) {
	sum := 0.0
	for _, r := range rs.Items {
		sum += r.Bytes.Median
	}
	for _, r := range rs.Items {
		i, share := r.last, r.Bytes.Median/max(sum, 1)
		if r.Is != runfile.WALIndex || r.Dropped || i.Constraint != "" || i.Scans == nil || *i.Scans > 0 ||
			share < leastWAL {
			continue
		}
		since := "since its statistics began"
		if i.Since != nil {
			since = "since " + i.Since.UTC().Format("2006-01-02 15:04 MST")
		}
		costs := fmt.Sprintf("%s has not been used on this server %s and costs %.0f%% of the WAL", r.Called(),
			since, 100*share)
		switch {
		case i.Like != "":
			all = append(all, sentence(costs+": index "+i.Like+" has the same columns."))
		case i.Since != nil && now.Sub(*i.Since) >= longUnused:
			all = append(all, sentence(costs+"."))
		}
	}
	return all
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// remedySection shows the remedies; nil if there are none.
func (c Cost) remedySection() document.Block {
	var all document.Together
	for _, text := range c.Remedies {
		all = append(all, document.Paragraph{Text: text})
	}
	if len(all) == 0 {
		return nil
	}
	return document.Titled("What would save", all)
}
