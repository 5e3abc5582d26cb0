package accounttest

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/smithy-go/encoding/cbor"
)

// Proxy stands in front of a service, counts the calls of each operation, and applies a [Fault] to some of them.
type Proxy struct {
	next http.Handler

	mu      sync.Mutex
	calls   map[string]int
	actions map[string]bool
	faults  []rule
}

type rule struct {
	operation string
	call      int
	fault     Fault
}

// A Fault answers a call in place of the service. It may pass the call on, and change the answer.
type Fault func(w http.ResponseWriter, r *http.Request, service http.Handler)

// Proxy returns the same account behind a proxy.
func (s *StandIn) Proxy(t testing.TB) (*StandIn, *Proxy) {
	t.Helper()
	behind, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	service := httputil.NewSingleHostReverseProxy(behind)
	service.ErrorLog = log.New(t.Output(), "", 0) // of clients that went away
	p := NewProxy(service)
	server := httptest.NewServer(p)
	t.Cleanup(func() {
		server.CloseClientConnections() // hanging ones
		server.Close()
	})
	return &StandIn{URL: server.URL, number: s.number}, p
}

// NewProxy puts a proxy in front of any service.
func NewProxy(service http.Handler) *Proxy {
	return &Proxy{next: service, calls: map[string]int{}, actions: map[string]bool{}}
}

// On applies a fault to the operation's calls with these numbers, from 1, or to all of them without numbers.
func (p *Proxy) On(operation string, fault Fault, calls ...int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(calls) == 0 {
		calls = []int{0}
	}
	for _, call := range calls {
		p.faults = append(p.faults, rule{operation, call, fault})
	}
}

// Deny refuses the calls of one permission as a policy without it would, and allows all others again.
func (p *Proxy) Deny(action string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, operation, _ := strings.Cut(action, ":")
	p.faults = []rule{{operation, 0, Denied()}}
}

// Calls returns the number of calls of each operation, including those with a fault.
func (p *Proxy) Calls() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.calls)
}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, err := callOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if fault := p.count(signedFor(r), c.operation); fault != nil {
		fault(w, r, p.next)
		return
	}
	p.next.ServeHTTP(w, r)
}

// Actions returns the calls since it was last called, each once, sorted, by the names in
// policies: rds:DescribeDBInstances.
func (p *Proxy) Actions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := slices.Sorted(maps.Keys(p.actions))
	clear(p.actions)
	return all
}

// count counts a call and returns its fault, if any.
func (p *Proxy) count(service, operation string) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls[operation]++
	if service == "monitoring" { // CloudWatch's signing name differs from its name in policies
		service = "cloudwatch"
	}
	p.actions[service+":"+operation] = true
	for _, f := range p.faults {
		if f.operation == operation && (f.call == 0 || f.call == p.calls[operation]) {
			return f.fault
		}
	}
	return nil
}

// protocol is one of the protocols of Amazon's services.
type protocol int

const (
	query protocol = iota // RDS, STS, EC2: a form, answered in XML
	rpc                   // CloudWatch: CBOR
	json                  // Performance Insights, Logs
)

// call is a parsed request.
type call struct {
	protocol  protocol
	operation string
}

// callOf parses a request without consuming it. Once its body is read, the server notices when the client leaves.
func callOf(r *http.Request) (call, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return call{}, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if _, operation, found := strings.Cut(r.Header.Get("X-Amz-Target"), "."); found {
		return call{json, operation}, nil
	}
	if strings.HasPrefix(r.URL.Path, "/service/") {
		return call{rpc, path.Base(r.URL.Path)}, nil
	}
	form, err := url.ParseQuery(string(body))
	return call{query, form.Get("Action")}, err
}

// refusal is a service's error. The older protocol has shorter names for some codes.
type refusal struct {
	status              int
	code, short, detail string
}

