package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/runfile"
)

// accountOptions are the flags that choose an AWS account where the environment does not.
type accountOptions struct{ profile, region, role string }

func (o *accountOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.profile, "profile", "", "the AWS `profile` to ask with (default: as the AWS programs choose)")
	f.StringVar(&o.region, "region", "", "the AWS `region` to ask (default: as the host's name says, or as the AWS programs choose)")
	f.StringVar(&o.role, "role", "", "the AWS role to ask as, by its `ARN`")
}

func (o accountOptions) open(ctx context.Context, region string) (*account.Account, error) {
	if o.region != "" {
		region = o.region
	}
	return account.Open(ctx, account.Options{Profile: o.profile, Region: region, Role: o.role})
}

// awsOptions are the flags that say which database of AWS's the server is, and how to ask AWS about it.
type awsOptions struct {
	account           accountOptions
	instance, cluster string
	volumes           []string
	machine           string
	iamAuth           bool
}

func (o *awsOptions) addFlags(f *pflag.FlagSet) {
	o.addSignInFlags(f)
	f.StringVar(&o.cluster, "cluster", "", "the `name` of the Aurora cluster, whose writer is measured")
	f.StringArrayVar(&o.volumes, "volume", nil, "the `ID` of an EBS volume under a server on EC2, as often as there are any")
	f.StringVar(&o.machine, "ec2-instance", "", "the `ID` of the EC2 instance that the server runs on, for what all its volumes do together")
}

// addSignInFlags adds those that a connection without a password may take.
func (o *awsOptions) addSignInFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.iamAuth, "iam-auth", false, "sign in to RDS or Aurora with AWS credentials instead of a password")
	f.StringVar(&o.instance, "instance", "", "the `name` of the RDS or Aurora instance, where the host does not say it")
	o.account.addFlags(f)
}

// given tells whether any flag speaks of AWS.
func (o awsOptions) given() bool {
	return o.account != accountOptions{} || o.instance != "" || o.cluster != "" || o.onEC2() || o.iamAuth
}

// onEC2 tells whether the server is one that its users run themselves.
func (o awsOptions) onEC2() bool { return len(o.volumes) > 0 || o.machine != "" }

// awsTarget is what a server is to AWS. The zero value is a server that AWS is not asked about.
type awsTarget struct {
	account *account.Account
	host    string // by which AWS knows the database; empty where the name of the server does not lead to it
	kind    rds.Kind
	found   *rds.Found
	cloud   *runfile.Cloud // nil where AWS did not say
	trouble error          // why it did not
}

// open prepares to ask AWS about a server, if it is one of AWS's by its name, or the flags say so. It asks nobody but
// the DNS.
func (o awsOptions) open(ctx context.Context, endpoint *postgres.Endpoint) (a awsTarget, err error) {
	name, host, known := rds.Resolve(ctx, endpoint.Host(), rds.Aliases((&net.Dialer{}).DialContext))
	if !known && !o.given() {
		return a, nil
	}
	a.host, a.kind = name, host.Kind
	if a.account, err = o.account.open(ctx, host.Region); err != nil {
		if o.given() {
			return a, err
		}
		return awsTarget{host: name, kind: host.Kind, trouble: err}, nil // of settings that this command did not ask for
	}
	if o.iamAuth {
		return a, a.signIn(ctx, o, endpoint)
	}
	return a, nil
}

// signIn has each connection use a token. It is made for the host that AWS knows; where the server goes by another name,
// AWS is asked for that.
func (a *awsTarget) signIn(ctx context.Context, o awsOptions, endpoint *postgres.Endpoint) error {
	host, port := a.host, endpoint.Port()
	if host == "" {
		found, err := rds.Find(ctx, a.account.Config(), rds.Query{Instance: o.instance, Cluster: o.cluster})
		if err != nil {
			return fmt.Errorf("--iam-auth: %w", err)
		}
		host, port = found.Endpoint, found.Port
	}
	if _, err := a.account.Credentials(ctx); err != nil {
		return fmt.Errorf("--iam-auth: %w", err)
	}
	endpoint.SetPassword(func(ctx context.Context) (string, error) {
		return rds.Token(ctx, a.account.Config(), host, port, endpoint.User())
	})
	return nil
}

