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
	socketDir string // empty where its path is too long for a socket
	dataDir   string
}

// What is the same for every server here.
const (
	superuser = "postgres"
	database  = "postgres"
	loopback  = "127.0.0.1"
)

// url connects over TCP, in the form that every quantity takes.
func (e endpoint) url() string {
	return e.connect(net.JoinHostPort(loopback, strconv.Itoa(e.port)), url.Values{})
}

// dsn connects by the socket where there is one, because that costs the clients least.
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
		// a plus is no space to libpq
		Path: "/" + database, RawQuery: strings.ReplaceAll(parameters.Encode(), "+", "%20"),
	}
	return u.String()
}
