package account

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/smithy-go"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/runfile"
)

// Kind classifies the reason why a call failed.
type Kind string

// The kinds of trouble.
const (
	Absent      Kind = "no-credentials"
	Expired     Kind = "expired-credentials"
	Invalid     Kind = "invalid-credentials"
	Denied      Kind = "denied"
	NoRegion    Kind = "no-region"
	Throttled   Kind = "throttled"
	Skewed      Kind = "clock-skew"
	Unreachable Kind = "unreachable"
	NotThere    Kind = "not-found"
	Incomplete  Kind = "incomplete" // answered, but marked as incomplete
	Damaged     Kind = "damaged"    // answered, but the answer is invalid
	NoPoints    Kind = "no-points"  // answered, without data
	Off         Kind = "off"        // the service is not enabled for this database
	Other       Kind = "other"
)

// Trouble is an error of a call in one line. It wraps AWS's error, which may name accounts
// and resources: show only Error.
type Trouble struct {
	Kind Kind
	Code string // AWS's error code, or the HTTP status
	// Permission is the missing permission.
	Permission string
	text       string
	err        error
}

// NewTrouble returns a Trouble for an answer without an error. AWS's words in text must be cleaned by [Clean].
func NewTrouble(kind Kind, code, text string) *Trouble {
	return &Trouble{Kind: kind, Code: code, text: text}
}

func (t *Trouble) Error() string { return t.text }
func (t *Trouble) Unwrap() error { return t.err }

// Reason returns the trouble's reason for a run file.
func (t *Trouble) Reason() runfile.Reason {
	switch t.Kind {
	case Absent, Expired, Invalid, Denied:
		return runfile.Permission
	case Throttled:
		return runfile.Throttled
	case Off:
		return runfile.Disabled
	default:
		return runfile.Failed
	}
}

// Explain converts an SDK error to a [Trouble]. It returns nil, a Trouble or a context's error unchanged.
func Explain(err error) error {
	if _, told := errors.AsType[*Trouble](err); told || err == nil {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	t := &Trouble{err: err}
	call := callOf(err)
	for _, look := range []func(error, string) bool{t.settings, t.credentials, t.answer, t.network} {
		if look(err, call) {
			return t
		}
	}
	t.Kind, t.text = Other, Clean(err.Error())
	if call != anyCall {
		t.text = call + ": " + t.text
	}
	return t
}

// anyCall is the name of an unknown call.
const anyCall = "a call to AWS"

// callOf returns the failed call's name in policies. If assuming a role failed inside another call, it is that one.
func callOf(err error) string {
	call := anyCall
	for {
		operation, ok := errors.AsType[*smithy.OperationError](err)
		if !ok {
			return call
		}
		call = prefix(operation.ServiceID) + ":" + operation.OperationName
		err = operation.Err
	}
}

// settings recognizes errors in the configuration, found before any call.
func (t *Trouble) settings(err error, call string) bool {
	if missing, ok := errors.AsType[config.SharedConfigProfileNotExistError](err); ok {
		t.Kind, t.text = Absent, fmt.Sprintf("no profile %s in ~/.aws/config or ~/.aws/credentials", missing.Profile)
		return true
	}
	if _, ok := errors.AsType[*aws.MissingRegionError](err); ok || strings.Contains(err.Error(), "Missing Region") {
		t.Kind, t.text = NoRegion, call+": unknown region; name it with --region or AWS_REGION"
		return true
	}
	return false
}

// answer recognizes AWS's own errors.
func (t *Trouble) answer(err error, call string) bool {
	said, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return false
	}
	// The SDK's code for an answer that is not AWS's.
	if t.Code = said.ErrorCode(); t.Code == "" || t.Code == "UnknownError" {
		t.Code = ""
		return false
	}
	switch kind := kindOf(t.Code, said.ErrorMessage()); kind {
	case Denied:
		t.denied(said.ErrorMessage(), call)
	case Expired:
		t.Kind, t.text = kind, call+": the credentials have expired; sign in again (aws sso login, or new keys)"
	case Invalid:
		t.Kind, t.text = kind, call+": AWS rejected the credentials ("+t.Code+"); check the keys and their partition"
	case Skewed:
		t.Kind, t.text = kind, call+": this machine's clock is "+ahead(err)+"; synchronize it"
	case Throttled:
		t.Kind, t.text = kind, fmt.Sprintf("%s: AWS is still throttling (%s); try again later", call, t.Code)
	default:
		t.Kind, t.text = kind, call+": "+t.Code+": "+Clean(said.ErrorMessage())
	}
	return true
}

var kinds = map[string]Kind{
	"AccessDenied": Denied, "AccessDeniedException": Denied, "NotAuthorizedException": Denied,
	"UnauthorizedOperation": Denied,
	"NotAuthorized":         Denied,
	"ExpiredToken":          Expired, "ExpiredTokenException": Expired, "RequestExpired": Expired,
	"UnauthorizedException": Expired, "InvalidGrantException": Expired, // of single sign-on
	"InvalidClientTokenId": Invalid, "UnrecognizedClientException": Invalid, "InvalidAccessKeyId": Invalid,
	"SignatureDoesNotMatch": Invalid, "IncompleteSignature": Invalid, "MissingAuthenticationToken": Invalid,
	"InvalidSignatureException": Invalid, "AuthFailure": Invalid,
	"RequestTimeTooSkewed": Skewed, "RequestInTheFuture": Skewed,
	"Throttling": Throttled, "ThrottlingException": Throttled, "ThrottledException": Throttled,
	"RequestThrottled":          Throttled,
	"RequestThrottledException": Throttled, "TooManyRequestsException": Throttled, "RequestLimitExceeded": Throttled,
	"SlowDown":           Throttled,
	"DBInstanceNotFound": NotThere, "DBInstanceNotFoundFault": NotThere,
	"DBClusterNotFoundFault": NotThere, "DBClusterNotFound": NotThere,
	"DBClusterEndpointNotFoundFault": NotThere,
}

