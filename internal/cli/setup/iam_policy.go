package setup

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/account"
)

// policyOptions are the flags of realiops aws policy.
type policyOptions struct {
	format         command.FormatFlag
	partition      string
	iamAuth        bool
	user, resource string
	only           string // the command of the policy
}

func newPolicyCommand(env command.Env) *cobra.Command {
	var o policyOptions
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Print the AWS permissions that realiops needs, and no others",
		Long: `Print the IAM policy that lets realiops read what AWS measures about a database: every call it makes,
and no other. None of these calls changes anything or shows table data. This command needs no network.`,
		Example: `  realiops aws policy > policy.json
  aws iam create-policy --policy-name realiops --policy-document file://policy.json
  realiops aws policy --for cost
  realiops aws policy --iam-auth --db-user me --format terraform`,
		Args: command.NoArguments,
		RunE: func(*cobra.Command, []string) error { return runPolicy(env, o) },
	}
	flags := command.Group("Flags")
	o.format.Add(flags.FlagSet, command.FormatJSON, command.FormatTerraform)
	flags.StringVar(&o.only, "for", "", "only the calls of one `COMMAND`: "+strings.Join(account.Commands(), ", "))
	flags.BoolVar(&o.iamAuth, "iam-auth", false, "also allow signing in to databases with tokens")
	flags.StringVar(&o.user, "db-user", "*", "with --iam-auth, only as this database `user`")
	flags.StringVar(&o.resource, "resource", "*",
		"with --iam-auth, only for this resource `ID`: db-… for an instance, cluster-… for a cluster")
	flags.StringVar(&o.partition, "partition", "aws", "the AWS `partition`: aws, aws-cn or aws-us-gov")
	return command.Describe(env, cmd, policyExitHelp, flags)
}

const policyExitHelp = `0  printed
1  wrong usage`

var (
	partitions   = regexp.MustCompile(`^aws(-[a-z]+)*$`)
	resourceIDs  = regexp.MustCompile(`^(\*|(db|cluster)-[A-Za-z0-9]+)$`)
	databaseUser = regexp.MustCompile(`^(\*|[A-Za-z_][\w$.@-]*)$`)
)

func (o policyOptions) check() error {
	switch {
	case o.only != "" && !slices.Contains(account.Commands(), o.only):
		return fmt.Errorf("--for %q: want a command that calls AWS: %s", o.only, strings.Join(account.Commands(), ", "))
	case !partitions.MatchString(o.partition):
		return fmt.Errorf("unknown partition %q; use aws, aws-cn or aws-us-gov", o.partition)
	case !o.iamAuth && (o.user != "*" || o.resource != "*"):
		return errors.New("--db-user and --resource need --iam-auth")
	case !resourceIDs.MatchString(o.resource):
		return fmt.Errorf("--resource %q: want one with db- or cluster-, as in realiops doctor --format json", o.resource)
	case !databaseUser.MatchString(o.user):
		return fmt.Errorf("--db-user %q is not a user name", o.user)
	}
	return nil
}

func runPolicy(env command.Env, o policyOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	statements := account.Policy(o.partition)
	if o.only != "" {
		statements = account.PolicyFor(o.partition, o.only)
	}
	if o.iamAuth {
		statements = append(statements, account.SignIn(o.partition, o.resource, o.user))
	}
	return env.Answer(o.format.Chosen, command.Finding{What: "a policy", Value: iamPolicy(statements),
		Forms: map[string]func(io.Writer) error{
			command.FormatTerraform: func(w io.Writer) error {
				_, err := io.WriteString(w, terraformOf(statements))
				return err
			},
		}})
}

func iamPolicy(statements []account.Statement) any {
	type statement struct {
		Sid, Effect string
		Action      []string
		Resource    string
	}
	policy := struct {
		Version   string
		Statement []statement
	}{Version: "2012-10-17"} // the latest version of the policy language
	for _, s := range statements {
		policy.Statement = append(policy.Statement, statement{s.ID, "Allow", s.Actions, s.Resource})
	}
	return policy
}

func terraformOf(statements []account.Statement) string {
	var b strings.Builder
	b.WriteString("data \"aws_iam_policy_document\" \"realiops\" {\n")
	for i, s := range statements {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b,
			"  # %s\n  statement {\n    sid       = %q\n    actions   = [\"%s\"]\n    resources = [%q]\n  }\n",
			s.Why, s.ID, strings.Join(s.Actions, `", "`), s.Resource)
	}
	b.WriteString("}\n\nresource \"aws_iam_policy\" \"realiops\" {\n  name   = \"realiops\"\n  policy = " +
		"data.aws_iam_policy_document.realiops.json\n}\n")
	return b.String()
}
