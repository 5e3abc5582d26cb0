package measuring

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/view"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/measure/history/cloudwatch"
	"github.com/realiops/realiops/internal/measure/history/exported"
	"github.com/realiops/realiops/internal/measure/history/prometheus"
	"github.com/realiops/realiops/internal/measure/history/sysstat"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

type answer struct {
	history.Data
	target     runfile.Target
	provenance string // the origin of the figures
}

type historySource struct {
	title string
	named func(o historyOptions, files []string) bool // by the user
	heeds []string                                    // its selecting flags; nil: by kind of file
	read  func(o historyOptions, ctx context.Context, env command.Env, files []string) (answer, error)
}

// historySources lists all sources: a new one is a row here.
var historySources = []historySource{
	{"files", func(_ historyOptions, files []string) bool { return len(files) > 0 }, nil, historyOptions.ofFiles},
	{"what CloudWatch keeps", func(o historyOptions, files []string) bool { return o.ofAWS() && len(files) == 0 },
		[]string{"instance", "cluster", "region", "profile", "role", "flavor", "query", "for", "until"},
		historyOptions.ofCloudWatch},
	{"a store", func(o historyOptions, _ []string) bool { return o.store.URL != "" },
		[]string{"prometheus", "token-file", "tenant", "sigv4", "for", "until", "server", "host", "device", "flavor",
			"region", "profile", "role"}, historyOptions.ofPrometheus},
}

// unheeded rejects flags that have no effect on a source.
func (o historyOptions) unheeded(source string, heeds []string) error {
	var flags []string
	for _, name := range o.selecting {
		if !slices.Contains(heeds, name) {
			flags = append(flags, "--"+name)
		}
	}
	switch len(flags) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s does not apply to %s; leave it out", flags[0], source)
	}
	return fmt.Errorf("%s do not apply to %s; leave them out", words.Enumerated(flags, " and "), source)
}

// sourcesNamed returns the sources that the user named. There must be one.
func (o historyOptions) sourcesNamed(files []string) []historySource {
	return slices.DeleteFunc(slices.Clone(historySources), func(s historySource) bool { return !s.named(o, files) })
}

// ofPrometheus reads the raw samples of a store, or the hours of its exporter of CloudWatch.
func (o historyOptions) ofPrometheus(ctx context.Context, env command.Env, _ []string) (answer, error) {
	store, asked, q, err := o.store.Open(ctx, env, o.account)
	if err != nil {
		return answer{}, err
	}
	h, err := ofStore(ctx, store, q, env.Now())
	if errors.Is(err, prometheus.ErrNothing) {
		h, err = o.handedOn(ctx, store, q, err)
	}
	if err != nil {
		return h, errors.New(runfile.Scrub(err.Error(), asked.Secrets()...))
	}
	return h, nil
}

func ofStore(ctx context.Context, store *prometheus.Store, q prometheus.Query, now time.Time) (h answer, err error) {
	found, err := store.Find(ctx, q)
	if err != nil {
		return h, err
	}
	data, err := store.Read(ctx, found, q, now)
	if err != nil {
		return h, err
	}
	version, flavor, err := store.About(ctx, q)
	if err != nil {
		return h, err
	}
	data.Asked = runfile.Stretch{From: q.From.UTC(), To: q.To.UTC()}
	provenance := "scraped about every " + printable.Duration(data.Interval.Round(time.Second/10)) +
		" into a store, not by realiops"
	target := runfile.Target{Kind: "history", Flavor: cmp.Or(flavor, "postgres"), Version: version}
	return answer{*data, target, provenance}, nil
}

// handedOn reads the hours of the only instance that an exporter of CloudWatch presents, if no
// other exporter presents anything.
func (o historyOptions) handedOn(ctx context.Context, store *prometheus.Store, q prometheus.Query,
	nothing error) (h answer, err error) {
	back, short := o.store.Back.OfHours()
	q.To = q.To.UTC().Truncate(time.Hour)
	q.From = q.To.Add(-back).Truncate(time.Hour)
	source := prometheus.NewFleet(store, q)
	instances, err := source.Instances(ctx)
	switch {
	case err != nil:
		return h, err
	case len(instances) == 0:
		return h, nothing
	case short != nil:
		return h, short
	case len(instances) > 1:
		return h,
			fmt.Errorf(`an exporter of CloudWatch has %d instances, %s among them; pick one with --server 'dimension_DBInstanceIdentifier="…"', or rank all with realiops fleet`,
				len(instances), instances[0].Name)
	}
	hours, err := source.Hours(ctx, instances, q.From, q.To)
	if err != nil {
		return h, err
	}
	if len(hours[0].Periods) == 0 {
		return h, nothing
	}
	hours[0].Asked = runfile.Stretch{From: q.From, To: q.To}
	target := instances[0].Target
	target.Flavor = cmp.Or(o.flavor, target.Flavor)
	return answer{
		hours[0], target, "recorded by CloudWatch and exported to a store, not by realiops"}, nil
}

