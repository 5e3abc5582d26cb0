package measuring

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// connectionOptions are pgbench's connection flags, which are libpq's.
type connectionOptions struct{ host, port, user, database string }

func (c *connectionOptions) name(args []string) error {
	if c.database == "" && len(args) > 0 {
		c.database, args = args[0], args[1:]
	}
	if len(args) > 0 {
		return fmt.Errorf("too many command-line arguments (first is %q)", args[0])
	}
	return nil
}

// dsn combines the flags as libpq does: a connection string overrides the other flags.
func (c *connectionOptions) dsn() string {
	if strings.Contains(c.database, "://") {
		return c.completeURL()
	}
	var keywords []string
	add := func(name, value string) {
		if value != "" {
			value = strings.ReplaceAll(strings.ReplaceAll(value, `\`, `\\`), "'", `\'`)
			keywords = append(keywords, name+"='"+value+"'")
		}
	}
	add("host", c.host)
	add("port", c.port)
	add("user", c.user)
	if strings.Contains(c.database, "=") {
		keywords = append(keywords, c.database)
	} else {
		add("dbname", c.database)
	}
	return strings.Join(keywords, " ")
}

// completeURL adds the flags that a URL leaves open.
func (c *connectionOptions) completeURL() string {
	u, err := url.Parse(c.database)
	if err != nil || u.Host == "" && u.Path == "" { // several hosts, or none
		return postgres.Complete(c.database, map[string]string{"host": c.host, "port": c.port, "user": c.user})
	}
	u.RawQuery = strings.ReplaceAll(u.RawQuery, "+", "%2B") // a plus is not a space there
	query := u.Query()
	set := func(name, value string, there bool) {
		if value != "" && !there && !query.Has(name) {
			query.Set(name, value)
			u.RawQuery = postgres.Encode(query)
		}
	}
	set("user", c.user, u.User.Username() != "")
	if c.host != "" && u.Hostname() == "" && !query.Has("host") && !strings.HasPrefix(c.host, "/") {
		u.Host = strings.TrimSuffix(net.JoinHostPort(c.host, u.Port()), ":")
	}
	set("host", c.host, u.Hostname() != "")
	set("port", c.port, u.Port() != "")
	return u.String()
}
