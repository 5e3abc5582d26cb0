package prometheus

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestRefusals: whatever a store answers instead, the error says what it was and what to do.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		status int
		said   string
		want   string
	}{
		{200, "<html>", "or not at this path; it answers: a page of HTML"},
		{200, "<!DOCTYPE html><html><head><title>\nGrafana\x1b[31m</title>", `; it answers: the page "Grafana\x1b[31m"`},
		{200, "", "; it answers: nothing"},
		{200, "{}", "; it answers: {}"},
		{200, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,2]]}]}}`,
			"; it answers: {"},
		{200, `{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}`,
			"returned a scalar instead of hours"},
		{200, `{"status":"success","data":null}`, "returned a null instead of hours"},
		{200, `{"status":"error","errorType":"internal","error":"x"}`, ": internal: x"},
		{301, "", "it answers: status 301"},
		{400, `{"status":"error","errorType":"bad_data","error":"parse error"}`, ": bad_data: parse error"},
		{400, "no 401", "rejected the query (400 no 401); does the address"},
		{401, "no", "denied access (401 no); check --token-file and --tenant, or the user and password"},
		{403, `{"status":"error"}`, "denied access"},
		{403, `{"status":"error","errorType":"forbidden","error":"x"}`, "denied access"},
		{404, "404 page not found", "rejected the query (404 page not found); does the address include the store's path?"},
		{422, `{"status":"error","errorType":"execution","error":"too many samples"}`, ": execution: too many samples"},
		{429, `{"status":"error","errorType":"too_many_requests","error":"x"}`, "try again later"},
		{503, `{"status":"error","errorType":"timeout","error":"slow"}`, ": timeout: slow"},
		{502, "<html><title>502 Bad Gateway</title>", ` failed (502 the page "502 Bad Gateway"); try again later`},
	} {
		err := ask(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.said))
		})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d %s: %v, want %s", c.status, c.said, err, c.want)
		}
	}
}

// TestUntrustedStores: each kind of certificate and protocol that does not fit has its own remedy.
func TestUntrustedStores(t *testing.T) {
	encrypted := httptest.NewTLSServer(http.NotFoundHandler())
	defer encrypted.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for url, want := range map[string]string{
		encrypted.URL: "is signed by an unknown authority; make this machine trust it",
		strings.Replace(plain.URL, "http:", "https:", 1): "does not answer with TLS; does its address begin with http://?",
	} {
		s, err := Open(Options{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.values(t.Context(), Query{}, "job", "up", 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
}

// TestPostingIsNotAllowed: then the request is in the URL.
func TestPostingIsNotAllowed(t *testing.T) {
	for _, status := range []int{http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotImplemented} {
		err := ask(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				w.WriteHeader(status)
				return
			}
			if r.FormValue("query") != "up" || r.FormValue("start") != "3600.5" || r.FormValue("step") != "3600" {
				t.Errorf("it asks %s", r.URL)
			}
			_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"matrix","result":[]}}`))
		})
		if err != nil {
			t.Errorf("after %d: %v", status, err)
		}
	}
}

// ask asks a store for hours.
func ask(t *testing.T, answer http.HandlerFunc) error {
	t.Helper()
	store := httptest.NewServer(answer)
	defer store.Close()
	s, err := Open(Options{URL: store.URL})
	if err != nil {
		t.Fatal(err)
	}
	f := &Fleet{store: s}
	_, err = f.rangeOf(t.Context(), "up", time.UnixMilli(500), time.UnixMilli(7200_500))
	return err
}
