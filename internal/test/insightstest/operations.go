package insightstest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of requests, from the service's model and documentation; see docs/aurora.md.
const (
	mostQueries    = 15
	mostResults    = 25
	mostGroups     = 25
	mostDimensions = 10
	daysKept       = 7
	aboutPoints    = 200 // if the request leaves the period to the service
)

// periods returns the allowed periods, in seconds.
func periods() []int { return []int{1, 60, 300, 3600, 86400} }

// groups returns the dimension groups of PostgreSQL's load.
func groups() []string {
	return []string{"db.wait_event", "db.wait_event_type", "db.sql", "db.sql_tokenized", "db.user", "db.host", "db",
		"db.application", "db.session_type"}
}

type listRequest struct {
	ServiceType string
	Identifier  string
	MetricTypes []string
	MaxResults  *int
	NextToken   string
}

type listAnswer struct {
	Metrics   []listed
	NextToken string `json:",omitempty"`
}

type listed struct {
	Metric      string
	Description string `json:",omitempty"`
	Unit        string
}

// list answers ListAvailableResourceMetrics.
func (s *Service) list(r listRequest) (any, *refusal) {
	if refused := s.admit(r.ServiceType, r.Identifier, r.MaxResults); refused != nil {
		return nil, refused
	}
	if len(r.MetricTypes) == 0 {
		return nil, invalid("metricTypes", "Member must not be null")
	}
	all := []listed{}
	for _, m := range s.metrics {
		kind, _, _ := strings.Cut(m.Name, ".")
		if slices.Contains(r.MetricTypes, kind) {
			all = append(all, listed{m.Name, m.Description, m.Unit})
		}
	}
	asked := r
	asked.NextToken = ""
	page, next, refused := paged(all, asked, r.NextToken, s.pageOf(r.MaxResults))
	return listAnswer{page, next}, refused
}

type getRequest struct {
	ServiceType     string
	Identifier      string
	MetricQueries   []query
	StartTime       float64
	EndTime         float64
	PeriodInSeconds *int
	MaxResults      *int
	NextToken       string
	PeriodAlignment string
}

type query struct {
	Metric  string
	GroupBy *struct {
		Group      string
		Dimensions []string
		Limit      int
	}
	Filter map[string]string
}

type getAnswer struct {
	AlignedStartTime float64
	AlignedEndTime   float64
	Identifier       string
	MetricList       []series
	NextToken        string `json:",omitempty"`
}

// get answers GetResourceMetrics.
func (s *Service) get(r getRequest) (any, *refusal) {
	if refused := s.admit(r.ServiceType, r.Identifier, r.MaxResults); refused != nil {
		return nil, refused
	}
	w, refused := s.window(r)
	if refused != nil {
		return nil, refused
	}
	if n := len(r.MetricQueries); n < 1 || n > mostQueries {
		return nil, invalid("metricQueries", fmt.Sprintf("Member must have length between 1 and %d", mostQueries))
	}
	all := []series{}
	for _, q := range r.MetricQueries {
		if refused := s.understand(q); refused != nil {
			return nil, refused
		}
		all = append(all, s.asked(r.Identifier, q, w)...)
	}
	asked := r
	asked.NextToken = ""
	page, next, refused := paged(all, asked, r.NextToken, s.pageOf(r.MaxResults))
	return getAnswer{float64(w.from.Unix()), float64(w.to.Unix()), r.Identifier, page, next}, refused
}

// admit rejects what both operations reject.
func (s *Service) admit(service, instance string, results *int) *refusal {
	switch {
	case service != "RDS" && service != "DOCDB":
		return invalid("serviceType", "Member must satisfy enum value set: [RDS, DOCDB]")
	case !regexp.MustCompile(`^[a-zA-Z0-9-]{1,256}$`).MatchString(instance):
		return invalid("identifier", "Member must satisfy regular expression pattern: ^[a-zA-Z0-9-]+$")
	case results != nil && (*results < 0 || *results > mostResults):
		return invalid("maxResults", fmt.Sprintf("Member must have value less than or equal to %d", mostResults))
	case s.options.Off, s.options.Instance != "" && instance != s.options.Instance:
		return refuse("NotAuthorizedException", "The resource "+instance+" for service type "+service+
			" is not authorized for this account")
	}
	return nil
}

