package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/history/cloudwatch"
	"github.com/realiops/realiops/internal/measure/history/prometheus"
)

// StoreOptions are the flags that locate history, and select the server.
type StoreOptions struct {
	URL, TokenFile, Tenant      string
	SigV4                       bool
	Back                        Stretch
	Until, Server, Host, Device string
	NameLabel                   string // labels separated by commas
}

func (o *StoreOptions) AddFlags(f *pflag.FlagSet) {
	o.AddFleetFlags(f)
	f.StringVar(&o.Device, "device", "", "the `disk` that holds the data, as node_exporter names it")
}

// AddFleetFlags adds the flags that also apply to several servers.
func (o *StoreOptions) AddFleetFlags(f *pflag.FlagSet) {
	f.StringVar(&o.URL, "prometheus", "", "the `URL` of the store, with the path before /api/v1")
	f.StringVar(&o.TokenFile, "token-file", "", "a `file` with the bearer token")
	f.StringVar(&o.Tenant, "tenant", "", "the `ID` for X-Scope-OrgID, if the store has tenants")
	f.BoolVar(&o.SigV4, "sigv4", false,
		"sign requests with AWS credentials, as Amazon Managed Service for Prometheus requires")
	f.Var(&o.Back, "for", "`how long` back: 24h, 7d")
	f.StringVar(&o.Until, "until", "", "the end of the history, a `time` such as 2026-10-31T18:00:00Z (default: now)")
	f.StringVar(&o.Server, "server", "",
		"label `matchers` that select the exporters of the server, if there are several")
	f.StringVar(&o.Host, "host", "", "label `matchers` that select the machine's node_exporter, if there are several")
}

// AddNameLabel adds the flag for commands about many databases.
func (o *StoreOptions) AddNameLabel(f *pflag.FlagSet) {
	f.StringVar(&o.NameLabel, "name-label", "", "the `labels` whose values name a database, such as cluster,instance "+
		"or pod (default: its exporter's name for it, and any labels needed to tell it apart)")
}

// Open opens the store, and returns the query for it.
func (o StoreOptions) Open(ctx context.Context, env Env, who account.Options) (*prometheus.Store, prometheus.Options,
	prometheus.Query, error) {
	var q prometheus.Query
	asked := prometheus.Options{URL: o.URL, Tenant: o.Tenant, Tell: env.Tell}
	if o.URL == "" {
		return nil, asked, q, errors.New("name the store with --prometheus URL")
	}
	if o.TokenFile != "" {
		text, err := input.Read(ctx, o.TokenFile)
		if err != nil {
			return nil, asked, q, fmt.Errorf("read the token: %w", err)
		}
		if asked.Token = strings.TrimSpace(string(text)); asked.Token == "" || strings.ContainsAny(asked.Token, "\r\n") {
			return nil, asked, q, fmt.Errorf("%s: the token must be one line", o.TokenFile)
		}
	}
	until, err := o.end(env.Now())
	if err != nil {
		return nil, asked, q, err
	}
	for flag, matchers := range map[string]string{"server": o.Server, "host": o.Host} {
		if matchers != "" && !aMatcher.MatchString(matchers) {
			return nil, asked, q, fmt.Errorf(`--%s %s: want label matchers such as 'instance="db1:9187"'`, flag, matchers)
		}
	}
	q = prometheus.Query{Server: o.Server, Host: o.Host, Device: o.Device, NameLabels: strings.FieldsFunc(o.NameLabel,
		func(r rune) bool { return r == ',' }), From: until.Add(-time.Duration(o.Back)), To: until}
	if asked.Sign, err = o.signer(ctx, who); err != nil {
		return nil, asked, q, err
	}
	store, err := prometheus.Open(asked)
	return store, asked, q, err
}

// aMatcher matches text that begins with a label matcher, whose value may be in any of PromQL's quotes.
var aMatcher = regexp.MustCompile("^\\s*[a-zA-Z_\"'][^=!]*(=|!=|=~|!~)\\s*[\"'`]")

func (o StoreOptions) end(now time.Time) (time.Time, error) {
	if o.Until == "" {
		return now, nil
	}
	until, err := time.Parse(time.RFC3339, o.Until)
	if err != nil {
		return until, fmt.Errorf("--until %s: want a time such as 2026-10-31T18:00:00Z", o.Until)
	}
	if until.After(now) {
		return until, fmt.Errorf("--until %s is in the future; leave it out for a history up to now", o.Until)
	}
	return until, nil
}

// Settled returns the time to ask CloudWatch about: whole hours that no longer change.
func (o StoreOptions) Settled(now time.Time) (from, to time.Time, err error) {
	until, err := o.end(now)
	if err != nil {
		return from, to, err
	}
	back, err := o.Back.OfHours()
	if err != nil {
		return from, to, err
	}
	if to = cloudwatch.Settled(now); until.Before(to) {
		to = until.UTC().Truncate(time.Hour)
	}
	return to.Add(-back), to, nil
}

// Strayed rejects flags about a store if none is asked, since they would have no effect.
func (o StoreOptions) Strayed() error {
	if o.URL == "" && o != (StoreOptions{Back: o.Back}) {
		return errors.New("--token-file, --tenant, --sigv4, --until, --server, --host, --device and --name-label need a " +
			"store; name it with --prometheus")
	}
	return nil
}

// ofPrometheus is the signing name of Amazon Managed Service for Prometheus.
const ofPrometheus = "aps"

// regionInHost finds the region in aps-workspaces.eu-west-1.amazonaws.com, and in a VPC endpoint's host.
var regionInHost = regexp.MustCompile(`\.([a-z]{2}(?:-[a-z]+)+-\d)\.`)

// signer returns a function that signs requests to a store, or nil if none is needed.
func (o StoreOptions) signer(ctx context.Context, who account.Options) (func(*http.Request) error, error) {
	if !o.SigV4 {
		return nil, nil //nolint:nilnil // no signature is needed
	}
	address, err := url.Parse(o.URL)
	if err != nil {
		return nil, nil //nolint:nilnil // opening the store reports it
	}
	if o.TokenFile != "" || address.User != nil {
		return nil, errors.New("--sigv4 replaces a token or password; leave out --token-file and the user in the address")
	}
	if in := regionInHost.FindStringSubmatch(address.Hostname()); in != nil {
		who.Region = cmp.Or(who.Region, in[1])
	}
	a, err := OpenInRegion(ctx, who)
	if err != nil {
		return nil, err
	}
	return func(r *http.Request) error { return a.Sign(ofPrometheus, r) }, nil
}
