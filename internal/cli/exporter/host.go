package exporter

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// forThisMachine refuses requests for another host, against DNS rebinding: a foreign page can make a browser resolve
// its own name to our address and read our answer. Such a request has their host; one without a host, as in
// HTTP/1.0, comes from no browser.
func forThisMachine(named string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "" && !namesThisMachine(r.Host, named) {
			const says = "metrics are served only to this machine; use localhost, 127.0.0.1 or [::1]"
			http.Error(w, says, http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// namesThisMachine reports whether a Host header leads to this machine whatever DNS says: a loopback address,
// localhost, or the host to listen on.
func namesThisMachine(header, named string) bool {
	host, port := header, ""
	if _, err := netip.ParseAddr(header); err != nil {
		if h, p, err := net.SplitHostPort(header); err == nil {
			host, port = h, p
		} else if inner, ok := strings.CutPrefix(header, "["); ok {
			if host, ok = strings.CutSuffix(inner, "]"); !ok {
				return false
			}
		}
	}
	if _, err := strconv.ParseUint(port, 10, 16); port != "" && err != nil {
		return false
	}
	host = strings.TrimSuffix(host, ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost") || named != "" &&
		strings.EqualFold(host, strings.TrimSuffix(named, "."))
}
