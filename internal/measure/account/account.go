package account

import (
	"context"
	"errors"
	"net"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/processcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"
)

// Options choose the account and region instead of the environment.
type Options struct {
	Profile string // in the shared configuration
	Region  string
	Role    string // the ARN to assume
}

// Account is an AWS account with credentials and a region.
type Account struct {
	config  aws.Config
	counted *counted
}

// Bounds of one try of a call. A hanging socket must not look like work.
const (
	dialWithin   = 3 * time.Second
	headerWithin = 15 * time.Second
	callWithin   = time.Minute
)

// ErrNoRegion reports that neither flags nor the environment name a region.
var ErrNoRegion = errors.New("unknown AWS region; name it with --region or AWS_REGION")

var roleName = regexp.MustCompile(`^arn:[\w-]+:iam::\d{12}:role/\S+$`)

// Open finds the source of credentials and the region, without a call. AWS_ENDPOINT_URL and its variants for
// each service may move endpoints.
func Open(ctx context.Context, o Options) (*Account, error) {
	if o.Role != "" && !roleName.MatchString(o.Role) {
		return nil, errors.New("the role must have the form arn:aws:iam::ACCOUNT:role/NAME")
	}
	a := &Account{counted: &counted{}}
	client := awshttp.NewBuildableClient().WithTimeout(callWithin).
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = dialWithin }).
		WithTransportOptions(func(t *http.Transport) { t.ResponseHeaderTimeout = headerWithin })
	options := []func(*config.LoadOptions) error{
		config.WithHTTPClient(client),
		config.WithRetryer(newPatience),
		config.WithEC2RoleCredentialOptions(func(r *ec2rolecreds.Options) { r.Client = machine() }),
		config.WithAPIOptions([]func(*middleware.Stack) error{a.counted.attach, PlainBodies, boundAnswers}),
		config.WithLogger(logging.Nop{}), // the SDK would write into the results
	}
	if o.Profile != "" {
		options = append(options, config.WithSharedConfigProfile(o.Profile))
	}
	if o.Region != "" {
		options = append(options, config.WithRegion(o.Region))
	}
	loaded, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, Explain(err)
	}
	loaded.Credentials = &found{provider: loaded.Credentials}
	a.config = loaded
	if o.Role != "" {
		a.config.Credentials = &found{
			provider: aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(loaded), o.Role,
				func(r *stscreds.AssumeRoleOptions) { r.RoleSessionName = "realiops" }))}
	}
	return a, nil
}

// machine returns a client that asks an EC2 machine for its credentials. Elsewhere nothing answers, so it gives up
// quickly: it has a quarter of a second to connect and half of one for the answer.
func machine() *imds.Client {
	const tries, pause = 2, 100 * time.Millisecond
	return imds.New(imds.Options{Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff = tries, pause
	})})
}

// Config returns a configuration for clients of the services.
func (a *Account) Config() aws.Config { return a.config.Copy() }

// Region returns the default region, or "".
func (a *Account) Region() string { return a.config.Region }

// In returns the same account in another region. Calls are counted together.
func (a *Account) In(region string) *Account {
	there := *a
	there.config = a.Config()
	there.config.Region = region
	return &there
}

// renewed lists the sources whose credentials are renewed automatically.
var renewed = []string{stscreds.ProviderName, stscreds.WebIdentityProviderName, ec2rolecreds.ProviderName,
	endpointcreds.ProviderName, processcreds.ProviderName}

// Credentials returns an error if there are none. ends is when the user has to sign in
// again; zero: never, as far as known.
func (a *Account) Credentials(ctx context.Context) (ends time.Time, err error) {
	found, err := a.config.Credentials.Retrieve(ctx)
	if err != nil {
		return ends, Explain(err)
	}
	if found.CanExpire && !slices.Contains(renewed, found.Source) {
		ends = found.Expires
	}
	return ends, nil
}

// Secrets returns the credentials in use so far, which must not be stored.
func (a *Account) Secrets(ctx context.Context) []string {
	found, err := a.config.Credentials.Retrieve(ctx)
	if err != nil {
		return nil
	}
	all := []string{found.SecretAccessKey, found.SessionToken, found.AccessKeyID, found.AccountID}
	return slices.DeleteFunc(all, func(s string) bool { return len(s) < shortestSecret })
}

// shortestSecret is the length of an account number; no AWS secret is shorter. Stand-ins use words like test, whose
// removal would make any text unreadable.
const shortestSecret = 12
