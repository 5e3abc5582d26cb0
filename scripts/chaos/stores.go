//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// serve answers over HTTP until the fault is over, and returns the address.
func (p *place) serve(does http.HandlerFunc) string {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the client's end would go unnoticed
		does(w, r)
	}))
	p.atEnd(func() error {
		service.CloseClientConnections()
		service.Close()
		return nil
	})
	return service.URL
}

// at runs a command on an HTTP service.
func at(does http.HandlerFunc, then prepare) prepare {
	return first(func(p *place) error {
		p.service = strings.Replace(p.serve(does), "://", "://joe:zqzx@", 1)
		return nil
	}, then)
}

type storesAnswer struct {
	name string
	does http.HandlerFunc
	says string
}

// storesAnswers returns the answers of stores that refuse, fail and send nonsense.
func storesAnswers() []storesAnswer {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", code) }
	}
	says := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	return []storesAnswer{
		{"lets nobody in", status(http.StatusUnauthorized), "denied access"},
		{"is unavailable", status(http.StatusServiceUnavailable), "failed (503 no); try again later"},
		{"answers with a page", says("<html>\x1b[2J sign in"), "no Prometheus at"},
		{"answers with nothing", says(""), "realiops:"},
		{"is cut off", says(`{"status":"success","data":[{"__name__`), "realiops:"},
		{"sends to itself", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, "redirects"},
		{"answers without an end", endless(`{"status":"success","data":["`), "longer than 32 MiB"},
		{"fails without an end", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			endless("<html>")(w, r)
		}, "longer than 32 MiB"},
	}
}

// endless begins an answer and continues until the reader leaves.
func endless(begin string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, err := fmt.Fprint(w, begin)
		for more := bytes.Repeat([]byte("a"), 1<<16); err == nil; {
			_, err = w.Write(more)
		}
	}
}

func hung(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func hungAccount(w http.ResponseWriter, r *http.Request, _ http.Handler) { hung(w, r) }

func endlessAccount(w http.ResponseWriter, r *http.Request, _ http.Handler) { endless("<a>")(w, r) }

func failingAccount(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	w.WriteHeader(http.StatusInternalServerError)
	endless("<a>")(w, r)
}

func words(command string) []string { return strings.Fields(command) }
