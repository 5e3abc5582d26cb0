// Package prometheus reads the history of one PostgreSQL server and its disks from a store with Prometheus' query
// language: Prometheus itself, Mimir, Thanos, VictoriaMetrics.
//
// It reads raw samples, with an instant query over a range selector: a range query would resample, and invent points.
// Counters stay as scraped. [Mapping] maps exporters' metrics to ours. Series that make up one of ours are added up
// sample by sample; when one of them comes or goes, the sum is reset.
package prometheus

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/printable"
)

// Options say where a store is, and how to authenticate.
type Options struct {
	URL    string
	Token  string // for Authorization: Bearer
	Tenant string // for X-Scope-OrgID, as in Mimir and Cortex
	// Sign signs a request, as Amazon's store requires; nil: no signature.
	Sign func(*http.Request) error
	// Tell reports that requests are sent again; nil: silently.
	Tell func(format string, values ...any)
	// Pause waits before a request is sent again; nil: as long as it says.
	Pause func(context.Context, time.Duration) error
}

// Query selects a server and a time.
type Query struct {
	Server   string // label matchers of the server's exporters: instance="db1:9187"
	Host     string // label matchers of its machine
	Device   string // the server's disk
	From, To time.Time
	// NameLabels lists the labels that name a fleet's databases; empty: the exporters' own, and others if necessary.
	NameLabels []string
}

// Store is a store, or a dump of one.
type Store struct {
	source source
	host   string // for messages; the rest of the address is never shown
	signed bool   // by AWS credentials
}

const (
	// answerWithin bounds one query.
	answerWithin = 2 * time.Minute
	// mostBytes bounds one unpacked answer, three times six hours of samples of a hundred
	// databases every five seconds.
	mostBytes = 32 << 20
)

// Open prepares a store for queries, without a connection.
func Open(o Options) (*Store, error) {
	address, err := url.Parse(o.URL)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		// The address is not shown: it may contain a password.
		return nil, errors.New("the store's address must begin with http:// or https:// and name a host")
	}
	address.Path, _, _ = strings.Cut(address.Path, "/api/v1") // of a query or of the page, copied whole
	address.Path = strings.TrimSuffix(address.Path, "/graph")
	client := http.Client{Transport: &door{o, address, http.DefaultTransport}, CheckRedirect: postAgain}
	return &Store{remote{client, *address, &persistent{Options: o, host: address.Host}}, address.Host, o.Sign != nil}, nil
}

// series returns the labels of a selector's series, at most that many.
func (s *Store) series(ctx context.Context, q Query, selector string, most uint64) ([]labelSet, error) {
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	sets, warnings, err := s.source.series(within, selector, q.From, q.To, most)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	return sets, s.whole(warnings, len(sets), most)
}

// values returns the sorted values of a label, at most that many.
func (s *Store) values(ctx context.Context, q Query, label string, selector string,
	most uint64) (names []string, err error) {
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	found, warnings, err := s.source.values(within, label, selector, q.From, q.To, most)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	for _, v := range found {
		if v != "" {
			names = append(names, v)
		}
	}
	return names, s.whole(warnings, len(found), most)
}

// whole rejects a list that the store calls incomplete, unless it reached the requested limit.
func (s *Store) whole(warnings []string, found int, most uint64) error {
	if len(warnings) == 0 || uint64(found) >= most {
		return nil
	}
	return fmt.Errorf("%s returned only part of its data (%s); try again when the whole store answers", s.host,
		strings.Join(warnings, "; "))
}

// Secrets returns what must not be stored.
func (o Options) Secrets() (all []string) {
	if o.Token != "" {
		all = append(all, o.Token)
	}
	address, err := url.Parse(o.URL)
	if err != nil {
		return append(all, o.URL)
	}
	if password, ok := address.User.Password(); ok {
		all = append(all, password)
	}
	for _, values := range address.Query() {
		all = append(all, values...)
	}
	return all
}

// door authenticates each request and bounds the answer. It follows no redirect to another host.
type door struct {
	Options
	store *url.URL
	next  http.RoundTripper
}

// postAgain repeats a query after a redirect by 301, 302 or 303, which net/http would follow by GET and without the
// query.
func postAgain(next *http.Request, via []*http.Request) (err error) {
	const most = 10
	if len(via) >= most {
		return fmt.Errorf("stopped after %d redirects", most)
	}
	if first := via[0]; first.GetBody != nil {
		next.Method, next.ContentLength = first.Method, first.ContentLength
		next.Header.Set("Content-Type", first.Header.Get("Content-Type"))
		next.Body, err = first.GetBody()
	}
	return err
}

