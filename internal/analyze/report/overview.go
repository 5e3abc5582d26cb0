package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/purposes"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/shell"
)

// Document returns the report for people: what was measured and what is misleading, the same work counted in several
// ways, what each metric counts, and what is open. Pages add pictures, what to order, and how it was measured.
func Document(run *counts.Run, r Report, size *sizes.Size, unsized error) document.Document {
	if len(r.Loads.Loaded()) == 0 {
		r.Metrics = nil // nothing to say
	}
	first, _ := r.firstScreen()
	answer := screen{Report: r, whole: true}
	d := document.Document{
		Title: "realiops: " + r.server() + ", " +
			r.Run.Start.Format("2006-01-02"),
		Heading: answer.heading(),
	}
	if hasOnlyPeriods(run) {
		return periodsDocument(run, r, d)
	}
	void := func(w document.Warning) bool { return w.Rank == document.Void }
	beside, operations := answer.beside(), answer.operations()
	d.Lead = document.Together{beside, operations}
	d.Blocks = []document.Block{
		document.Only(document.InText, words.Faint(r.Target()), r.conditions()),
		document.Only(document.OnPages, slices.DeleteFunc(r.conditions(), func(w document.Warning) bool {
			return !void(w)
		})),
		beside,
		operations,
		document.Only(document.OnPages, document.Paragraph{Text: answer.trust()},
			slices.DeleteFunc(answer.conditions(), void), answer.missed(), words.Faint(r.Target()+". "+r.when()+".")),
		document.Only(document.InHTML, document.Contents{}, r.hero()),
		document.Paragraph{Text: r.observedText()},
		r.workSection(),
		sizes.VolumeSection(r.Volumes),
		r.readSection(),
		r.Observed.causes(), purposes.OverTimeOf(run).Section(run),
		document.Only(document.OnPages, sizes.Section(size, unsized, r.Observed != nil, r.sureness())),
		document.Folded(r.verdictSection(), r.Loads.ladders(), r.pairSection()),
		document.Folded(purposes.Section(run), r.Loads.waitSection(), first.open(), r.overTime(run)),
		document.Only(document.OnPages, document.Folded(r.movesSection())),
		document.Notes{Title: "Notes", Remarks: append(first.Metrics.cautioned(),
			r.remarks()...), Folded: true},
		document.Only(document.OnPages, document.Folded(r.method(size))),
		document.Only(document.InCSV, r.everyMetric()),
	}
	return d
}

// aloneKind is the kind of target of a baseline, which has no server.
const aloneKind = "directory"

// Target says in one sentence what was measured.
func (r Report) Target() string {
	t := r.Run.Target
	if t.Kind == aloneKind {
		return strings.Join(append([]string{"storage alone, in " + t.Storage.Directory, Under(t.Storage)},
			r.background()...), "; ")
	}
	parts := []string{r.Server()}
	if fsync := t.Settings["fsync"]; fsync != "" {
		parts = append(parts, "fsync "+fsync+r.changed("fsync"))
	}
	if storage := Under(t.Storage); storage != "" {
		parts = append(parts, storage)
	}
	if o := r.Observed; o != nil {
		return strings.Join(append(parts, words.Observed(o.Windows, o.WindowSeconds)), "; ")
	}
	loads := fmt.Sprintf("%s x %s", printable.Counted(len(r.Loads.planned()), "load"), r.repetitions())
	if r.Run.LoadSeconds > 0 {
		loads += fmt.Sprintf(" x %s s", number.Short(r.Run.LoadSeconds, 4))
	}
	return strings.Join(append(append(parts, loads), r.background()...), "; ")
}

// changed says, in brackets, that a setting changed during the run.
func (r Report) changed(setting string) (text string) {
	for _, c := range r.Run.SettingsChanged {
		if c.Setting == setting {
			text = " at first (" + c.To + " by " + c.At.UTC().Format("15:04:05") + ")"
		}
	}
	return text
}

// background says what the device did when idle, if that was measured.
func (r Report) background() []string {
	requests, flushes := idleWork(r.Loads, metric.DeviceRequests), idleWork(r.Loads, metric.DeviceFlushes)
	switch {
	case !requests.Known():
		return nil
	case requests.Value <= 0 && flushes.Value <= 0:
		return []string{"idle, the device did nothing" + words.ForServer(r.Run.OfServer)}
	default:
		return []string{fmt.Sprintf("idle, the device did %s %s requests/s and %s %s flushes/s%s, which are subtracted",
			requests.Rate(1), requests.PlusMinus(), flushes.Rate(1), flushes.PlusMinus(),
			words.ForServer(r.Run.OfServer))}
	}
}