// Throttled returns the answer to too many calls.
func Throttled() Fault {
	return refusal{http.StatusBadRequest, "ThrottlingException", "Throttling", "Rate exceeded"}.fault
}

// Expired returns the answer to expired credentials.
func Expired() Fault {
	return refusal{http.StatusForbidden, "ExpiredTokenException", "ExpiredToken",
		"The security token included in the request is expired"}.fault
}

// Denied returns the answer to a call that no policy allows. Like Amazon's, its detail names the account.
func Denied() Fault {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		c, err := callOf(r)
		if err != nil {
			panic(err)
		}
		action := signedFor(r) + ":" + c.operation
		detail := "User: arn:aws:iam::123456789012:user/planted is not authorized to perform: " + action +
			" because no identity-based policy allows the " + action + " action"
		refusal{http.StatusForbidden, "AccessDeniedException", "AccessDenied", detail}.fault(w, r, service)
	}
}

// Refused returns any other error: a code and its text.
func Refused(status int, code, detail string) Fault {
	return refusal{status, code, code, detail}.fault
}

// Unavailable returns the answer of an overloaded or broken service.
func Unavailable() Fault {
	return refusal{http.StatusServiceUnavailable, "ServiceUnavailable", "ServiceUnavailable",
		"Service is unable to handle request."}.fault
}

// BadGateway returns the answer of a load balancer that knows no protocol.
func BadGateway() Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, "<html><body><h1>502 Bad Gateway</h1></body></html>")
	}
}

// Truncated cuts the service's answer in the middle.
func Truncated() Fault {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		whole := httptest.NewRecorder()
		service.ServeHTTP(whole, r)
		maps.Copy(w.Header(), whole.Header())
		w.Header().Set("Content-Length", strconv.Itoa(whole.Body.Len()))
		w.WriteHeader(whole.Code)
		_, _ = w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler) // closes the connection
	}
}

// Hung never answers.
func Hung() Fault {
	return func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
		<-r.Context().Done()
	}
}

// Slow answers after some time.
func Slow(after time.Duration) Fault {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		select {
		case <-time.After(after):
			service.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}
}

var scope = regexp.MustCompile(`Credential=[^/]+/\d+/[^/]+/([^/]+)/`)

// signedFor returns the service that a request is signed for.
func signedFor(r *http.Request) string {
	if m := scope.FindStringSubmatch(r.Header.Get("Authorization")); m != nil {
		return m[1]
	}
	return "unknown"
}

func (f refusal) fault(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	c, err := callOf(r)
	if err != nil {
		panic(err)
	}
	w.Header().Set("X-Amzn-Requestid", "00000000-0000-0000-0000-000000000000")
	switch c.protocol {
	case rpc:
		w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
		w.Header().Set("Content-Type", "application/cbor")
		w.Header().Set("X-Amzn-Query-Error", f.short+";"+f.side())
		w.WriteHeader(f.status)
		_, _ = w.Write(cbor.Encode(cbor.Map{"__type": cbor.String("com.amazonaws.cloudwatch#" + f.code),
			"message": cbor.String(f.detail)}))
	case json:
		status := f.status
		if f.side() == "Sender" { // 400 for the caller's faults
			status = http.StatusBadRequest
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"__type":%q,"Message":%q}`, f.code, f.detail)
	default:
		w.Header().Set("Content-Type", "text/xml")
		w.WriteHeader(f.status)
		if signedFor(r) == "ec2" { // it has its own XML
			fmt.Fprintf(w,
				`<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors><RequestID>0</RequestID></Response>`, f.short, f.detail)
			return
		}
		fmt.Fprintf(w,
			`<ErrorResponse><Error><Type>%s</Type><Code>%s</Code><Message>%s</Message></Error></ErrorResponse>`,
			f.side(), f.short, f.detail)
	}
}

// side returns whose fault it is.
func (f refusal) side() string {
	if f.status < http.StatusInternalServerError {
		return "Sender"
	}
	return "Receiver"
}
