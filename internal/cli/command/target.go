package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/server/container"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/measure/target"
)

// TargetOptions are the flags that choose the server and what is allowed on it.
type TargetOptions struct {
	DSN, Container optional
	Own            bool // --embedded
	embedded       EmbeddedOptions
	AWS            target.AWSOptions

	Yes     bool
	Allowed postgres.Permissions
}

// optional is a flag's text and whether it was given: --dsn "" means the PG* variables.
type optional struct {
	text  string
	Given bool
}

func (o *optional) String() string     { return o.text }
func (o *optional) Type() string       { return "text" }
func (o *optional) Set(s string) error { o.text, o.Given = s, true; return nil }

// Groups returns the flags, with further ones for servers in AWS.
func (o *TargetOptions) Groups(aws ...func(*pflag.FlagSet)) []flagGroup {
	yours, ours := Group("Your server"), Group("A server that realiops starts")
	yours.Var(&o.DSN, "dsn",
		"measure this server: a `URL`, keywords or a database name, completed from PG* variables as psql does")
	yours.BoolVar(&o.Allowed.Shared, "shared", false, "go on even if other sessions work on the server")
	yours.BoolVar(&o.Allowed.Pooler, "allow-pooler", false, "go on even through a connection pooler")
	ours.BoolVar(&o.Own, "embedded", false,
		"start one even if PGHOST, PGHOSTADDR, PGSERVICE or DATABASE_URL names a server")
	o.embedded.AddFlags(ours.FlagSet)
	ours.Var(&o.Container, "container", "start it in a container of this `image`")
	ours.Lookup("container").NoOptDefVal = container.DefaultImage
	return []flagGroup{yours, ours, Group("A server in AWS", append([]func(*pflag.FlagSet){o.AddAWSFlags}, aws...)...)}
}

func (o *TargetOptions) AddAWSFlags(f *pflag.FlagSet) {
	AddSignInFlags(f, &o.AWS)
	f.StringVar(&o.AWS.Cluster, "cluster", "", "the `name` of the Aurora cluster; its writer is measured")
	f.StringArrayVar(&o.AWS.Volumes, "volume", nil, "the `ID` of an EBS volume under a server on EC2 (repeatable)")
	f.StringVar(&o.AWS.Machine, "ec2-instance", "",
		"the `ID` of the EC2 instance under the server, for the totals of its volumes")
}

// Target returns the server that the flags choose, with its password if it had to be typed. It rejects flags
// that do not apply to that server.
func (o *TargetOptions) Target(ctx context.Context, env Env) (chosen target.Options, err error) {
	own, inContainer := o.embedded.givenFlag(), o.embedded.notInContainer()
	switch {
	case o.DSN.Given && o.Container.Given:
		return chosen, errors.New("--dsn and --container cannot be combined")
	case o.Own && (o.DSN.Given || o.Container.Given):
		return chosen, errors.New("use only one of --embedded, --dsn and --container")
	case o.DSN.Given && own != "":
		return chosen, fmt.Errorf("%s cannot be used with --dsn; it is for a server that realiops starts", own)
	case o.Container.Given && inContainer != "":
		return chosen, fmt.Errorf("%s cannot be used with --container; it is for a server that realiops starts", inContainer)
	case o.AWS.Given() && !o.DSN.Given:
		return chosen, errors.New("--profile, --region, --role, --instance, --cluster, --volume, --ec2-instance and " +
			"--iam-auth are for a server in AWS and need --dsn")
	}
	var password string
	if o.DSN.Given && !o.AWS.IAMAuth {
		if password, err = o.askPassword(ctx, env); err != nil {
			return chosen, err
		}
	}
	return target.Options{
		Yours: o.DSN.Given, DSN: o.DSN.text, Password: password, AWS: o.AWS,
		Contained: o.Container.Given, Image: o.Container.text, Embedded: o.embedded.From(env), Allowed: o.Allowed,
	}, nil
}

func (o *TargetOptions) askPassword(ctx context.Context, env Env) (string, error) {
	endpoint, err := postgres.Parse(o.DSN.text)
	if err != nil {
		return "", err
	}
	return AskPassword(ctx, env, endpoint)
}

// Agree asks the user at the terminal, unless they have agreed already.
func Agree(env Env, agreed bool, question string) error {
	if agreed {
		return nil
	}
	if !env.InTerminal {
		return errors.New(question + " Agree with --yes")
	}
	env.Tell("%s", question)
	fmt.Fprint(env.Err, "Go on? Type yes: ")
	answer, err := bufio.NewReader(env.In).ReadString('\n')
	if strings.TrimSpace(answer) != "yes" {
		return errors.Join(errors.New("not confirmed; nothing was written"), err)
	}
	return nil
}