// workSection shows the work of each load, counted in several ways.
func (r Report) workSection() document.Block {
	loads := r.Loads.writing()
	if len(loads) == 0 {
		return nil
	}
	t := document.Grid[Load]{Of: loads}
	t.Column(document.Wordy("load"), r.Loads.explained)
	if slices.ContainsFunc(loads, func(a Load) bool { return a.OthersShare > 0 || a.OthersUncounted }) {
		t.Numeric("others did", Load.othersShare)
	}
	ways := 0
	for _, c := range r.Loads.columns() {
		known := false
		t.Numeric(c.header, func(a Load) document.Cell {
			w := a.work(c.Quantity)
			known = known || w.PerSecond.Known() && !w.Modelled
			return w.cell(c.unit)
		})
		if known {
			ways++
		}
	}
	title := fmt.Sprintf("The same work, counted %s ways (per second)", number.Spelled(ways))
	switch {
	case r.Observed != nil:
		title = "What went on, by kind of load (per second)"
	case ways < 2:
		title = "The work (per second)"
	}
	return document.Titled(title,
		document.Together{t.Table, words.Faint(r.plusMinusLegend())}, r.Loads.loadTerms(loads))
}

// othersShare returns the share of the load's numbers that is from others.
func (a Load) othersShare() document.Cell {
	switch {
	case a.OthersUncounted:
		return document.Words("not known")
	case a.OthersShare == 0:
		return document.Words("none seen")
	}
	return document.Number("up to "+number.Percent(a.OthersShare), a.OthersShare)
}

func (r Report) method(size *sizes.Size) document.Block {
	times := "once"
	if r.Run.Repetitions != 1 {
		times = fmt.Sprintf("up to %d times", r.Run.Repetitions)
	}
	method := []string{
		fmt.Sprintf("%d kinds of load, each run %s for %s s in random order (seed %d). A checkpoint, where "+
			"allowed, ends each load, so that its dirty pages count too.",
			r.Run.Loads, times, number.Short(r.Run.LoadSeconds, 4), r.Run.Seed),
		"A metric keeps a constant ratio to the quantity it counts, under every load. Quantities whose ratio moves " +
			"are excluded, and noise never counts as an answer. docs/method.md describes the method.",
	}
	commands := []shell.Command{shell.New("realiops run").Flag("--plan", r.Run.Plan, "FILE")}
	if r.Run.LoadSeconds == 0 { // loads of others
		method, commands = method[1:], nil
		for _, o := range r.Run.Origins {
			method = append(method, fmt.Sprintf("%s, %s: %s, %s.", o.Load, o.Probe, o, o.File))
		}
	}
	if o := r.Observed; o != nil {
		method = []string{fmt.Sprintf("realiops added no load. It read the counters while others used the server, in "+
			"%s windows of %s s, and compared windows of different kinds of load. docs/observe.md describes the "+
			"method.", printable.Count(o.Windows), number.Short(o.WindowSeconds, 4))}
		commands = []shell.Command{shell.New("realiops observe --dsn URL")}
		if r.Run.Target.Kind == "history" {
			commands = nil // who kept it no longer has it
		}
	}
	commands = append(commands, shell.New("realiops report").File(runfile.FileOf(r.Run.ID), "FILE").With("-v"))
	if size != nil {
		commands = append(commands, size.Sized.Command())
	}
	section := document.Section{Title: "How it was measured, and how to repeat it"}
	for _, text := range words.Filled(append(method, r.provenance(), r.Run.Provenance)...) {
		section.Blocks = append(section.Blocks, document.Paragraph{Text: text})
	}
	section.Blocks = append(section.Blocks, document.Command{Lines: commands})
	return section
}

// provenance returns the id of the run, its version and its host.
func (r Report) provenance() string {
	run := fmt.Sprintf("run %s, %s", runfile.ShownID(r.Run.ID), r.Run.Start.UTC().Format("2006-01-02 15:04 MST"))
	if h := r.Run.Host; h.OS != "" {
		return fmt.Sprintf("realiops %s, %s; %s/%s, %d CPUs.", r.Run.Realiops, run, h.OS, h.Arch, h.CPUs)
	}
	return words.Capital(run) + "." // realiops did not see the machine
}

// PlanName returns the name of a plan.
func PlanName(r Report) string { return cmp.Or(r.Run.Plan, "FILE") }
