package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/server/container"
	"github.com/realiops/realiops/internal/measure/target"
)

// targetOptions are the flags that choose the server and what is allowed on it.
type targetOptions struct {
	dsn       optional
	container optional
	own       bool // --embedded
	embedded  embeddedOptions
	aws       target.AWSOptions

	yes     bool
	allowed postgres.Permissions
}

// optional is a flag's text and whether it was given at all: --dsn "" means the PG* variables.
type optional struct {
	text  string
	given bool
}

func (o *optional) String() string     { return o.text }
func (o *optional) Type() string       { return "text" }
func (o *optional) Set(s string) error { o.text, o.given = s, true; return nil }

// groups are its flags, with further ones for servers in AWS.
func (o *targetOptions) groups(aws ...func(*pflag.FlagSet)) []flagGroup {
	yours, ours := group("A server of yours"), group("A server that is started for it")
	yours.Var(&o.dsn, "dsn", "measure this server: a `URL`, keywords or a database name, completed from PG* variables as psql does")
	yours.BoolVar(&o.allowed.Shared, "shared", false, "go on even if other sessions work on the server")
	yours.BoolVar(&o.allowed.Pooler, "allow-pooler", false, "go on even through a connection pooler")
	ours.BoolVar(&o.own, "embedded", false, "start one even if the environment names a server (PGHOST, PGHOSTADDR, PGSERVICE, DATABASE_URL)")
	o.embedded.addFlags(ours.FlagSet)
	ours.Var(&o.container, "container", "start it in a container of this `image`")
	ours.Lookup("container").NoOptDefVal = container.DefaultImage
	return []flagGroup{yours, ours, group("A server in AWS", append([]func(*pflag.FlagSet){o.addAWSFlags}, aws...)...)}
}

func (o *targetOptions) addAWSFlags(f *pflag.FlagSet) {
	addSignInFlags(f, &o.aws)
	f.StringVar(&o.aws.Cluster, "cluster", "", "the `name` of the Aurora cluster, whose writer is measured")
	f.StringArrayVar(&o.aws.Volumes, "volume", nil, "the `ID` of an EBS volume under a server on EC2 (repeatable)")
	f.StringVar(&o.aws.Machine, "ec2-instance", "", "the `ID` of the EC2 instance under the server, for the sums of its volumes")
}

// addSignInFlags adds those that a connection without a password may take.
func addSignInFlags(f *pflag.FlagSet, o *target.AWSOptions) {
	f.BoolVar(&o.IAMAuth, "iam-auth", false, "sign in to RDS or Aurora with AWS credentials instead of a password")
	f.StringVar(&o.Instance, "instance", "", "the `name` of the RDS or Aurora instance, if the host does not say it")
	addAccountFlags(f, &o.Account)
}

// addAccountFlags adds those that choose an AWS account where the environment does not.
func addAccountFlags(f *pflag.FlagSet, o *account.Options) {
	f.StringVar(&o.Profile, "profile", "", "the AWS `profile` to ask with (default: as the aws program chooses)")
	f.StringVar(&o.Region, "region", "", "the AWS `region` to ask (default: as the host's name says, or as the aws program chooses)")
	f.StringVar(&o.Role, "role", "", "the `ARN` of an AWS role to assume")
}

// target is the server that the flags choose. It refuses flags of which one says nothing about the server that another chooses.
func (o *targetOptions) target(env Env) (chosen target.Options, err error) {
	own, inContainer := o.embedded.given(), o.embedded.notInContainer()
	switch {
	case o.dsn.given && o.container.given:
		return chosen, errors.New("--dsn and --container exclude each other")
	case o.own && (o.dsn.given || o.container.given):
		return chosen, errors.New("--embedded goes with neither --dsn nor --container: each of them chooses a server")
	case o.dsn.given && own != "":
		return chosen, fmt.Errorf("%s is for a server that realiops starts itself: it does not go with --dsn", own)
	case o.container.given && inContainer != "":
		return chosen, fmt.Errorf("%s is for a server that realiops starts itself: it does not go with --container", inContainer)
	case o.aws.Given() && !o.dsn.given:
		return chosen, errors.New("--profile, --region, --role, --instance, --cluster, --volume, --ec2-instance and --iam-auth are for a server in AWS: they go with --dsn")
	}
	return target.Options{
		Yours: o.dsn.given, DSN: o.dsn.text, AWS: o.aws,
		Contained: o.container.given, Image: o.container.text, Embedded: o.embedded.options(env),
		Allowed: o.allowed,
	}, nil
}

// agree asks whoever sits at the terminal, unless they have agreed already.
func agree(env Env, agreed bool, question string) error {
	if agreed {
		return nil
	}
	if !env.InTerminal {
		return errors.New(question + " Agree with --yes")
	}
	env.tell("%s", question)
	fmt.Fprint(env.Err, "Go on? Type yes: ")
	answer, err := bufio.NewReader(env.In).ReadString('\n')
	if strings.TrimSpace(answer) != "yes" {
		return errors.Join(errors.New("not agreed to: nothing was written"), err)
	}
	return nil
}

// useHandedOver takes REALIOPS_DSN for --dsn, where the flags choose no server: every user of a machine can see
// arguments.
func (o *targetOptions) useHandedOver(env Env) error {
	dsn := env.get("REALIOPS_DSN")
	if dsn == "" || o.dsn.given || o.container.given || o.own || o.embedded.given() != "" {
		return nil
	}
	if err := o.dsn.Set(dsn); err != nil {
		return fmt.Errorf("REALIOPS_DSN: %w", err)
	}
	return nil
}
