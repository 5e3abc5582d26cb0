package prometheus

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// source answers queries: a store, or a dump of one. If an answer has warnings, it is incomplete.
type source interface {
	series(ctx context.Context, selector string, from, to time.Time, most uint64) ([]labelSet, []string, error)
	values(ctx context.Context, label string, selector string, from, to time.Time, most uint64) ([]string,
		[]string, error)
	at(ctx context.Context, query string, t time.Time) (result, []string, error)
	hourly(ctx context.Context, query string, from, to time.Time) (result, []string, error)
}

// remote is a store reached by HTTP. The client library's own package would link reflection, which keeps every method
// of every type in the program, a third of its size.
type remote struct {
	client     http.Client
	store      url.URL
	persistent *persistent
}

func (r remote) address(of string) *url.URL {
	r.store.Path = path.Join(r.store.Path, of)
	return &r.store
}

// refusal is an error answer. Its Kind is the store's own word, or one of those below.
type refusal struct {
	Kind, Said string
	Status     int // of HTTP
	attempts   attempts
}

func (r *refusal) Error() string { return r.Kind + ": " + r.Said }

const (
	notPrometheus = "bad_response" // something else answers
	clientError   = "client_error"
	serverError   = "server_error"
)

func (r remote) series(ctx context.Context, selector string, from, to time.Time, most uint64) ([]labelSet,
	[]string, error) {
	return post[[]labelSet](ctx, r, "/api/v1/series", selected(selector, from, to, most))
}

func (r remote) values(ctx context.Context, label string, selector string, from, to time.Time,
	most uint64) ([]string, []string, error) {
	return get[[]string](ctx, r, "/api/v1/label/"+label+"/values", selected(selector, from, to, most))
}

func (r remote) at(ctx context.Context, query string, t time.Time) (result, []string, error) {
	return post[result](ctx, r, "/api/v1/query", url.Values{"query": {query}, "time": {seconds(t)}})
}

func (r remote) hourly(ctx context.Context, query string, from, to time.Time) (result, []string, error) {
	return post[result](ctx, r, "/api/v1/query_range",
		url.Values{"query": {query}, "start": {seconds(from)}, "end": {seconds(to)}, "step": {"3600"}})
}

// selected returns the parameters of a request for series.
func selected(selector string, from, to time.Time, most uint64) url.Values {
	return url.Values{"match[]": {selector}, "start": {seconds(from)}, "end": {seconds(to)},
		"limit": {strconv.FormatUint(most, 10)}}
}

func seconds(t time.Time) string {
	return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', -1, 64)
}

// post sends a request, which may be too long for a URL, by POST, or by GET if POST is not allowed.
func post[T any](ctx context.Context, r remote, of string, question url.Values) (answer T,
	warnings []string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address(of).String(),
		strings.NewReader(question.Encode()))
	if err != nil {
		return answer, nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header["Idempotency-Key"] = nil // repeating the request is harmless
	said, err := r.persistent.send(&r.client, request)
	if err != nil {
		return answer, nil, err
	}
	switch said.status {
	case http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return get[T](ctx, r, of, question)
	}
	return read[T](said)
}

func get[T any](ctx context.Context, r remote, of string, question url.Values) (answer T,
	warnings []string, err error) {
	address := r.address(of)
	address.RawQuery = question.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return answer, nil, err
	}
	said, err := r.persistent.send(&r.client, request)
	if err != nil {
		return answer, nil, err
	}
	return read[T](said)
}

// lenient accepts invalid JSON that stores may send.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
	json.WithUnmarshalers(json.UnmarshalFromFunc(readSample)))

// read decodes an answer of the store's interface.
func read[T any](said reply) (data T, warnings []string, err error) {
	status, body := said.status, said.body
	var answer struct {
		Status    string   `json:"status"`
		Data      T        `json:"data"`
		Kind      string   `json:"errorType"`
		Error     string   `json:"error"`
		Warnings  []string `json:"warnings"`
		IsPartial bool     `json:"isPartial"` // VictoriaMetrics' way to warn
	}
	broken := json.Unmarshal(body, &answer, lenient)
	if answer.IsPartial {
		answer.Warnings = append(answer.Warnings, "isPartial: not all of its storage nodes answered")
	}
	switch {
	case broken == nil && answer.Status == "error" && answer.Kind != "":
		err = &refusal{answer.Kind, answer.Error, status, said.attempts}
	case status/100 == 2 && len(body) > 0 && errors.Is(broken, io.ErrUnexpectedEOF):
		err = io.ErrUnexpectedEOF
	case status/100 == 2 && (broken != nil || answer.Status != "success"):
		err = &refusal{notPrometheus, shown(body), status, said.attempts}
	case status/100 == 4:
		err = &refusal{clientError, shown(body), status, said.attempts}
	case status/100 == 5:
		err = &refusal{serverError, shown(body), status, said.attempts}
	case status/100 != 2:
		err = &refusal{notPrometheus, fmt.Sprintf("status %d", status), status, said.attempts}
	}
	return answer.Data, answer.Warnings, err
}

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// shown returns what another program answered in place of a store, or of a store's JSON.
func shown(body []byte) string {
	body = bytes.TrimSpace(body)
	named := title.FindSubmatch(body)
	switch {
	case len(body) == 0:
		return "nothing"
	case named != nil:
		return fmt.Sprintf("the page %q", bytes.TrimSpace(named[1]))
	case body[0] == '<':
		return "a page of HTML"
	}
	return string(body)
}

// result is the answer to a query: a matrix of series with samples, or a vector with one sample each.
type result struct {
	Type   string
	Series []*sampleStream
}

// UnmarshalJSONFrom decodes a result. Of other types it keeps only the name.
func (r *result) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	var raw struct {
		Type   string         `json:"resultType"`
		Result jsontext.Value `json:"result"`
	}
	if err := json.UnmarshalDecode(in, &raw); err != nil {
		return err
	}
	r.Type = raw.Type
	if raw.Type != matrix && raw.Type != vector {
		return nil
	}
	var all []struct {
		Metric labelSet     `json:"metric"`
		Values []samplePair `json:"values"`
		Value  *samplePair  `json:"value"`
	}
	if err := json.Unmarshal(raw.Result, &all, lenient); err != nil {
		return err
	}
	for _, series := range all {
		if series.Value != nil {
			series.Values = append(series.Values, *series.Value)
		}
		r.Series = append(r.Series, &sampleStream{Metric: series.Metric, Values: series.Values})
	}
	return nil
}

// kind returns the type of an answer, which may be null.
func (r *result) kind() string { return cmp.Or(r.Type, "null") }

const (
	matrix = "matrix"
	vector = "vector"
)

// readSample reads [seconds, "value"].
func readSample(in *jsontext.Decoder, to *samplePair) error {
	raw, err := in.ReadValue()
	if err != nil {
		return err
	}
	at, value, _ := bytes.Cut(bytes.Trim(raw, "[] \t\r\n"), []byte{','})
	value = bytes.TrimSpace(value)
	if len(value) < 2 || value[0] != '"' {
		return fmt.Errorf("%s is not a sample", raw)
	}
	v, err := strconv.ParseFloat(string(value[1:len(value)-1]), 64)
	to.Value = v
	when, wrong := instantOf(string(bytes.TrimSpace(at)))
	to.Timestamp = when
	return cmp.Or(err, wrong)
}
