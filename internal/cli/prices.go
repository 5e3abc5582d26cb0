package cli

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/pricing"
	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/prices"
)

// pricesOptions are the flags of realiops prices.
type pricesOptions struct {
	account account.Options
	public  bool
	azure   string // region
	out     string
}

func newPricesCommand(env Env) *cobra.Command {
	var o pricesOptions
	cmd := &cobra.Command{
		Use:   "prices",
		Short: "Ask AWS for its prices, for realiops size --price",
		Long: `Ask AWS's price list what EBS volumes, RDS storage, Aurora, and machines of EC2 and RDS cost on demand in a region, and
write a file that realiops size --price takes before the program's own prices. The credentials need
pricing:GetProducts.

--public reads the price files that AWS publishes for everybody instead: some hundred megabytes, and no account.
--azure reads Azure's retail prices of Premium SSD, Premium SSD v2 and Ultra Disk, without an account. Google's prices
need a key and are not read.`,
		Example: `  realiops prices --region eu-west-1 -o prices.json
  realiops prices --region eu-west-1 --public -o prices.json
  realiops prices --azure westeurope -o azure.json
  realiops size LAST --region eu-west-1 --price prices.json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runPrices(cmd.Context(), env, o) },
	}
	flags := group("Flags")
	flags.StringVarP(&o.out, "output", "o", "", "`file` to write (default: standard output)")
	flags.BoolVar(&o.public, "public", false, "read AWS's price files, without an account")
	flags.StringVar(&o.azure, "azure", "", "read Azure's retail prices of a `region`, as westeurope, without an account")
	addAccountFlags(flags.FlagSet, &o.account)
	flags.Lookup("region").Usage = "the `region` whose prices are asked for (default: as the AWS programs choose)"
	return describe(env, cmd, pricesExitHelp, flags)
}

const pricesExitHelp = `0  written
1  wrong usage, AWS could not be asked, or it has no prices of the region`

func runPrices(ctx context.Context, env Env, o pricesOptions) error {
	list, err := o.ask(ctx)
	if err != nil {
		return err
	}
	for _, unread := range list.Unread {
		env.tell("left out: %s", unread)
	}
	return writeList(env, o.out, list.Prices)
}

// ask reads the prices from where they were asked for.
func (o pricesOptions) ask(ctx context.Context) (prices.List, error) {
	published := prices.Published(http.DefaultClient)
	switch {
	case o.azure != "" && (o.public || o.account.Region != ""):
		return prices.List{}, errors.New("--azure names Azure's region: leave --public and --region out")
	case o.azure != "":
		return published.OfAzure(ctx, o.azure)
	case o.public && o.account.Region == "":
		return prices.List{}, errors.New("name the region whose prices you want with --region")
	case o.public:
		return published.OfAWS(ctx, o.account.Region)
	}
	a, err := account.Open(ctx, o.account)
	if err != nil {
		return prices.List{}, err
	}
	region := a.Region()
	if region == "" {
		return prices.List{}, errors.New("name the region whose prices you want with --region")
	}
	list, err := prices.Ask(ctx, pricing.NewFromConfig(a.In(prices.Home(region)).Config()), region)
	if err != nil {
		return prices.List{}, account.Explain(err)
	}
	return list, nil
}
