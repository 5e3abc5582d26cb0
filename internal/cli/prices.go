package cli

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/pricing"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/prices"
)

// pricesOptions are the flags of realiops prices.
type pricesOptions struct {
	account account.Options
	out     string
}

func newPricesCommand(env Env) *cobra.Command {
	var o pricesOptions
	cmd := &cobra.Command{
		Use:   "prices",
		Short: "Ask AWS for its prices, for realiops size --price",
		Long: `Ask AWS's price list what volumes, RDS storage and Aurora cost in a region, on demand, and write a file that
realiops size --price takes before the program's own prices. AWS must let these credentials call pricing:GetProducts.`,
		Example: `  realiops prices --region eu-west-1 -o prices.json
  realiops size LAST --region eu-west-1 --price prices.json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runPrices(cmd.Context(), env, o) },
	}
	return describe(env, cmd, pricesExitHelp, group("Flags", o.addFlags))
}

const pricesExitHelp = `0  written
1  wrong usage, AWS could not be asked, or it has no prices of the region`

func (o *pricesOptions) addFlags(f *pflag.FlagSet) {
	f.StringVarP(&o.out, "output", "o", "", "`file` to write (default: standard output)")
	addAccountFlags(f, &o.account)
	f.Lookup("region").Usage = "the `region` whose prices are asked for (default: as the AWS programs choose)"
}

func runPrices(ctx context.Context, env Env, o pricesOptions) error {
	a, err := account.Open(ctx, o.account)
	if err != nil {
		return err
	}
	region := a.Region()
	if region == "" {
		return errors.New("name the region whose prices you want with --region")
	}
	client := pricing.NewFromConfig(a.In(prices.Home(region)).Config())
	list, err := prices.Ask(ctx, client, region)
	if err != nil {
		return account.Explain(err)
	}
	for _, unread := range list.Unread {
		env.tell("left out: %s", unread)
	}
	return o.write(env, list)
}

func (o pricesOptions) write(env Env, list prices.List) error {
	var text bytes.Buffer
	if err := report.JSON(&text, list.Prices); err != nil {
		return err
	}
	return writeTo(o.out, env.Out, func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err })
}
