package command

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
func (o StoreOptions) signer(ctx context.Context, who account.Options) (func(*http.Request) error, error) {
	if !o.SigV4 {
		return nil, nil //nolint:nilnil // no signature is wanted
	}
	address, err := url.Parse(o.URL)
	if err != nil {
		return nil, nil //nolint:nilnil // which whoever opens it says
	}
	if o.TokenFile != "" || address.User != nil {
		return nil, errors.New("--sigv4 signs in the place of a token or a password: leave out --token-file, and who " +
			"stands in the address")
	}
	if in := regionInHost.FindStringSubmatch(address.Hostname()); in != nil {
		who.Region = cmp.Or(who.Region, in[1])
	}
	a, err := OpenInRegion(ctx, who)
	if err != nil {
		return nil, err
	}
	return func(r *http.Request) error { return a.Sign(ofPrometheus, r) }, nil
}
