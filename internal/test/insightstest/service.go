// Package insightstest stands in for Performance Insights, over HTTP and with its limits, without AWS.
//
// [Start] serves the metrics given to [Service.Have], and the values given to [Service.Tell], which may become known
// late and be corrected later. It rejects what the real service rejects: too many queries, an invalid period, a
// metric that the instance does not have. It can page, cut answers short silently, and be switched off.
//
// As it is ours, it proves nothing by itself. [Service.Check] checks every exchange with the service's model that
// ships with botocore, a third party's.
package insightstest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options sets a service's behaviour. The zero value is a service that is enabled, returns everything and keeps it.
type Options struct {
	Instance string           // the DbiResourceId; empty: any
	Now      func() time.Time // nil: time.Now
	Days     int              // of retention; 0: 7
	Delay    time.Duration    // from the end of a period until it is published, unless the point says otherwise
	Cut      int              // the most points of each metric in an answer, silently; 0: all
	Page     int              // items of an answer, unless the request says otherwise; 0: all
	Off      bool             // Performance Insights is disabled
	Denied   bool             // the caller's policy does not allow it
}

// Metric is a counter of the instance.
type Metric struct {
	Name        string // without a statistic: os.diskIO.auroraStorage.writeIOsPS
	Unit        string
	Description string
}

// Point is the value of a metric in a period.
type Point struct {
	Instance   string            // the DbiResourceId; empty: any
	Metric     string            // as in Metric.Name
	Dimensions map[string]string // of db.load: db.wait_event.name and the like
	From, To   time.Time
	Value      float64
	// Known is when the service publishes it; zero: after the period's end and the service's delay. Of several values
	// of one period the last published one counts, so a correction is the same point again.
	Known time.Time
}

// Service is a stand-in for Performance Insights.
type Service struct {
	server *httptest.Server

	mu        sync.Mutex
	options   Options
	metrics   []Metric
	series    map[string][]*line // by metric
	exchanges []Exchange
}

// Exchange is a request and its answer.
type Exchange struct {
	Operation string          `json:"operation"`
	Request   json.RawMessage `json:"request"`
	Status    int             `json:"status"`
	Answer    json.RawMessage `json:"answer"`
	Again     bool            `json:"-"` // a retry of the same call, by the SDKs' header
}

// Start serves until the test ends.
func Start(t testing.TB, options Options) *Service {
	t.Helper()
	s := &Service{options: options, series: map[string][]*line{}}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	return s
}

// URL returns the service's address, for AWS_ENDPOINT_URL_PI.
func (s *Service) URL() string { return s.server.URL }

// Change changes the options for later requests.
func (s *Service) Change(change func(*Options)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.options)
}

// Have adds metrics of the instance.
func (s *Service) Have(metrics ...Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range metrics {
		i, known := slices.BinarySearchFunc(s.metrics, m, func(a, b Metric) int { return cmp.Compare(a.Name, b.Name) })
		if known {
			s.metrics[i] = m
			continue
		}
		s.metrics = slices.Insert(s.metrics, i, m)
	}
}

// Tell adds values of the instance's metrics.
func (s *Service) Tell(points ...Point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range points {
		l := s.line(p)
		// after equal periods, too
		behind := func(q Point, from time.Time) int { return cmp.Or(q.From.Compare(from), -1) }
		i, _ := slices.BinarySearchFunc(l.points, p.From, behind)
		l.points = slices.Insert(l.points, i, p)
	}
}

// Exchanges returns all requests so far and their answers, in order.
func (s *Service) Exchanges() []Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.exchanges)
}

// target is the prefix of the header that names an operation.
const target = "PerformanceInsightsv20180227."

// contentType is the protocol: AWS JSON 1.1.
const contentType = "application/x-amz-json-1.1"

func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	operation, known := strings.CutPrefix(r.Header.Get("X-Amz-Target"), target)
	answer, refused := s.answer(r, operation, known, body)
	status, shown := http.StatusOK, answer
	if refused != nil {
		status, shown = refused.status, refused
	}
	text, err := json.Marshal(shown)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.mu.Lock()
	try := r.Header.Get("Amz-Sdk-Request")
	again := try != "" && !strings.HasPrefix(try, "attempt=1;")
	s.exchanges = append(s.exchanges, Exchange{operation, slices.Clone(body), status, text, again})
	s.mu.Unlock()
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func (s *Service) answer(r *http.Request, operation string, known bool, body []byte) (any, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/" || r.Header.Get("Content-Type") != contentType || !known:
		return nil, refuse("UnknownOperationException", "not a request of this service")
	case !strings.Contains(r.Header.Get("Authorization"), "/pi/aws4_request"):
		return nil, &refusal{http.StatusForbidden, "MissingAuthenticationTokenException", "Missing Authentication Token"}
	case s.options.Denied:
		return nil, refuse("AccessDeniedException",
			"User: arn:aws:sts::123456789012:assumed-role/reader/session is not authorized to perform: pi:"+operation)
	}
	switch operation {
	case "ListAvailableResourceMetrics":
		return decoded(body, s.list)
	case "GetResourceMetrics":
		return decoded(body, s.get)
	case "DescribeDimensionKeys":
		return decoded(body, s.keys)
	default:
		return nil, refuse("UnknownOperationException", operation+" is not played here")
	}
}

// decoded decodes a request and handles it. It rejects unknown fields.
func decoded[Request any](body []byte, handle func(Request) (any, *refusal)) (any, *refusal) {
	var request Request
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&request); err != nil {
		return nil, refuse("SerializationException", err.Error())
	}
	return handle(request)
}

// refusal is an error in the protocol's form.
type refusal struct {
	status  int
	Type    string `json:"__type"`
	Message string `json:"Message"`
}

func refuse(kind, message string) *refusal {
	return &refusal{http.StatusBadRequest, kind, message}
}

// now returns the service's time.
func (s *Service) now() time.Time {
	if s.options.Now != nil {
		return s.options.Now()
	}
	return time.Now()
}
