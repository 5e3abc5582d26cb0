package measuring

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/reading"

	ranking "github.com/realiops/realiops/internal/analyze/fleet"
	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/fleet"
	"github.com/realiops/realiops/internal/measure/history/cloudwatch"
	"github.com/realiops/realiops/internal/measure/history/exported"
	"github.com/realiops/realiops/internal/measure/history/prometheus"
	"github.com/realiops/realiops/internal/measure/history/sysstat"
	"github.com/realiops/realiops/internal/owner"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// fleetDirectory is the default parent of kept fleets, one directory for each day.
const fleetDirectory = "realiops-fleet"

// asked is a source with its databases and the cost of asking.
type asked struct {
	source    fleet.Source
	stretch   fleet.Stretch
	databases []fleet.Database
	price     func(missing []fleet.Database) (usd float64, text string)
	secrets   []string
	cost      func() string // of all calls, after they were made
}

// fetch reads a source into a directory.
func (o fleetOptions) fetch(ctx context.Context, env command.Env, head runfile.Run) (directory string,
	partly int, err error) {
	a, err := o.asked(ctx, env)
	if err != nil {
		return "", 0, errors.New(runfile.Scrub(err.Error(), a.secrets...))
	}
	directory = cmp.Or(o.out, filepath.Join(fleetDirectory, a.stretch.To.Format(time.DateOnly)))
	if o.out == "" {
		for _, path := range []string{fleetDirectory, directory} {
			if err := owner.Make(path); err != nil {
				return "", 0, fmt.Errorf("keep the fleet: %w; name a directory with --dir, or work in one of your own",
					err)
			}
		}
	}
	d, err := fleet.Open(directory, a.stretch)
	if err != nil {
		return "", 0, err
	}
	if o.store.Until != "" && !d.To.Equal(a.stretch.To) { // without it, the same command continues an hour later
		return "", 0, fmt.Errorf("%s holds answers until %s, not until %s; name another directory with --dir", directory,
			d.To.Format(time.RFC3339), a.stretch.To.Format(time.RFC3339))
	}
	missing := d.Missing(a.databases)
	usd, text := a.price(missing)
	kept := "none yet"
	if n := len(a.databases) - len(missing); n > 0 {
		kept = printable.Count(n) + " already"
	}
	env.Tell("%s, %s kept in %s; %s", printable.Counted(len(a.databases), "database"), kept, directory, text)
	if usd > o.maxCost {
		return "", 0, fmt.Errorf("that is more than --max-cost %g; raise it, or ask for less with --for", o.maxCost)
	}
	partly, err = d.Fetch(ctx, a.source, head, missing, func(n int) {
		env.Tell("%s of %s", printable.Count(n), printable.Count(len(missing)))
	})
	if err != nil {
		return "", 0, fmt.Errorf("%s; the answers so far are in %s, and the same command continues",
			runfile.Scrub(err.Error(), a.secrets...), directory)
	}
	if cost := a.cost(); cost != "" {
		env.Tell("%s", cost)
	}
	return directory, partly, nil
}

func (o fleetOptions) asked(ctx context.Context, env command.Env) (asked, error) {
	switch {
	case o.aws:
		return o.askedOfAWS(ctx, env)
	case len(o.files) > 0:
		return o.askedOfFiles(ctx, env)
	}
	back, err := o.store.Back.OfHours()
	if err != nil {
		return asked{}, err
	}
	store, options, q, err := o.store.Open(ctx, env, o.account)
	if err != nil {
		return asked{}, err
	}
	q.To = q.To.UTC().Truncate(time.Hour)
	q.From = q.To.Add(-back).Truncate(time.Hour)
	source := prometheus.NewFleet(store, q)
	databases, err := source.Databases(ctx)
	address, _ := url.Parse(options.URL)
	name := address.Host + address.Path
	if o.store.NameLabel != "" {
		name += ", named by " + o.store.NameLabel // the files' names differ then
	}
	return asked{
		source: source, databases: databases, secrets: options.Secrets(), stretch: fleet.Stretch{
			Source: name, From: q.From, To: q.To, Unread: source.Unread()},
		price: func(missing []fleet.Database) (float64, string) {
			return 0, "about " + printable.Count(source.Queries(len(missing))) + " queries"
		},
		cost: func() string { return "" },
	}, err
}

