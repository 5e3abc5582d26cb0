package measuring

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/cli/command"

	ranking "github.com/realiops/realiops/internal/analyze/fleet"
	"github.com/realiops/realiops/internal/analyze/openmetrics"
	"github.com/realiops/realiops/internal/measure/fleet"
	"github.com/realiops/realiops/internal/runfile"
)

// rankFleet judges the databases of a directory one by one, and writes a page for each.
func rankFleet(ask ranking.Ask, directory string) (ranking.Fleet, error) {
	files, err := fleet.Files(directory)
	if err != nil {
		return ranking.Fleet{}, err
	}
	currency := ask.Currency()
	var all []ranking.Database
	unread, fileOf := []string{}, map[string]string{}
	for _, file := range files {
		page, err := readMember(ask, file)
		if first := fileOf[page.Name]; err == nil && first != "" {
			err = fmt.Errorf("%s has the database %s already; remove one of the two", filepath.Base(first), page.Name)
		}
		if err != nil {
			unread = append(unread, command.Naming(file, err).Error())
			continue
		}
		if err := writePage(directory, ranking.FileOf(page.Name), page.Document(currency)); err != nil {
			return ranking.Fleet{}, err
		}
		all, fileOf[page.Name] = append(all, page.Database), file
	}
	asked, err := fleet.Asked(directory)
	if err != nil {
		return ranking.Fleet{}, err
	}
	if len(all) == 0 {
		why := "the source has none"
		if !asked.From.IsZero() {
			why += " from " + asked.From.Format(time.RFC3339) + " to " + asked.To.Format(time.RFC3339)
		}
		if len(unread) > 0 {
			why = unread[0]
		}
		return ranking.Fleet{}, fmt.Errorf("%s has no run file of a database: %s", directory, why)
	}
	ranked := ask.Rank(all, unread, append([]string{}, asked.Unread...))
	return ranked, writePage(directory, "index.html", ranked.Document(len(all)))
}

func readMember(ask ranking.Ask, file string) (ranking.Page, error) {
	records, closer, err := runfile.Open(file)
	if err != nil {
		return ranking.Page{}, err
	}
	defer closer.Close()
	return ask.Read(runfile.Possible(records))
}

func writePage(directory, name string, d document.Document) error {
	return command.WriteTo(filepath.Join(directory, name), nil, func(w io.Writer) error { return document.HTML(w, d) })
}

func (o fleetOptions) answer(env command.Env, f ranking.Fleet) error {
	return env.Answer(o.size.Format.Chosen, command.Finding{
		What: "a ranking", Value: f, Words: func() document.Document { return f.Document(o.top) },
		Forms: map[string]func(io.Writer) error{
			command.FormatOpenMetrics: func(w io.Writer) error { return openmetrics.Write(w, f.Gauges()...) },
		},
	})
}