// kindOf uses the code, and for signatures the message: one too old or too new is a wrong clock.
func kindOf(code, message string) Kind {
	kind, ok := kinds[code]
	if !ok {
		return Other
	}
	if kind == Invalid && (strings.Contains(message, "Signature expired") ||
		strings.Contains(message, "Signature not yet current")) {
		return Skewed
	}
	return kind
}

var refusedAction = regexp.MustCompile(`not authorized to perform: ([a-z0-9-]+):(\w+)`)

func (t *Trouble) denied(message, call string) {
	t.Kind, t.Permission = Denied, call
	named := refusedAction.FindStringSubmatch(message)
	if named != nil && !strings.HasSuffix(call, ":"+named[2]) {
		t.Permission = named[1] + ":" + named[2] // what the call needs besides its own permission
	}
	t.text = fmt.Sprintf("AWS does not allow these credentials %s; realiops aws policy prints the permissions it needs",
		t.Permission)
	if strings.HasPrefix(t.Permission, "kms:") {
		t.text = fmt.Sprintf("Performance Insights is encrypted with a key of yours, and AWS does not allow these "+
			"credentials %s; grant them kms:Decrypt and kms:GenerateDataKey on that key", t.Permission)
	}
	if strings.Contains(message, "explicit deny") {
		t.text = fmt.Sprintf("AWS denies these credentials %s by an explicit deny, which no permission overrides",
			t.Permission)
	}
	if strings.HasPrefix(t.Permission, "sts:AssumeRole") {
		t.text = "AWS does not let these credentials assume the role; its trust policy must name them, and they need " +
			"sts:AssumeRole"
	}
}

// ahead describes the offset of this machine's clock, by the date of AWS's answer.
func ahead(err error) string {
	response, ok := errors.AsType[*awshttp.ResponseError](err)
	if !ok || response.HTTPResponse() == nil {
		return "too far from AWS's"
	}
	there, bad := http.ParseTime(response.HTTPResponse().Header.Get("Date"))
	if bad != nil {
		return "too far from AWS's"
	}
	by := time.Since(there).Round(time.Minute)
	side := "ahead of"
	if by < 0 {
		by, side = -by, "behind"
	}
	return fmt.Sprintf("%.0f minutes %s AWS's", by.Minutes(), side)
}

// network recognizes failures without an answer, or with one that is not AWS's.
func (t *Trouble) network(err error, call string) bool {
	if full := input.OutOfFiles(err); full != nil {
		t.Kind, t.text = Other, call+": "+full.Error()
		return true
	}
	if dial, ok := errors.AsType[*net.DNSError](err); ok {
		t.Kind, t.text = Unreachable,
			fmt.Sprintf("%s: no such host: %s; check the region and the internet connection", call, dial.Name)
		return true
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		t.Kind, t.text = Unreachable,
			fmt.Sprintf("%s: %v does not answer; check the firewall and AWS_ENDPOINT_URL", call, dial.Addr)
		return true
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() ||
		errors.Is(err, context.DeadlineExceeded) {
		t.Kind, t.text = Unreachable, call+": no answer in time; is the network slow, or a proxy in between?"
		return true
	}
	if endless, ok := errors.AsType[tooLong](err); ok {
		t.Kind, t.text = Other, call+": "+endless.Error()+"; is a proxy answering instead of AWS?"
		return true
	}
	if nothing, ok := errors.AsType[empty](err); ok {
		t.Kind, t.text = Damaged, call+": "+nothing.Error()+"; is a proxy answering instead of AWS?"
		return true
	}
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		t.Kind = Other
		t.Code, t.text = unreadable(call, response.HTTPStatusCode())
		return true
	}
	return false
}

// unreadable explains an answer that is not AWS's by its HTTP status.
func unreadable(call string, status int) (code, text string) {
	code = fmt.Sprint(status)
	switch {
	case status == 0:
		return "", call + ": cannot read the answer; is a proxy answering instead of AWS?"
	case status >= 300 && status < 400:
		return code, fmt.Sprintf("%s: unexpected redirect (HTTP %d); does a proxy require a sign-in?", call, status)
	case status == http.StatusTooManyRequests:
		return code, fmt.Sprintf("%s: AWS or a proxy is still throttling (HTTP 429); try again later", call)
	case status >= 500:
		return code, fmt.Sprintf("%s: AWS or a proxy failed each time (HTTP %d); try again later", call, status)
	}
	return code, fmt.Sprintf("%s: cannot read the answer (HTTP %d); is a proxy answering instead of AWS?", call, status)
}

var (
	resourceName  = regexp.MustCompile(`arn:[\w-]+:\S+`)
	accountNumber = regexp.MustCompile(`\b\d{12}\b`)
	keyName       = regexp.MustCompile(`\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}\b`)
)

// Clean removes account data from AWS's words and folds them into one line.
func Clean(text string) string {
	for _, secret := range []*regexp.Regexp{resourceName, accountNumber, keyName} {
		text = secret.ReplaceAllString(text, runfile.Hidden)
	}
	return runfile.Scrub(strings.Join(strings.Fields(text), " "))
}
