package embedded

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

type endpoint struct {
	version   string // as PostgreSQL names it
	port      int
	password  string
	socketDir string // empty if its path is too long for a socket
	dataDir   string
}

// The same for every server here.
const (
	superuser = "postgres"
	database  = "postgres"
	loopback  = "127.0.0.1"
)

// url returns a TCP connection string in the form that every program takes.
func (e endpoint) url() string {
	return e.connect(net.JoinHostPort(loopback, strconv.Itoa(e.port)), url.Values{})
}

// dsn prefers the socket, which costs the clients least.
func (e endpoint) dsn() string {
	if e.socketDir == "" {
		return e.url()
	}
	return e.connect("", url.Values{"host": {e.socketDir}, "port": {strconv.Itoa(e.port)}})
}

func (e endpoint) connect(host string, parameters url.Values) string {
	parameters.Set("sslmode", "disable")
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, e.password), Host: host,
		// libpq does not read a plus as a space
		Path: "/" + database, RawQuery: strings.ReplaceAll(parameters.Encode(), "+", "%20"),
	}
	return u.String()
}