// UseHandedOver uses REALIOPS_DSN as --dsn if the flags choose no server: every user of a machine can see arguments.
func (o *TargetOptions) UseHandedOver(env Env) error {
	dsn := env.get("REALIOPS_DSN")
	if dsn == "" || o.DSN.Given || o.Container.Given || o.Own || o.embedded.givenFlag() != "" {
		return nil
	}
	if err := o.DSN.Set(dsn); err != nil {
		return fmt.Errorf("REALIOPS_DSN: %w", err)
	}
	return nil
}

// EmbeddedOptions are the flags for a PostgreSQL of our own. Its settings and keep apply to a container as well.
type EmbeddedOptions struct{ embedded.Options }

func (o *EmbeddedOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Version, "pg-version", "",
		"the `version` of PostgreSQL to run, 13 to 18, or exactly, such as 17.11 (default 17)")
	f.StringVar(&o.BinDir, "pg-bin", "", "the bin `directory` of an installed PostgreSQL, or \"installed\" to find one")
	f.StringVar(&o.DataDir, "data-dir", "",
		"an empty or new `directory` for its data (default: a temporary one on disk)")
	f.Var((*Size)(&o.OwnDevice), "own-device",
		"put its data on a loop device of this size, such as 4G, that nothing else uses; needs Linux and root")
	f.BoolVar(&o.AllowRAM, "allow-ram", false, "allow a data directory in memory, where nothing reaches a disk")
	f.BoolVar(&o.Keep, "keep", false, "keep the data, and print where it is")
	f.StringArrayVarP(&o.Settings, "set", "c", nil, "a setting of the server: `name=value` (repeatable)")
}

// givenFlag returns one of these flags that the user gave, or "".
func (o *EmbeddedOptions) givenFlag() string {
	switch {
	case len(o.Settings) > 0:
		return "--set"
	case o.Keep:
		return "--keep"
	default:
		return o.notInContainer()
	}
}

func (o *EmbeddedOptions) notInContainer() string {
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--pg-version", o.Version != ""}, {"--pg-bin", o.BinDir != ""}, {"--data-dir", o.DataDir != ""},
		{"--own-device", o.OwnDevice != 0}, {"--allow-ram", o.AllowRAM},
	} {
		if flag.given {
			return flag.name
		}
	}
	return ""
}

// From returns the options, with the repository of programs from the environment.
func (o *EmbeddedOptions) From(env Env) embedded.Options {
	o.Repository = env.Getenv("REALIOPS_PG_REPOSITORY")
	return o.Options
}

// AskPassword asks for a password at the terminal, like psql, if the server wants one and no other source has it. It
// returns "" if none is needed or there is no terminal.
func AskPassword(ctx context.Context, env Env, endpoint *postgres.Endpoint) (string, error) {
	terminal, ok := env.In.(*os.File)
	if !ok || !env.InTerminal || !env.ErrTerminal || env.get("CI") != "" {
		return "", nil
	}
	if needed, err := endpoint.NeedsPassword(ctx); err != nil || !needed {
		return "", err
	}
	return readPassword(ctx, env, terminal, fmt.Sprintf("Password for user %s: ", endpoint.User()))
}

// readPassword reads a line that the terminal does not show, until it is interrupted.
func readPassword(ctx context.Context, env Env, terminal *os.File, prompt string) (string, error) {
	fd := int(terminal.Fd())
	shown, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("read a password: %w", err)
	}
	fmt.Fprint(env.Err, prompt)
	defer fmt.Fprintln(env.Err) // the Enter is not shown either
	type answer struct {
		typed []byte
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		typed, err := term.ReadPassword(fd)
		answered <- answer{typed, err}
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			return "", errors.New("no password was given")
		}
		return string(a.typed), nil
	case <-ctx.Done():
		_ = term.Restore(fd, shown) // the process ends, and the terminal may be gone
		return "", context.Cause(ctx)
	}
}

// AddSignInFlags adds the flags for connecting without a password.
func AddSignInFlags(f *pflag.FlagSet, o *target.AWSOptions) {
	f.BoolVar(&o.IAMAuth, "iam-auth", false, "sign in to RDS or Aurora with AWS credentials instead of a password")
	f.StringVar(&o.Instance, "instance", "", "the `name` of the RDS or Aurora instance, if the host name does not tell")
	AddAccountFlags(f, &o.Account)
}

// AddAccountFlags adds the flags that choose an AWS account instead of the environment.
func AddAccountFlags(f *pflag.FlagSet, o *account.Options) {
	f.StringVar(&o.Profile, "profile", "", "the AWS `profile` to use (default: like the AWS CLI)")
	f.StringVar(&o.Region, "region", "", "the AWS `region` (default: from the host name, or like the AWS CLI)")
	f.StringVar(&o.Role, "role", "", "the `ARN` of an AWS role to assume")
}

// DefaultRegion is the region whose prices count if none is named.
const DefaultRegion = "us-east-1"

// OpenInRegion opens an account. It returns an error if no region is set.
func OpenInRegion(ctx context.Context, o account.Options) (*account.Account, error) {
	a, err := account.Open(ctx, o)
	if err == nil && a.Region() == "" {
		err = account.ErrNoRegion
	}
	return a, err
}