func (o fleetOptions) askedOfAWS(ctx context.Context, env command.Env) (asked, error) {
	a, err := command.OpenInRegion(ctx, o.account)
	if err != nil {
		return asked{}, err
	}
	from, to, err := o.store.Settled(env.Now())
	if err != nil {
		return asked{}, err
	}
	from = from.Truncate(time.Hour)
	source := cloudwatch.NewFleet(a)
	databases, err := source.Databases(ctx)
	return asked{
		source: source, databases: databases, stretch: fleet.Stretch{Source: "cloudwatch " + a.Region(),
			From: from, To: to},
		price: func(missing []fleet.Database) (float64, string) {
			const perMetric = 0.01 / 1000 // https://aws.amazon.com/cloudwatch/pricing/
			n := source.Metrics(missing, from, to, env.Now())
			return float64(n) * perMetric,
				fmt.Sprintf("%s metrics to request from CloudWatch, for %.2f USD by the price list of us-east-1",
					printable.Count(n), float64(n)*perMetric)
		},
		cost: func() string { return account.Text(a.Calls()) },
	}, err
}

// askedOfFiles returns the machines in sysstat's files, for their whole time.
func (o fleetOptions) askedOfFiles(ctx context.Context, env command.Env) (asked, error) {
	source, err := sysstat.NewFleet(ctx, o.files, env.Now(), func(ctx context.Context, name string) ([]byte, error) {
		return command.ReadExported(ctx, env, name)
	})
	if err != nil {
		return asked{}, err
	}
	for _, notice := range source.Notices() {
		env.Tell("%s", runfile.OneLine(notice))
	}
	from, to := source.Span()
	if to.Sub(from) > command.Longest+command.Day {
		return asked{}, fmt.Errorf("the files reach from %s to %s, but at most 455 days can be ranked; is a clock wrong?",
			from.Format(time.DateOnly), to.Format(time.DateOnly))
	}
	return asked{
		source: source, databases: source.Databases(), stretch: fleet.Stretch{Source: "sysstat", From: from, To: to},
		price: func([]fleet.Database) (float64, string) { return 0, "reading sysstat's files" },
		cost:  func() string { return "" },
	}, nil
}

// ask returns the settings for judging databases.
func (o fleetOptions) ask(ctx context.Context, env command.Env) (a ranking.Ask, err error) {
	o.size.Region = o.account.Region
	o.size.Everywhere = true
	size, err := o.size.Asked(ctx)
	if err != nil {
		return a, err
	}
	size.Tariff.Region = cmp.Or(o.size.Region, reading.HomeRegion(o.size.Prices, size.Tariff.Prices))
	a = ranking.Ask{Percentile: o.size.Percentile, Headroom: o.size.Headroom, Region: size.Tariff.Region,
		Assumed: o.size.Region == "" && o.size.Prices == "", Prices: size.Tariff.Prices, Volumes: size.Volumes,
		Instances: size.Instances, Now: env.Now()}
	if o.has == "" {
		return a, nil
	}
	text, err := input.ReadExported(ctx, o.has)
	if err != nil {
		return a, fmt.Errorf("read the --has file: %w", err)
	}
	a.Has, err = readHas(text, env.Now())
	return a, command.Naming(o.has, err)
}

func readHas(text []byte, now time.Time) (map[string]ranking.Has, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return ranking.ReadHas(text)
	}
	var e exported.Export
	if err := e.Read(text, now); err != nil {
		return nil, err
	}
	all := map[string]ranking.Has{}
	for _, c := range e.Instances() {
		all[c.Instance] = ranking.HasOf(c)
	}
	return all, nil
}
