package postgres

import (
	"cmp"
	"maps"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

// IgnoreEnvironment removes the PG* variables from this process and its children. They describe the user's servers
// and would mislead sessions to ours: PGSERVICE and PGTARGETSESSIONATTRS prevent connections, PGOPTIONS changes what
// is measured. pgx reads the process's environment, so there is no other way.
func IgnoreEnvironment() error {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "PG") {
			continue
		}
		if err := os.Unsetenv(name); err != nil {
			return err
		}
	}
	return nil
}

// Environment returns an environment in which libpq connects to the same servers, database and user with the same
// settings: PG* variables replace the connection string and the service. DATABASE_URL serves programs that read a
// URL. If only a socket that some programs cannot use leads to the server, host replaces it.
func (e *Endpoint) Environment(all []string, host string) []string {
	hosts := e.hosts()
	if host != e.config.Host {
		hosts = []hostPort{{host, hosts[0].port}}
	}
	var names, ports, addresses []string
	for _, h := range hosts {
		names, ports = append(names, h.host), append(ports, strconv.Itoa(h.port))
		addresses = append(addresses, net.JoinHostPort(cmp.Or(e.ip, h.host), strconv.Itoa(h.port)))
	}
	database := cmp.Or(e.config.Database, e.config.User)
	set := map[string]string{"PGSERVICE": "", "DATABASE_URL": e.url(hosts, addresses, database)}
	for _, some := range []map[string]string{readByPGX, variables} {
		for variable, keyword := range some {
			if value, is := e.from.said(keyword); is {
				set[variable] = value
			}
		}
	}
	maps.Copy(set, map[string]string{
		"PGHOST": strings.Join(names, ","), "PGHOSTADDR": e.ip, "PGPORT": strings.Join(ports, ","),
		"PGUSER": e.config.User, "PGDATABASE": database, "PGPASSWORD": e.config.Password,
	})
	if e.config.AfterNetConnect != nil { // each host has its own, in the password file
		set["PGPASSWORD"] = ""
	}
	all = slices.DeleteFunc(slices.Clone(all), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		_, is := set[name]
		return is
	})
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if set[name] != "" {
			all = append(all, name+"="+set[name])
		}
	}
	return all
}

func (e *Endpoint) url(hosts []hostPort, addresses []string, database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(e.config.User, e.config.Password), Path: "/" + database}
	query := url.Values{}
	if first := hosts[0]; isSocket(first.host) { // the directory of a socket
		query.Set("host", first.host)
		query.Set("port", strconv.Itoa(first.port))
	} else {
		u.Host = strings.Join(addresses, ",")
	}
	for _, keyword := range []string{"sslmode", "sslrootcert"} { // not every program that reads a URL reads PGSSLMODE
		if value, is := e.from.said(keyword); is {
			query.Set(keyword, value)
		}
	}
	if attributes := e.from.value("target_session_attrs"); len(hosts) > 1 && attributes != "" {
		query.Set("target_session_attrs", attributes)
	}
	u.RawQuery = Encode(query)
	return u.String()
}
