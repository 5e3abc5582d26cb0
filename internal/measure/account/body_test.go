package account_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/measure/account"
)

// looking is a client that only looks at its requests.
type looking func(*http.Request)

func (l looking) Do(r *http.Request) (*http.Response, error) {
	l(r)
	return nil, errors.New("not sent")
}

// TestBodiesAreOnlyRead: a body with WriteTo would break the answer of a service faster than the transport.
func TestBodiesAreOnlyRead(t *testing.T) {
	alone(t, "http://127.0.0.1:1")
	withKeys(t)
	cfg := open(t, account.Options{Region: "eu-west-1"}).Config()
	cfg.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
	seen := ""
	cfg.HTTPClient = looking(func(r *http.Request) {
		if _, writes := r.Body.(io.WriterTo); writes {
			t.Errorf("the body is a %T, which writes itself", r.Body)
		}
		body, _ := io.ReadAll(r.Body)
		seen = string(body)
	})
	_ = ask(t.Context(), cfg)
	if seen != "Action=DescribeDBInstances&Version=2014-10-31" {
		t.Errorf("sent %q", seen)
	}
}
