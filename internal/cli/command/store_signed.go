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

// ofPrometheus is the signing name of Amazon Managed Service for Prometheus.
const ofPrometheus = "aps"

// regionInHost finds the region in aps-workspaces.eu-west-1.amazonaws.com, and in a VPC endpoint's host.
var regionInHost = regexp.MustCompile(`\.([a-z]{2}(?:-[a-z]+)+-\d)\.`)

// signer returns a function that signs requests to a store, or nil if none is needed.
func (o StoreOptions) signer(ctx context.Context, who account.Options) (func(*http.Request) error, error) {
	if !o.SigV4 {
		return nil, nil //nolint:nilnil // no signature is needed
	}
	address, err := url.Parse(o.URL)
	if err != nil {
		return nil, nil //nolint:nilnil // opening the store reports it
	}
	if o.TokenFile != "" || address.User != nil {
		return nil, errors.New("--sigv4 replaces a token or password; leave out --token-file and the user in the address")
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