// askWithin bounds what a run waits for AWS before it goes on without.
const askWithin = 30 * time.Second

// ask finds out what the server is to AWS. That AWS does not say is no error: a run goes on without.
func (a *awsTarget) ask(ctx context.Context, o awsOptions, facts postgres.Facts) {
	if a.account == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	if a.account.Region() == "" {
		a.trouble = errors.New("the region of AWS is not known: name it with --region or AWS_REGION")
		return
	}
	if o.onEC2() {
		a.cloud = &runfile.Cloud{Provider: "aws", Region: a.account.Region(), Volumes: o.volumes, Machine: o.machine}
		return
	}
	found, err := a.find(ctx, o, facts.Instance)
	if err != nil {
		a.trouble = err
		return
	}
	a.found, a.cloud = &found, &found.Cloud
}

func (a *awsTarget) find(ctx context.Context, o awsOptions, answering string) (rds.Found, error) {
	return rds.Find(ctx, a.account.Config(), rds.Query{Host: a.host, Instance: o.instance, Cluster: o.cluster, Answering: answering})
}

// silence says why a server does not answer, where AWS knows: a database that was deleted has no address any more, and
// one that is stopped has no server.
func (a *awsTarget) silence(ctx context.Context, o awsOptions) error {
	if a.account == nil || a.account.Region() == "" || o.onEC2() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	found, err := a.find(ctx, o, "")
	switch {
	case errors.Is(err, rds.ErrNotThere):
		return fmt.Errorf("AWS says: %w", err)
	case err == nil && found.Status != "" && found.Status != "available":
		return fmt.Errorf("AWS says that the instance %s is %s", found.Cloud.Instance, found.Status)
	case err == nil && o.iamAuth && !found.IAM:
		return fmt.Errorf("AWS says that the instance %s takes no tokens: switch on its IAM database authentication", found.Cloud.Instance)
	default:
		return nil
	}
}

// refuse says why the server may not be loaded by what it is to AWS, or nil.
func (a awsTarget) refuse(allowed postgres.Permissions) error {
	switch {
	case a.kind == rds.Proxy && !allowed.Pooler:
		return fmt.Errorf("%s is an RDS Proxy, behind which our clients never really leave: connect to the cluster or the instance itself, "+
			"or take that with --allow-pooler", a.host)
	case a.cloud != nil && a.cloud.Role == rds.RoleReader:
		return fmt.Errorf("%s is a reader of the cluster %s, not its writer, and takes no writes: connect to %s",
			a.cloud.Instance, a.cloud.Cluster, a.found.WriterEndpoint)
	default:
		return nil
	}
}

// notice says what of AWS a run here goes without, and why; empty where there is nothing to say.
func (a awsTarget) notice(facts postgres.Facts) string {
	switch {
	case a.trouble != nil:
		return "AWS's own metrics are left out: " + a.trouble.Error()
	case a.account == nil && facts.Flavor != postgres.FlavorPostgres:
		return fmt.Sprintf("AWS's own metrics are left out: this is %s, and the host does not say which of AWS's it is: name it with --instance and --region",
			map[string]string{postgres.FlavorAurora: "Aurora", postgres.FlavorRDS: "RDS"}[facts.Flavor])
	default:
		return ""
	}
}

// flavor is the server's, by AWS's word where the server itself does not say it.
func (a awsTarget) flavor(facts postgres.Facts) string {
	switch {
	case facts.Flavor != postgres.FlavorPostgres || a.cloud == nil || a.cloud.Engine == "":
		return facts.Flavor
	case strings.HasPrefix(a.cloud.Engine, "aurora"):
		return postgres.FlavorAurora
	default:
		return postgres.FlavorRDS
	}
}

// secrets are what must not be written down of the account.
func (a awsTarget) secrets(ctx context.Context) []string {
	if a.account == nil {
		return nil
	}
	return a.account.Secrets(ctx)
}
