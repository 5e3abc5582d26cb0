package prometheus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/printable"
)

const (
	// firstPause is the time before a request is repeated; each later pause is twice as long.
	firstPause = time.Second
	// patience bounds the pauses of one request together.
	patience = time.Minute
)

// attempts describes how often a request was sent until the store's answer was final.
type attempts struct {
	n      int
	waited time.Duration
	asks   time.Duration // that long a pause by the store's Retry-After; 0: none
}

// String is a remark for the error of a request that did not succeed; empty if it was sent once.
func (a attempts) String() string {
	switch {
	case a.asks > patience-a.waited:
		return fmt.Sprintf(" (it asks to wait for %s)", printable.Duration(a.asks))
	case a.n > 1:
		return fmt.Sprintf(" (%d attempts within %s)", a.n, printable.Duration(a.waited))
	}
	return ""
}

// persistent sends requests again that a store refuses for the moment.
type persistent struct {
	Options
	host     string
	answered bool // before: then a refused connection may pass, too
	told     []string
}

// send sends a request until the answer is final or patience ends.
func (p *persistent) send(client *http.Client, request *http.Request) (reply, error) {
	for pause, so := firstPause, (attempts{}); ; pause *= 2 {
		answer, err := sendOnce(client, request)
		so.n++
		why := p.passing(answer, err)
		so.asks = answer.retryAfter()
		answer.attempts = so
		if next := max(pause, so.asks); why == "" || so.waited+next > patience {
			p.answered = p.answered || err == nil
			return answer, err
		}
		if p.Tell != nil && !slices.Contains(p.told, why) {
			p.told = append(p.told, why)
			p.Tell("%s %s; trying again, for up to %s a query", p.host, why, printable.Duration(patience))
		}
		so.waited += max(pause, so.asks)
		if err := p.pause(request.Context(), max(pause, so.asks)); err != nil {
			return answer, err
		}
		if request.GetBody != nil {
			if request.Body, err = request.GetBody(); err != nil {
				return answer, err
			}
		}
	}
}

// passing says why a store may answer otherwise in a moment; empty: it will not.
func (p *persistent) passing(r reply, err error) string {
	_, network := errors.AsType[*net.OpError](err)
	switch {
	case err != nil && p.answered && (network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		return "does not answer"
	case err != nil || strings.Contains(string(r.body), `"errorType":"timeout"`): // the query takes too long
		return ""
	case slices.Contains([]int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout}, r.status):
		return fmt.Sprintf("answered %d (%s)", r.status, http.StatusText(r.status))
	}
	return ""
}

func (p *persistent) pause(ctx context.Context, d time.Duration) error {
	if p.Pause != nil {
		return p.Pause(ctx, d)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// reply is a whole answer.
type reply struct {
	status   int
	header   http.Header
	body     []byte
	attempts attempts
}

// retryAfter returns how long the store asks to wait, as seconds or as a date; 0: it does not say.
func (r reply) retryAfter() time.Duration {
	said := r.header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(said, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(said)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(r.header.Get("Date")) // by the same clock
	if err != nil {
		now = time.Now()
	}
	return max(0, at.Sub(now))
}

// sendOnce sends a request and reads the whole response.
func sendOnce(client *http.Client, request *http.Request) (reply, error) {
	response, err := client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return reply{status: response.StatusCode, header: response.Header, body: body}, err
}
