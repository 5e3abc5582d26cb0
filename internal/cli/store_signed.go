package cli

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"

	"github.com/realiops/realiops/internal/measure/account"
)

// ofPrometheus is the name of Amazon Managed Service for Prometheus in signatures.
const ofPrometheus = "aps"

// regionInHost finds the region in aps-workspaces.eu-west-1.amazonaws.com, and in the host of an endpoint in a VPC.
var regionInHost = regexp.MustCompile(`\.([a-z]{2}(?:-[a-z]+)+-\d)\.`)

// signer signs what a store is asked, where that is wanted.
func (o storeOptions) signer(ctx context.Context, who account.Options) (func(*http.Request) error, error) {
	if !o.sigv4 {
		return nil, nil //nolint:nilnil // no signature is wanted
	}
	address, err := url.Parse(o.url)
	if err != nil {
		return nil, nil //nolint:nilnil // which whoever opens it says
	}
	if o.tokenFile != "" || address.User != nil {
		return nil, errors.New("--sigv4 signs in the place of a token or a password: leave out --token-file, and who stands in the address")
	}
	if in := regionInHost.FindStringSubmatch(address.Hostname()); in != nil {
		who.Region = cmp.Or(who.Region, in[1])
	}
	a, err := openInRegion(ctx, who)
	if err != nil {
		return nil, err
	}
	return func(r *http.Request) error { return a.Sign(ofPrometheus, r) }, nil
}

// openInRegion opens an account, and refuses one of which nobody named the region.
func openInRegion(ctx context.Context, o account.Options) (*account.Account, error) {
	a, err := account.Open(ctx, o)
	if err == nil && a.Region() == "" {
		err = errors.New("the region of AWS is not known: name it with --region or AWS_REGION")
	}
	return a, err
}
