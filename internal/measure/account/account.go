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

// Options choose the account where the environment does not, or chooses another.
type Options struct {
	Profile string // of the shared configuration
	Region  string
	Role    string // to take on, as an ARN
}

// Account is a way into an AWS account.
type Account struct {
	config  aws.Config
	counted *counted
}

// Bounds of one try of a call. A socket that hangs must not look like work.
const (
	dialWithin   = 3 * time.Second
	headerWithin = 15 * time.Second
	callWithin   = time.Minute
)

var roleName = regexp.MustCompile(`^arn:[\w-]+:iam::\d{12}:role/\S+$`)

// Open finds the credentials' place and the region; it asks nobody yet. Endpoints may be moved by AWS_ENDPOINT_URL and
// its forms for each service.
func Open(ctx context.Context, o Options) (*Account, error) {
	if o.Role != "" && !roleName.MatchString(o.Role) {
		return nil, errors.New("the role must be given as arn:aws:iam::ACCOUNT:role/NAME")
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
		config.WithLogger(logging.Nop{}), // results are for people, and the SDK writes where it likes
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

// machine asks the EC2 machine that this may be for its credentials. Elsewhere nobody answers, so this is impatient:
// the client's own bounds hold, of a quarter of a second to connect and half of one to answer.
func machine() *imds.Client {
	const tries, pause = 2, 100 * time.Millisecond
	return imds.New(imds.Options{Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff = tries, pause
	})})
}

// Config returns what the clients of the services are made of.
func (a *Account) Config() aws.Config { return a.config.Copy() }

// Region returns the region of calls that name no other, or "" if none is configured.
func (a *Account) Region() string { return a.config.Region }

// In returns the same account in another region; what is asked through it is counted here too.
func (a *Account) In(region string) *Account {
	there := *a
	there.config = a.Config()
	there.config.Region = region
	return &there
}

// renewed are the sources whose credentials end, and are replaced without anybody's help.
var renewed = []string{stscreds.ProviderName, stscreds.WebIdentityProviderName, ec2rolecreds.ProviderName,
	endpointcreds.ProviderName, processcreds.ProviderName}

// Credentials reports whether there are any, and when the user has to sign in again; zero: never, as far as is known
// here.
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

// Secrets returns what must never be written down: the credentials in use, as far as they are known by now.
func (a *Account) Secrets(ctx context.Context) []string {
	found, err := a.config.Credentials.Retrieve(ctx)
	if err != nil {
		return nil
	}
	all := []string{found.SecretAccessKey, found.SessionToken, found.AccessKeyID, found.AccountID}
	return slices.DeleteFunc(all, func(s string) bool { return len(s) < shortestSecret })
}

// shortestSecret is the length of an account's number; nothing secret of AWS's is shorter. Stand-ins use words like
// test, whose removal would make any text unreadable.
const shortestSecret = 12