func invalid(field, why string) *refusal {
	return refuse("ValidationException", "1 validation error detected: Value at '"+field+
		"' failed to satisfy constraint: "+why)
}

// window returns the stretch of a request, widened to whole periods.
func (s *Service) window(r getRequest) (window, *refusal) {
	from, to := moment(r.StartTime), moment(r.EndTime)
	kept := s.now().AddDate(0, 0, -daysKept)
	if s.options.Days > 0 {
		kept = s.now().AddDate(0, 0, -s.options.Days)
	}
	switch {
	case !from.Before(to):
		return window{}, refuse("InvalidArgumentException", "The start time must be earlier than the end time")
	case from.Before(kept):
		return window{},
			refuse("InvalidArgumentException", "The start time is before the retention period of this resource")
	case !slices.Contains([]string{"", "END_TIME", "START_TIME"}, r.PeriodAlignment):
		return window{}, invalid("periodAlignment", "Member must satisfy enum value set: [END_TIME, START_TIME]")
	}
	seconds := chosenPeriod(to.Sub(from))
	if r.PeriodInSeconds != nil {
		seconds = *r.PeriodInSeconds
	}
	if !slices.Contains(periods(), seconds) {
		return window{}, refuse("InvalidArgumentException", fmt.Sprintf("The period %d is not a valid period", seconds))
	}
	period := time.Duration(seconds) * time.Second
	end := to.Truncate(period)
	if end.Before(to) {
		end = end.Add(period)
	}
	return window{
		from: from.Truncate(period), to: end, period: period, atStart: r.PeriodAlignment == "START_TIME",
		cut: s.options.Cut, now: s.now(), delay: s.options.Delay,
	}, nil
}

// chosenPeriod returns the shortest period with few enough points.
func chosenPeriod(long time.Duration) int {
	for _, p := range periods() {
		if long.Seconds()/float64(p) <= aboutPoints {
			return p
		}
	}
	return 86400
}

func moment(seconds float64) time.Time {
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*1e9)).UTC()
}

// split separates a metric's name and its statistic.
func split(metric string) (name, statistic string) {
	i := strings.LastIndex(metric, ".")
	return metric[:max(i, 0)], metric[i+1:]
}

// understand rejects a query for something that the instance does not have, which fails the whole request.
func (s *Service) understand(q query) *refusal {
	name, statistic := split(q.Metric)
	if statistics()[statistic] == nil {
		return refuse("InvalidArgumentException", "The specified statistic is not a known statistic")
	}
	if !slices.ContainsFunc(s.metrics, func(m Metric) bool { return m.Name == name }) {
		return refuse("InvalidArgumentException", "This metric is not a known metric: "+name)
	}
	if q.GroupBy == nil {
		return nil
	}
	switch g := q.GroupBy; {
	case name != "db.load" && name != "db.sampledload", !slices.Contains(groups(), g.Group):
		return refuse("InvalidArgumentException", "This group is not a known group: "+g.Group+
			" is not valid for current resource")
	case g.Limit < 0 || g.Limit > mostGroups || len(g.Dimensions) > mostDimensions:
		return invalid("metricQueries", "Member must satisfy constraints of groupBy")
	}
	return nil
}

// pageOf returns the number of items in an answer.
func (s *Service) pageOf(results *int) int {
	if results != nil && *results > 0 {
		return *results
	}
	return s.options.Page
}

// paged returns the items from a token on, and the token of the next page. A token is
// valid only for the same request.
func paged[Item any](all []Item, request any, token string, size int) ([]Item, string, *refusal) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, "", &refusal{http.StatusInternalServerError, "InternalServiceError", err.Error()}
	}
	of := fmt.Sprintf("%x", sha256.Sum256(text))[:12]
	begin := 0
	if token != "" {
		raw, _ := base64.URLEncoding.DecodeString(token) // an undecodable token is not ours
		place, mine := strings.CutPrefix(string(raw), of+":")
		if begin, err = strconv.Atoi(place); err != nil || !mine || begin < 0 || begin > len(all) {
			return nil, "", refuse("InvalidArgumentException", "The next token is not valid for this request")
		}
	}
	if end := begin + size; size > 0 && end < len(all) {
		return all[begin:end], base64.URLEncoding.EncodeToString(fmt.Appendf(nil, "%s:%d", of, end)), nil
	}
	return all[begin:], "", nil
}
