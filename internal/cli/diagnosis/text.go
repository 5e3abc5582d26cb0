package diagnosis

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Document renders the diagnosis as text.
func (d Diagnosis) Document() document.Document {
	found := "A run here can show that a metric counts:"
	if len(d.Refusals) > 0 {
		found = "Once that is fixed, a run here can show that a metric counts:"
	}
	return document.Document{Blocks: []document.Block{
		document.Paragraph{Text: d.target()},
		document.Paragraph{Text: d.verdict(), Style: document.Headline},
		under("It would be refused for other reasons, too:", d.others()),
		d.AWS.document(d.Target),
		under(found, d.quantities(true)),
		under("A run here cannot show that a metric counts:", d.quantities(false)),
		under("What is missing here, and what that costs:", d.gaps(costly)),
		under("Before you believe the numbers:", d.cautions()),
		under("Set for this role or database:", d.settings()),
		d.Disk.document(),
		under("More that could be read:", d.gaps(remediable)),
		under("Sources, and how many of their figures can be read here:", d.sources()),
	}}
}

// under returns a heading over points or terms, or nothing if there are none.
func under[T interface {
	document.Points | document.Terms
	document.Block
}](heading string, all T) document.Block {
	if len(all) == 0 {
		return nil
	}
	return document.Together{document.Paragraph{Text: heading}, all}
}

func (d Diagnosis) target() string {
	t := d.Target
	name := "PostgreSQL"
	if t.Flavor != "" && t.Flavor != "postgres" {
		name += " (" + t.Flavor + ")"
	}
	where := "at " + t.Host
	switch t.Kind {
	case "dsn":
	case "embedded":
		where = "started by realiops"
	default:
		where = t.Kind
	}
	return fmt.Sprintf("%s %s, %s; user %s, database %s; %s.", name, t.Version, where, t.User, t.Database,
		offset(d.Clock))
}

// offset describes the difference of the server's clock from ours, unless it is within the error.
func offset(c runfile.Clock) string {
	seconds := func(s float64) string {
		return printable.Duration(time.Duration(s * float64(time.Second)).Round(10 * time.Microsecond))
	}
	switch {
	case c.Source == "":
		return "its clock was not read"
	case math.Abs(c.Offset) <= c.Error:
		return "its clock agrees with ours, within " + seconds(c.Error)
	case c.Offset > 0:
		return fmt.Sprintf("its clock is ahead of ours by %s (± %s)", seconds(c.Offset), seconds(c.Error))
	default:
		return fmt.Sprintf("its clock is behind ours by %s (± %s)", seconds(-c.Offset), seconds(c.Error))
	}
}

func (d Diagnosis) verdict() string {
	switch lost := len(d.unknown()); {
	case len(d.Refusals) > 0:
		return ended("NO RUN WOULD BEGIN HERE: " + d.Refusals[0])
	case !d.Concludes:
		return "A RUN WOULD CONCLUDE NOTHING HERE: no source that can be read shows what storage does, so no metric " +
			"can be compared with it."
	case lost > 0:
		return fmt.Sprintf("A run can draw conclusions here, though not all: %d of the %d quantities that a "+
			"metric may count are unknown.", lost, len(d.Quantities))
	default:
		return fmt.Sprintf("A run can draw conclusions here: all %d quantities that a metric may count are known.", len(d.Quantities))
	}
}

// others returns the refusals after the first, which is the verdict.
func (d Diagnosis) others() (all document.Points) {
	for _, why := range d.Refusals[min(1, len(d.Refusals)):] {
		all = append(all, document.Point{Text: ended(why)})
	}
	return all
}

func (d Diagnosis) quantities(known bool) (all document.Terms) {
	for _, q := range d.Quantities {
		if q.Known == known {
			all = append(all, document.Term{Name: q.Name.Many(), Texts: []string{q.Help}})
		}
	}
	return all
}

// sources counts the readable metrics of each source.
func (d Diagnosis) sources() (all document.Terms) {
	for _, s := range d.Sources {
		all = append(all, document.Term{Name: metric.PrintedView(s.Name),
			Texts: []string{fmt.Sprintf("%d of %d%s", s.Read, s.Of, s.elsewhere())}})
	}
	return all
}

