package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
)

// NewBaselinePage puts what storage delivered onto a page; the run has the seconds of a job that was throttled.
func NewBaselinePage(run *drivers.Run, b Baseline) Page {
	p := Page{
		Heading:    "What does this storage deliver?",
		Title:      "realiops: storage of " + b.Run.Storage.Directory + ", " + b.Run.Start.Format("2006-01-02"),
		Target:     b.head(),
		Conditions: b.Warnings,
		Answers:    b.answers(),
		How:        b.how(),
		Commands:   b.repeat(),
	}
	for _, j := range b.Jobs {
		for _, f := range j.Findings {
			p.Remarks = append(p.Remarks, j.Name+": "+f+".")
		}
	}
	for _, out := range b.LeftOut {
		p.Remarks = append(p.Remarks, out.Job+" has no result: "+out.Why)
	}
	if len(b.Jobs) > 0 {
		p.Sections = slices.Concat(b.sideBySide(), b.tables(), b.course(run), b.textSections())
	}
	return p
}

// tables are those of the terminal.
func (b Baseline) tables() []Section {
	return []Section{
		{Title: fioTitle, Table: b.grid(fioColumns()).table()},
		{Title: deviceTitle, Table: b.grid(deviceColumns()).table(), Text: b.outOfSight()},
	}
}

// textSections are what is said in words.
func (b Baseline) textSections() []Section {
	var all []Section
	if text := b.bufferedText(); text != "" {
		all = append(all, Section{Title: bufferedTitle, Text: []string{text}})
	}
	if lines := b.throttleLines(); len(lines) > 0 {
		all = append(all, Section{Title: throttleTitle, Text: lines})
	}
	return all
}

// answers are the whole page in short.
func (b Baseline) answers() []Answer {
	if len(b.Jobs) == 0 {
		return []Answer{{"How fast is it?", []string{"This run does not say: no job has a result."}}}
	}
	var fast []string
	for _, j := range b.Jobs {
		fast = append(fast, j.Name+": "+j.Fio.text()+".")
	}
	all := []Answer{{"How fast is it?", fast}, {"Is an operation of fio's a request of the device?", b.factors()}}
	if b.Throttle != nil {
		all = append(all, Answer{"Was it throttled?", b.throttleLines()[:1]})
	}
	return append(all, Answer{"How sure is this?", b.sureness()})
}

// text is what fio says in a line.
func (f BaselineFio) text() string {
	var parts []string
	for _, kind := range []struct {
		rate float64
		name string
	}{{f.Reads, "reads"}, {f.Writes, "writes"}, {f.Syncs, "flushes"}} {
		if kind.rate > 0 {
			parts = append(parts, rate(kind.rate)+" "+kind.name)
		}
	}
	mean := f.mean()
	return fmt.Sprintf("%s and %s MB a second, %s ms for each", strings.Join(parts, ", "), rate((f.ReadBytes+f.WriteBytes)/megabyte), milliseconds(&mean))
}

// factors say where the two accounts differ.
func (b Baseline) factors() []string {
	const same = 0.01
	var differ, agree, unknown []string
	for _, j := range b.Jobs {
		switch {
		case j.Factor == nil:
			unknown = append(unknown, j.Name)
		case *j.Factor > 1+same || *j.Factor < 1-same:
			differ = append(differ, fmt.Sprintf("%s: %s requests for one operation.", j.Name, quotient(*j.Factor)))
		default:
			agree = append(agree, j.Name)
		}
	}
	return append(differ, filled(
		listing("One for one", agree, unlimited), listing("The device cannot be told", unknown, unlimited))...)
}

// sureness says what the answers rest on.
func (b Baseline) sureness() []string {
	texts := []string{"Each job was measured once; what the device did without any was taken off. Little's law was checked on every row."}
	if len(b.Warnings) > 0 {
		texts = append(texts, "The caution above holds for every number here.")
	}
	if slices.ContainsFunc(b.Jobs, func(j BaselineJob) bool { return len(j.Findings) > 0 }) {
		texts = append(texts, "What is odd about single jobs stands below.")
	}
	return texts
}

// how says how it was measured.
func (b Baseline) how() []string {
	r := b.Run
	said := []string{fmt.Sprintf("run %s, %s; %s/%s, %d CPUs. docs/baseline.md has the method.",
		r.ID, r.Start.UTC().Format("2006-01-02 15:04 MST"), r.Host.OS, r.Host.Arch, r.Host.CPUs)}
	for _, j := range b.Jobs {
		options := strings.ReplaceAll(strings.TrimPrefix(j.Options, "--"), " --", ", ") // which a page breaks where it likes
		said = append(said, fmt.Sprintf("%s, %s s: %s", j.Name, rate(j.Seconds), options))
	}
	return said
}

// repeat are the commands that lead here again, and on.
func (b Baseline) repeat() []string {
	file := b.Run.ID + ".jsonl"
	return []string{"realiops baseline --dir DIRECTORY", "realiops analyze " + file, "realiops size RUN --baseline " + file}
}