func (o historyOptions) ofCloudWatch(ctx context.Context, env command.Env, _ []string) (h answer, err error) {
	from, to, err := o.store.Settled(env.Now())
	if err != nil {
		return h, err
	}
	if o.account.Region == "" {
		o.account.Region = env.Getenv("AWS_REGION")
	}
	a, err := command.OpenInRegion(ctx, o.account)
	if err != nil {
		return h, err
	}
	found, err := rds.Find(ctx, a.Config(), rds.Query{Instance: o.instance, Cluster: o.cluster})
	if err != nil {
		return h, err
	}
	if h.Data, err = cloudwatch.History(ctx, a, found.Cloud, from, to, env.Now()); err != nil {
		return h, err
	}
	h.Asked = runfile.Stretch{From: from, To: to}
	env.Tell("%s", account.Text(a.Calls()))
	h.Notices = cloudwatch.Refused(h.Gaps)
	if len(h.Periods) == 0 {
		why := ""
		if len(h.Notices) > 0 {
			why = ": " + h.Notices[0]
		}
		return h, fmt.Errorf("CloudWatch has no points from %s to %s%s", from.Format(time.RFC3339),
			to.Format(time.RFC3339), why)
	}
	h.target, h.provenance = cloudwatch.TargetOf(found.Cloud), "recorded by CloudWatch, not by realiops"
	return h, nil
}

// printQuery writes the request for the aws program.
func (o historyOptions) printQuery(env command.Env) error {
	from, to, err := o.store.Settled(env.Now())
	if err != nil {
		return err
	}
	flavor := cmp.Or(o.flavor, "rds")
	if o.flavor == "" && o.cluster != "" {
		flavor = "aurora"
	}
	return view.JSON(env.Out, exported.HistoryOf(runfile.Cloud{Instance: o.instance, Cluster: o.cluster}, flavor, from,
		to, env.Now()))
}

// historyFile is a kind of file from another program, recognized by its first bytes.
type historyFile struct {
	title string
	is    func(text []byte) bool
	heeds []string // flags that select something of it
	read  func(o historyOptions, ctx context.Context, files []exported.File, now time.Time) (answer, error)
}

// historyFiles lists all kinds, the last for the rest: a new one is a row here.
var historyFiles = []historyFile{
	{"files about a machine, whose disks count together", func(text []byte) bool { return sysstat.Keeper(text) != "" }, nil,
		historyOptions.ofSysstat},
	{"output of the aws program", isExported, []string{"instance", "flavor"}, historyOptions.ofExported},
	{"output of promtool", func([]byte) bool { return true }, []string{"server", "host", "device"},
		historyOptions.ofDump},
}

// isExported reports whether text is an answer of AWS: JSON, and not a sample of promtool, which may begin alike.
func isExported(text []byte) bool {
	first := bytes.TrimSpace(text)
	return bytes.HasPrefix(first, []byte("{")) && !bytes.HasPrefix(first, []byte("{__name__="))
}

// ofFiles reads files of other programs. The first file decides the kind.
func (o historyOptions) ofFiles(ctx context.Context, env command.Env, files []string) (answer, error) {
	var all []exported.File
	for _, name := range files {
		text, err := command.ReadExported(ctx, env, name)
		if err != nil {
			return answer{}, fmt.Errorf("read the exported file: %w", err)
		}
		switch first := bytes.TrimSpace(text); {
		case len(first) == 0:
			return answer{}, fmt.Errorf("%s: the file is empty", name)
		case bytes.HasPrefix(first, []byte("\x1f\x8b")), bytes.HasPrefix(first, []byte("\x28\xb5\x2f\xfd")):
			return answer{}, fmt.Errorf("%s: the file is compressed; unpack it first", name)
		case bytes.HasPrefix(first, []byte("<")):
			return answer{}, fmt.Errorf("%s: it is a web page or XML; did a proxy answer instead of the source?", name)
		}
		all = append(all, exported.File{Name: name, Text: text})
	}
	i := slices.IndexFunc(historyFiles, func(f historyFile) bool { return f.is(all[0].Text) })
	if err := o.unheeded(historyFiles[i].title, historyFiles[i].heeds); err != nil {
		return answer{}, err
	}
	return historyFiles[i].read(o, ctx, all, env.Now())
}

func (o historyOptions) ofExported(_ context.Context, files []exported.File, now time.Time) (h answer, err error) {
	h.Data, h.target, err = exported.History(files, exported.Asked{Flavor: o.flavor, Instance: o.instance}, now)
	h.provenance = "recorded by CloudWatch and exported by the aws program, not by realiops"
	return h, err
}

func (o historyOptions) ofDump(ctx context.Context, files []exported.File, now time.Time) (answer, error) {
	if len(files) > 1 {
		return answer{}, fmt.Errorf("%s is not from AWS, sysstat, Azure or vCenter, and only one file from promtool can be "+
			"read", files[0].Name)
	}
	store, from, to, err := prometheus.OpenDump(files[0].Name, files[0].Text)
	if err != nil {
		return answer{}, err
	}
	const before = time.Millisecond // a range excludes the sample at its begin
	q := prometheus.Query{Server: o.store.Server, Host: o.store.Host, Device: o.store.Device,
		From: from.Add(-before), To: to}
	h, err := ofStore(ctx, store, q, now)
	h.Asked.From = from.UTC()
	return h, err
}

func (o historyOptions) ofSysstat(ctx context.Context, files []exported.File, now time.Time) (h answer, err error) {
	names := words.Each(func(f exported.File) string { return f.Name }, files)
	source, err := sysstat.NewFleet(ctx, names, now, input.ReadExported)
	if err != nil {
		return h, err
	}
	machines := source.Databases()
	if len(machines) != 1 {
		return h, fmt.Errorf("the files are from %d machines, but history reads one; use realiops fleet for all",
			len(machines))
	}
	data, err := source.History(ctx, machines[0].Name)
	if err != nil {
		return h, err
	}
	data.Notices = source.Notices()
	return answer{data, machines[0].Target, "recorded by " + sysstat.Keeper(files[0].Text) + ", not by realiops"}, nil
}