// elsewhere says how many of a source's metrics only other servers have, at no cost to
// this one, or why none are left.
func (s Source) elsewhere() string {
	if len(s.Gaps) == 1 && s.Gaps[0].never() && s.Read == 0 {
		return ": " + s.Gaps[0].words()
	}
	n := 0
	for _, g := range s.Gaps {
		if g.never() {
			n += len(g.Metrics)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of other versions)", n)
}

// never reports whether this server cannot have the metric, and no quantity needs it.
func (g Gap) never() bool { return g.Reason == string(runfile.Unsupported) && len(g.Costs) == 0 }

func costly(g Gap) bool     { return len(g.Costs) > 0 }
func remediable(g Gap) bool { return !costly(g) && !g.never() }

// gaps lists the wanted gaps, joining several sources with one cause.
func (d Diagnosis) gaps(wanted func(Gap) bool) (all document.Points) {
	var causes []cause
	for _, s := range d.Sources {
		for _, g := range s.Gaps {
			if wanted(g) {
				causes = grouped(causes, s, g, metric.VersionNum(d.Target.Version))
			}
		}
	}
	for _, c := range causes {
		all = append(all, c.point())
	}
	return all
}

// cause is one reason for gaps of several sources.
type cause struct {
	Missing
	remedy string
	gaps   []string
	costs  []metric.Quantity
}

func grouped(causes []cause, s Source, g Gap, version int) []cause {
	i := slices.IndexFunc(causes, func(c cause) bool { return c.Missing == g.Missing && c.remedy == g.Remedy })
	if i < 0 {
		i = len(causes)
		causes = append(causes, cause{Missing: g.Missing, remedy: g.Remedy})
	}
	c := &causes[i]
	c.gaps = append(c.gaps, s.part(g, version))
	for _, quantity := range g.Costs {
		if !slices.Contains(c.costs, quantity) {
			c.costs = append(c.costs, quantity)
		}
	}
	return causes
}

// named is up to how many metrics are listed by name.
const named = 5

func (s Source) part(g Gap, version int) string {
	switch n := len(g.Metrics); {
	case n == s.Of:
		return metric.PrintedView(s.Name)
	case n > named:
		return fmt.Sprintf("%s (%d of %d)", metric.PrintedView(s.Name), n, s.Of)
	default:
		var printed []string
		for _, name := range g.Metrics {
			printed = append(printed, metric.Printed(name, version))
		}
		return strings.Join(printed, ", ")
	}
}

func (c cause) point() document.Point {
	p := document.Point{Text: strings.Join(c.gaps, ", ") + ": " + c.words()}
	if len(c.costs) > 0 {
		var counted []string
		for _, name := range c.costs {
			counted = append(counted, name.Many())
		}
		p.Below = append(p.Below, "costs: "+strings.Join(counted, ", "))
	}
	if c.remedy != "" {
		p.Below = append(p.Below, "to do: "+c.remedy)
	}
	return p
}

func (m Missing) words() string {
	words := m.Reason
	if m.Detail != "" {
		words = m.Detail
	}
	if m.Code != "" {
		words += " (" + m.Code + ")"
	}
	return words
}

func (d Diagnosis) cautions() (all document.Points) {
	for _, c := range d.Cautions {
		p := document.Point{Text: c.Text, Grave: true}
		if c.Remedy != "" {
			p.Below = []string{"to do: " + c.Remedy}
		}
		all = append(all, p)
	}
	return all
}

func (d Diagnosis) settings() (all document.Points) {
	effects := map[string]string{
		postgres.Overridden: "realiops sets its own value in its sessions",
		postgres.Measured:   "it changes what is measured",
		postgres.Kept:       "it stays",
	}
	for _, s := range d.Settings {
		name := s.Setting
		if s.Value != "" {
			name += " = " + s.Value
		}
		all = append(all, document.Point{Text: name + ", of " + s.Scope + ": " + effects[s.Effect]})
	}
	return all
}

// ended adds a full stop to a sentence, unless it ends with a question mark.
func ended(sentence string) string {
	if strings.HasSuffix(sentence, "?") {
		return sentence
	}
	return sentence + "."
}
