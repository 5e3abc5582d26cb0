package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/smithy-go"
)

const absentText = "no AWS credentials found; name a profile with --profile or AWS_PROFILE, sign in (aws sso login), " +
	"or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"

// found returns the available credentials. If there are none, it repeats its error for a while: looking takes
// seconds, and each try of each call would look again.
type found struct {
	provider aws.CredentialsProvider

	mu     sync.Mutex
	failed error
	until  time.Time
}

// lookAgain is how long missing credentials are assumed to stay missing.
const lookAgain = 10 * time.Second

// notFound says that there are no credentials. Such a call is not retried.
type notFound struct{ error }

func (n *notFound) Unwrap() error { return n.error }

// Retrieve implements aws.CredentialsProvider. The SDK calls it for each try.
func (f *found) Retrieve(ctx context.Context) (aws.Credentials, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed != nil && time.Now().Before(f.until) {
		return aws.Credentials{}, f.failed
	}
	got, err := f.provider.Retrieve(ctx)
	f.failed = nil
	if err != nil {
		err = &notFound{err}
	}
	if err != nil && ctx.Err() == nil {
		f.failed, f.until = err, time.Now().Add(lookAgain)
	}
	return got, err
}

// credentials recognizes credentials that cannot be found or renewed. The SDK has no types for most of these
// errors, so it matches their text.
func (t *Trouble) credentials(err error, _ string) bool {
	if said, answered := errors.AsType[smithy.APIError](err); answered && said.ErrorCode() != "" {
		return false
	}
	_, stale := errors.AsType[*ssocreds.InvalidTokenError](err)
	switch text := err.Error(); {
	case stale || strings.Contains(text, "SSO token"):
		t.Kind, t.text = Expired, "the sign-in for these AWS credentials has expired or was never made; run aws sso login"
	case strings.Contains(text, "no EC2 IMDS role found"), strings.Contains(text, "static credentials are empty"):
		t.Kind, t.text = Absent, absentText
	case strings.Contains(text, "MFA enabled"):
		t.Kind, t.text = Absent, "the role of this AWS profile requires an MFA code, which cannot be entered here; assume "+
			"the role first, and pass its credentials in the environment"
	case strings.Contains(text, "get credentials"), strings.Contains(text, "failed to refresh cached credentials"):
		t.Kind, t.text = Absent, "cannot get AWS credentials: "+reasonOf(err)
	default:
		return false
	}
	return true
}

// endpointError is an error of the endpoint for a container's credentials. Errors of AWS's services
// have the status in another type.
type endpointError interface {
	smithy.APIError
	statusError
}

// reasonOf returns that endpoint's HTTP status, or else the end of the SDK's chain of texts, which is the cause.
func reasonOf(err error) string {
	if answer, ok := errors.AsType[endpointError](err); ok {
		return fmt.Sprintf("the credential endpoint of this machine or container returned HTTP %d each time",
			answer.HTTPStatusCode())
	}
	text := err.Error()
	for _, marker := range []string{"failed to refresh cached credentials, ", "get credentials: "} {
		if i := strings.LastIndex(text, marker); i >= 0 {
			text = text[i+len(marker):]
		}
	}
	return Clean(text)
}

// Sign adds Signature Version 4 to a request to a service without an SDK client. Its body must be re-readable.
func (a *Account) Sign(service string, r *http.Request) error {
	credentials, err := a.config.Credentials.Retrieve(r.Context())
	if err != nil {
		return Explain(err)
	}
	sum := sha256.New()
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return fmt.Errorf("sign the request: %w", err)
		}
		defer body.Close()
		if _, err := io.Copy(sum, body); err != nil {
			return fmt.Errorf("sign the request: %w", err)
		}
	}
	return v4.NewSigner().SignHTTP(r.Context(), credentials, r, hex.EncodeToString(sum.Sum(nil)), service,
		a.Region(), time.Now())
}
