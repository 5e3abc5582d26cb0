package postgres

import "context"

// LookUp has the endpoint find its host elsewhere than in the DNS.
func (e *Endpoint) LookUp(find func(ctx context.Context, host string) ([]string, error)) {
	e.config.LookupFunc = find
}
