package setup

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/pricing"
	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/prices"
)

type pricesOptions struct {
	account account.Options
	public  bool
	out     string
}

func NewPricesCommand(env command.Env) *cobra.Command {
	return below(env, "prices", "Fetch a cloud's prices, for realiops size --price",
		`Fetch a cloud's prices for storage and machines in a region, and write a file for realiops size --price,
which uses it before the built-in prices. Google's price API needs a key and is not supported.`,
		`  realiops prices aws --region eu-west-1 -o prices.json
  realiops prices azure --region westeurope -o azure.json
  realiops size LAST --region eu-west-1 --price prices.json`, newPricesOfAWS(env), newPricesOfAzure(env))
}

func newPricesOfAWS(env command.Env) *cobra.Command {
	var o pricesOptions
	cmd := &cobra.Command{
		Use:   "aws",
		Short: "Fetch AWS's prices",
		Long: `Fetch AWS's on-demand prices for EBS volumes, RDS storage, Aurora, and EC2 and RDS machines in a
region, and write a file for realiops size --price, which uses it before the built-in prices. The credentials
need pricing:GetProducts.

--public reads AWS's public price files instead. It needs no account, and downloads a few hundred megabytes.`,
		Example: `  realiops prices aws --region eu-west-1 -o prices.json
  realiops prices aws --region eu-west-1 --public -o prices.json`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.write(cmd.Context(), env, o.ofAWS) },
	}
	flags := command.Group("Flags")
	flags.StringVarP(&o.out, "output", "o", "", "`file` to write (default: standard output)")
	flags.BoolVar(&o.public, "public", false, "read AWS's public price files, without an account")
	command.AddAccountFlags(flags.FlagSet, &o.account)
	flags.Lookup("region").Usage = "the `region` of the prices (default: like the AWS CLI)"
	return command.Describe(env, cmd, pricesExitHelp, flags)
}

func newPricesOfAzure(env command.Env) *cobra.Command {
	var o pricesOptions
	cmd := &cobra.Command{
		Use:   "azure",
		Short: "Fetch Azure's retail prices, without an account",
		Long: `Fetch Azure's retail prices for Premium SSD, Premium SSD v2 and Ultra Disk in a region, and write a
file for realiops size --price, which uses it before the built-in prices. No account is needed.`,
		Example: `  realiops prices azure --region westeurope -o azure.json`,
		Args:    command.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.write(cmd.Context(), env, o.ofAzure) },
	}
	flags := command.Group("Flags")
	flags.StringVarP(&o.out, "output", "o", "", "`file` to write (default: standard output)")
	flags.StringVar(&o.account.Region, "region", "", "the `region` of the prices, such as westeurope")
	return command.Describe(env, cmd, pricesExitHelp, flags)
}

const pricesExitHelp = `0  written
1  wrong usage, the cloud could not be asked, or it has no prices for the region`

// errNoRegion refuses to guess a region, whose prices would look like another's.
var errNoRegion = errors.New("name the region with --region")

// write writes the prices from ask, and names those that it could not read.
func (o *pricesOptions) write(ctx context.Context, env command.Env,
	ask func(context.Context) (prices.List, error)) error {
	list, err := ask(ctx)
	if err != nil {
		return err
	}
	for _, unread := range list.Unread {
		env.Tell("left out: %s", unread)
	}
	return writeList(env, o.out, list.Prices)
}

func (o *pricesOptions) ofAzure(ctx context.Context) (prices.List, error) {
	if o.account.Region == "" {
		return prices.List{}, errNoRegion
	}
	return prices.Published(http.DefaultClient).OfAzure(ctx, o.account.Region)
}

func (o *pricesOptions) ofAWS(ctx context.Context) (prices.List, error) {
	switch {
	case o.public && o.account.Region == "":
		return prices.List{}, errNoRegion
	case o.public:
		return prices.Published(http.DefaultClient).OfAWS(ctx, o.account.Region)
	}
	a, err := command.OpenInRegion(ctx, o.account)
	if err != nil {
		return prices.List{}, err
	}
	region := a.Region()
	list, err := prices.Ask(ctx, pricing.NewFromConfig(a.In(prices.Home(region)).Config()), region)
	if err != nil {
		return prices.List{}, account.Explain(err)
	}
	return list, nil
}
