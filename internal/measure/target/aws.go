package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/runfile"
)

// AWSOptions say which of AWS's databases a server is, and how to ask AWS about it.
type AWSOptions struct {
	Account           account.Options
	Instance, Cluster string
	Volumes           []string // EBS volumes of a server on EC2
	Machine           string   // its EC2 instance
	IAMAuth           bool     // use AWS credentials instead of a password
}

// Given reports whether any option is set.
func (o AWSOptions) Given() bool {
	return o.Account != account.Options{} || o.Instance != "" || o.Cluster != "" || o.onEC2() || o.IAMAuth
}

// onEC2 reports whether the server runs on an EC2 instance, not on RDS.
func (o AWSOptions) onEC2() bool { return len(o.Volumes) > 0 || o.Machine != "" }

// AWS holds AWS's description of a server. The zero value is a server that AWS does not run.
type AWS struct {
	Account *account.Account
	Found   *rds.Found
	Cloud   *runfile.Cloud // nil if AWS did not answer
	Trouble error          // why it did not

	host string // AWS's host name of the database; empty if the server's name does not lead to it
	kind rds.Kind
}

// Open prepares to ask AWS about a server, if its name or the options say that it is one
// of AWS's. It asks only the DNS.
func (o AWSOptions) Open(ctx context.Context, endpoint *postgres.Endpoint) (a AWS, err error) {
	name, host, known := rds.Resolve(ctx, endpoint.Host(), rds.Aliases((&net.Dialer{}).DialContext))
	if !known && !o.Given() {
		return a, nil
	}
	a.host, a.kind = name, host.Kind
	of := o.Account
	of.Region = cmp.Or(of.Region, host.Region)
	if a.Account, err = account.Open(ctx, of); err != nil {
		if o.Given() {
			return a, err
		}
		return AWS{host: name, kind: host.Kind, Trouble: err}, nil // AWS was not asked for by an option
	}
	if o.IAMAuth {
		return a, a.signIn(ctx, o, endpoint)
	}
	return a, nil
}

// signIn makes each connection use a token for the host name that AWS knows. If the connection uses
// another name, it asks AWS for it.
func (a *AWS) signIn(ctx context.Context, o AWSOptions, endpoint *postgres.Endpoint) error {
	host, port := a.host, endpoint.Port()
	if host == "" {
		found, err := rds.Find(ctx, a.Account.Config(), rds.Query{Instance: o.Instance, Cluster: o.Cluster})
		if err != nil {
			return fmt.Errorf("--iam-auth: %w", err)
		}
		host, port = found.Endpoint, found.Port
	}
	if _, err := a.Account.Credentials(ctx); err != nil {
		return fmt.Errorf("--iam-auth: %w", err)
	}
	endpoint.SetPassword(func(ctx context.Context) (string, error) {
		return rds.Token(ctx, a.Account.Config(), host, port, endpoint.User())
	})
	return nil
}

// AskWithin bounds a run's wait for AWS before it goes on without.
const AskWithin = 30 * time.Second

// ask asks AWS about the server. If AWS does not answer, a run goes on without.
func (a *AWS) ask(ctx context.Context, o AWSOptions, facts postgres.Facts) {
	if a.Account == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, AskWithin)
	defer cancel()
	if a.Account.Region() == "" {
		a.Trouble = account.ErrNoRegion
		return
	}
	if o.onEC2() {
		a.Cloud = &runfile.Cloud{Provider: "aws", Region: a.Account.Region(), Volumes: o.Volumes, Machine: o.Machine}
		return
	}
	found, err := a.find(ctx, o, facts.Instance)
	if err != nil {
		a.Trouble = err
		return
	}
	a.Found, a.Cloud = &found, &found.Cloud
}

func (a *AWS) find(ctx context.Context, o AWSOptions, answering string) (rds.Found, error) {
	return rds.Find(ctx, a.Account.Config(), rds.Query{Host: a.host, Instance: o.Instance, Cluster: o.Cluster,
		Answering: answering})
}

// silence explains, by AWS's word, why a server does not answer: a deleted database has no address,
// and a stopped one has no server.
func (a *AWS) silence(ctx context.Context, o AWSOptions) error {
	if a.Account == nil || a.Account.Region() == "" || o.onEC2() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, AskWithin)
	defer cancel()
	switch found, err := a.find(ctx, o, ""); {
	case errors.Is(err, rds.ErrNotThere):
		return fmt.Errorf("AWS reports: %w", err)
	case err == nil && found.Status != "" && found.Status != "available":
		return fmt.Errorf("AWS reports that the instance %s is %s", found.Cloud.Instance, found.Status)
	case err == nil && o.IAMAuth && !found.IAM:
		return fmt.Errorf("the instance %s does not accept tokens; enable its IAM database authentication",
			found.Cloud.Instance)
	default:
		return nil
	}
}

// refuse returns why the server may not be loaded, by AWS's description of it, or nil.
func (a AWS) refuse(allowed postgres.Permissions) error {
	switch {
	case a.kind == rds.Proxy && !allowed.Pooler:
		return fmt.Errorf("%s is an RDS Proxy, which keeps our sessions open; connect to the cluster or the instance "+
			"itself, or accept that with --allow-pooler", a.host)
	case a.Cloud != nil && a.Cloud.Role == rds.RoleReader:
		return fmt.Errorf("%s is a reader of the cluster %s, which does not accept writes; connect to %s",
			a.Cloud.Instance, a.Cloud.Cluster, a.Found.WriterEndpoint)
	default:
		return nil
	}
}

// Notice names what a run lacks because AWS did not answer, and why; empty if nothing.
func (a AWS) Notice(facts postgres.Facts) string {
	if why := a.Unknown(facts); why != "" {
		return "AWS's own metrics are left out: " + why
	}
	return ""
}

// Unknown returns why AWS's name of the server is unknown; empty if it is known, or the server is not in AWS.
func (a AWS) Unknown(facts postgres.Facts) string {
	switch {
	case a.Trouble != nil:
		return a.Trouble.Error()
	case a.Account == nil && facts.Flavor != postgres.FlavorPostgres:
		return fmt.Sprintf("this is %s, but the host does not identify the instance; set --instance and --region",
			map[string]string{postgres.FlavorAurora: "Aurora", postgres.FlavorRDS: "RDS"}[facts.Flavor])
	default:
		return ""
	}
}

// flavor returns the server's flavor, by AWS's word if the server does not say it.
func (a AWS) flavor(facts postgres.Facts) string {
	switch {
	case facts.Flavor != postgres.FlavorPostgres || a.Cloud == nil || a.Cloud.Engine == "":
		return facts.Flavor
	case a.Cloud.Aurora():
		return postgres.FlavorAurora
	default:
		return postgres.FlavorRDS
	}
}

// MovedTo returns AWS's description of the instance that took over, or nil if the load is still on the same one.
// Values that AWS does not know yet are kept, except the instance's own.
func (a *AWS) MovedTo(ctx context.Context, instance string) *runfile.Cloud {
	if instance == "" || strings.EqualFold(instance, a.Cloud.Instance) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, AskWithin)
	defer cancel()
	moved := *a.Cloud
	if found, err := rds.Find(ctx, a.Account.Config(), rds.Query{Host: a.host, Answering: instance}); err == nil {
		moved = found.Cloud
	} else {
		moved.Resource, moved.Insights = "", false
	}
	moved.Instance, moved.Role = instance, rds.RoleWriter
	return &moved
}
