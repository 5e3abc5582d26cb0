package insights_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/probe/insights"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/insightstest"
)

// behind puts a proxy before a service.
func behind(t *testing.T, service http.Handler) (*accounttest.Proxy, string) {
	t.Helper()
	proxy := accounttest.NewProxy(service)
	server := httptest.NewServer(proxy)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return proxy, server.URL
}

func twoMinutes(t *testing.T) *insightstest.Service {
	t.Helper()
	s := start(t, insightstest.Options{}, storage+"writeIOsPS")
	s.Tell(periods(storage+"writeIOsPS", time.Minute, 1, 2)...)
	s.Tell(periods("db.load", time.Minute, 1, 2)...)
	return s
}

// TestFaultsThatPass: a call that fails once is repeated, and nothing is missing.
func TestFaultsThatPass(t *testing.T) {
	for name, fault := range map[string]accounttest.Fault{
		"throttled": accounttest.Throttled(), "unavailable": accounttest.Unavailable(),
		"gateway": accounttest.BadGateway(),
		"slow":    accounttest.Slow(50 * time.Millisecond),
	} {
		proxy, url := behind(t, twoMinutes(t))
		proxy.On("ListAvailableResourceMetrics", fault, 1)
		proxy.On("GetResourceMetrics", fault, 1)
		got, err := take(t, t.Context(), asking(url, aurora(), noon.Add(time.Hour)), noon, noon.Add(2*time.Minute))
		if diff := cmp.Diff(map[int]float64{0: 1, 60: 2}, got.values["insights/"+storage+"writeIOsPS"]); diff != "" ||
			err != nil || got.gaps != nil {
			t.Errorf("%s: %v, %v (-want +got):\n%s", name, err, got.gaps, diff)
		}
	}
}

// TestFaultsThatStay: a lasting failure is an error in one line, because a later attempt
// may work. It names no account.
func TestFaultsThatStay(t *testing.T) {
	check := func(name string, fault accounttest.Fault, words string) {
		t.Helper()
		proxy, url := behind(t, twoMinutes(t))
		proxy.On("GetResourceMetrics", fault)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got, err := take(t, ctx, asking(url, aurora(), noon.Add(time.Hour)), noon, noon.Add(2*time.Minute))
		if err == nil || !strings.Contains(err.Error(), words) || strings.ContainsAny(err.Error(), "\n") ||
			got.gaps != nil {
			t.Errorf("%s: %v, %v", name, err, got.gaps)
		}
	}
	check("throttled", accounttest.Throttled(),
		"ask Performance Insights: pi:GetResourceMetrics: AWS is still throttling")
	check("expired", accounttest.Expired(), "the credentials have expired")
	check("unavailable", accounttest.Unavailable(), "pi:GetResourceMetrics")
	check("truncated", accounttest.Truncated(), "pi:GetResourceMetrics")
	check("hung", accounttest.Hung(), "no answer in time")
	check("slow", accounttest.Slow(time.Minute), "no answer in time")
}

// TestCanceled: after an interrupt, no network error is reported.
func TestCanceled(t *testing.T) {
	proxy, url := behind(t, twoMinutes(t))
	ctx, cancel := context.WithCancel(t.Context())
	proxy.On("GetResourceMetrics", func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		cancel()
		accounttest.Hung()(w, r, service)
	})
	if _, err := take(t, ctx, asking(url, aurora(), noon.Add(time.Hour)), noon, noon.Add(2*time.Minute)); !errors.Is(
		err, context.Canceled) {
		t.Error(err)
	}
}

// TestOneMetricFailsAll: only the metric that the service lists but then does not know is missing, with a reason.
func TestOneMetricFailsAll(t *testing.T) {
	s := start(t, insightstest.Options{}, storage+"writeIOsPS", storage+"readIOsPS", "db.SQL.tup_inserted",
		"db.SQL.tup_updated", "db.SQL.tup_deleted")
	for _, m := range []string{storage + "writeIOsPS", storage + "readIOsPS", "db.SQL.tup_inserted",
		"db.SQL.tup_updated", "db.SQL.tup_deleted", "db.load"} {
		s.Tell(periods(m, time.Minute, 1, 2)...)
	}
	proxy, url := behind(t, s)
	unknown := accounttest.Refused(http.StatusBadRequest, "InvalidArgumentException",
		"This metric is not a known metric: db.SQL.tup_updated")
	proxy.On("GetResourceMetrics", func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		again, body := httptest.NewRecorder(), peek(t, r)
		if strings.Contains(body, "tup_updated") {
			unknown(w, r, service)
			return
		}
		service.ServeHTTP(again, r)
		w.Header().Set("Content-Type", again.Header().Get("Content-Type"))
		w.WriteHeader(again.Code)
		_, _ = w.Write(again.Body.Bytes())
	})
	got, err := take(t, t.Context(), asking(url, aurora(), noon.Add(time.Hour)), noon, noon.Add(2*time.Minute))
	want := []runfile.Gap{{
		At: noon, Probe: insights.Name, Metric: "insights/db.SQL.tup_updated", Reason: runfile.Unsupported,
		Code:   "InvalidArgumentException",
		Detail: "Performance Insights does not return it: This metric is not a known metric: db.SQL.tup_updated",
	}}
	if diff := cmp.Diff(want, got.gaps); diff != "" || err != nil || len(got.values) != 5 {
		t.Errorf("%v, %v (-want +got):\n%s", err, got.values, diff)
	}
}

// TestWrongStamps: an answer about other periods than the requested ones is rejected.
func TestWrongStamps(t *testing.T) {
	s := twoMinutes(t)
	proxy, url := behind(t, s)
	proxy.On("GetResourceMetrics", func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		body := strings.Replace(peek(t, r), `"START_TIME"`, `"END_TIME"`, 1)
		asked := r.Clone(r.Context())
		asked.Body = reader(body)
		service.ServeHTTP(w, asked)
	})
	_, err := take(t, t.Context(), asking(url, aurora(), noon.Add(time.Hour)), noon, noon.Add(2*time.Minute))
	if err == nil || !strings.Contains(err.Error(), "at 12:02:00, which is not a period from 12:00:00 to 12:02:00") {
		t.Error(err)
	}
}

// TestMomentsWithoutAValue: the real service lists some moments without a value.
func TestMomentsWithoutAValue(t *testing.T) {
	s := twoMinutes(t)
	proxy, url := behind(t, s)
	proxy.On("GetResourceMetrics", func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		told := httptest.NewRecorder()
		service.ServeHTTP(told, r)
		w.Header().Set("Content-Type", told.Header().Get("Content-Type"))
		_, _ = w.Write([]byte(strings.Replace(told.Body.String(), `,"Value":1}`, `}`, 1)))
	})
	got, err := take(t, t.Context(), asking(url, aurora(), noon.Add(time.Hour)), noon, noon.Add(2*time.Minute))
	if diff := cmp.Diff(map[int]float64{60: 2}, got.values["insights/"+storage+"writeIOsPS"]); diff != "" ||
		err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
