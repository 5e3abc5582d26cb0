package accounttest

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"

	"github.com/aws/smithy-go/encoding/cbor"
)

// Answer is a request of CloudWatch, or an answer, in CBOR.
type Answer = cbor.Map

// Changed passes the call on to CloudWatch, and changes its answer.
func Changed(change func(asked, out Answer)) Fault {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		whole := httptest.NewRecorder()
		service.ServeHTTP(whole, r)
		asked, errAsked := cbor.Decode(body)
		out, errOut := cbor.Decode(whole.Body.Bytes())
		if err := errors.Join(errAsked, errOut); err != nil {
			panic(err)
		}
		change(asked.(Answer), out.(Answer))
		maps.Copy(w.Header(), whole.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(whole.Code)
		_, _ = w.Write(cbor.Encode(out))
	}
}

// EachResult changes the metrics of an answer of GetMetricData one by one.
func EachResult(change func(result Answer)) Fault {
	return Changed(func(_, out Answer) {
		for _, r := range out["MetricDataResults"].(cbor.List) {
			change(r.(Answer))
		}
	})
}

// Status gives every metric of an answer of GetMetricData that status, and no points.
func Status(code string) Fault {
	return EachResult(func(r Answer) {
		r["StatusCode"], r["Timestamps"], r["Values"] = cbor.String(code), cbor.List{}, cbor.List{}
	})
}

// Text passes the call on, and changes its answer as text.
func Text(change func(string) string) Fault {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		whole := httptest.NewRecorder()
		service.ServeHTTP(whole, r)
		maps.Copy(w.Header(), whole.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(whole.Code)
		_, _ = io.WriteString(w, change(whole.Body.String()))
	}
}

// Says answers instead of the service.
func Says(status int, text string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// Nothing returns the answer without a body.
func Nothing() Fault { return Says(http.StatusOK, "") }