// elsewhereError is a redirect to another host.
type elsewhereError struct{ host string }

func (e elsewhereError) Error() string {
	return "it redirects to " + e.host + "; use that address if it is the store's"
}

func (d *door) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != d.store.Host || r.URL.Scheme != d.store.Scheme {
		return nil, elsewhereError{r.URL.Scheme + "://" + r.URL.Host}
	}
	r = r.Clone(r.Context())
	if d.Token != "" {
		r.Header.Set("Authorization", "Bearer "+d.Token)
	}
	if d.Tenant != "" {
		r.Header.Set("X-Scope-OrgID", d.Tenant)
	}
	if d.Sign != nil {
		if err := d.Sign(r); err != nil {
			return nil, err
		}
	}
	answer, err := d.next.RoundTrip(r)
	if err == nil {
		answer.Body = input.Answer(answer.Body, mostBytes, errTooLong)
	}
	return answer, err
}

var errTooLong = fmt.Errorf("is longer than %d MiB", mostBytes>>20)

// explain returns a query's error in one line without the address.
func (s *Store) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err
	}
	if refused, ok := errors.AsType[*refusal](err); ok {
		return s.refused(refused)
	}
	if untrusted := s.distrust(err); untrusted != nil {
		return untrusted
	}
	network, _ := errors.AsType[*net.OpError](err)
	switch name, unknown := errors.AsType[*net.DNSError](err); {
	case input.OutOfFiles(err) != nil:
		return fmt.Errorf("connect to %s: %w", s.host, input.OutOfFiles(err))
	case errors.Is(err, errTooLong):
		return fmt.Errorf("the answer of %s %w; ask for less with --for", s.host, errTooLong)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%s did not answer within %s; ask for less with --for, or check the store", s.host,
			printable.Duration(answerWithin))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("the answer of %s was cut off; is there a proxy in between?", s.host)
	case unknown && name.IsNotFound:
		return fmt.Errorf("could not resolve host name %s; check the name, and DNS on this machine", name.Name)
	case unknown:
		return fmt.Errorf("%s does not answer: %w", s.host, name)
	case network != nil: // without the address once more
		return fmt.Errorf("%s does not answer: %w", s.host, network.Err)
	}
	return fmt.Errorf("%s: %w", s.host, err)
}

// refused explains the answer of the store, or of another server in its place.
func (s *Store) refused(e *refusal) error {
	message := strings.Join(strings.Fields(e.Said), " ")
	const begin, end = 60, 240
	if len(message) > begin+end { // some begin with the query, and end with the error
		message = strings.ToValidUTF8(message[:begin], "") + " … " + strings.ToValidUTF8(message[len(message)-end:], "")
	}
	remedy := "check --token-file and --tenant, or the user and password in the address"
	if s.signed {
		remedy = "check --region, and that these AWS credentials may query it"
	}
	switch status := fmt.Sprintf("%d ", e.Status); {
	case e.Kind == notPrometheus:
		return fmt.Errorf("no Prometheus at %s, or not at this path; it answers: %s", s.host, message)
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return fmt.Errorf("%s denied access (%s%s); %s", s.host, status, message, remedy)
	case e.Status == http.StatusTooManyRequests:
		return fmt.Errorf("%s rejected the query (%s%s); try again later, or ask for less with --for%s", s.host, status,
			message, e.attempts)
	case e.Kind == clientError: // some repeat the status
		return fmt.Errorf("%s rejected the query (%s%s); does the address include the store's path?", s.host, status,
			strings.TrimPrefix(message, status))
	case e.Kind == serverError:
		return fmt.Errorf("%s failed (%s%s); try again later%s", s.host, status, message, e.attempts)
	}
	return fmt.Errorf("%s: %s: %s", s.host, e.Kind, message)
}

// distrust explains why no encrypted connection was made; nil: err is another error.
func (s *Store) distrust(err error) error {
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	switch invalid, is := errors.AsType[*tls.CertificateVerificationError](err); {
	case plain, errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("%s does not answer with TLS; does its address begin with http://?", s.host)
	case unknown:
		return fmt.Errorf("the certificate of %s is signed by an unknown authority; make this machine trust it, or on "+
			"Linux name its file in SSL_CERT_FILE", s.host)
	case is:
		return fmt.Errorf("the certificate of %s is not valid: %w", s.host, invalid.Err)
	}
	return nil
}
