package command

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/target"
)

// AddSignInFlags adds the flags for connecting without a password.
func AddSignInFlags(f *pflag.FlagSet, o *target.AWSOptions) {
	f.BoolVar(&o.IAMAuth, "iam-auth", false, "sign in to RDS or Aurora with AWS credentials instead of a password")
	f.StringVar(&o.Instance, "instance", "", "the `name` of the RDS or Aurora instance, if the host name does not tell")
	AddAccountFlags(f, &o.Account)
}

// AddAccountFlags adds the flags that choose an AWS account instead of the environment.
func AddAccountFlags(f *pflag.FlagSet, o *account.Options) {
	f.StringVar(&o.Profile, "profile", "", "the AWS `profile` to use (default: like the AWS CLI)")
	f.StringVar(&o.Region, "region", "",
		"the AWS `region` (default: from the host name, or like the AWS CLI)")
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
