package postgres

import (
	"cmp"
	"maps"
	"net/url"
	"os"
	"os/user"
	"slices"
	"strings"
)

type settings map[string]string

// form is the notation of a connection string.
type form int

const (
	databaseName form = iota // a name alone, or nothing
	keywords                 // host=... user=...
	address                  // postgresql://...
)

// conninfo holds the settings of a connection by source, as libpq reads them: a value in the connection string wins
// over the service's, and that over an environment variable's. An empty value counts, except in a variable.
type conninfo struct {
	given   settings // in the connection string
	broken  bool     // the connection string is incomplete or invalid
	query   bool     // it is a URL with a query
	service settings // nil: no service is named
	ignored []string // set again by later sections of the service, which libpq does not read
	file    string   // where the service is defined
	lines   string   // the password file, if no other source has a password
	warning string   // why the password file is ignored; empty: it is used or absent
}

// said returns the value in the connection string or the service, and whether there is one.
func (c conninfo) said(keyword string) (value string, is bool) {
	if value, is = c.given[keyword]; !is {
		value, is = c.service[keyword]
	}
	return value, is
}

// value returns the value that libpq uses, before its defaults.
func (c conninfo) value(keyword string) string {
	if value, is := c.said(keyword); is || variableOf(keyword) == "" {
		return value
	}
	return os.Getenv(variableOf(keyword))
}

// readConninfo parses a connection string and its service. It leaves incomplete text for pgx to refuse.
func readConninfo(dsn string, as form) (c conninfo, err error) {
	switch as {
	case address:
		c.given, c.query = parseAddress(dsn)
	case keywords:
		c.given, c.broken = parseKeywords(dsn)
	case databaseName:
		c.given = settings{}
		if dsn != "" {
			c.given["dbname"] = dsn
		}
	}
	if name, is := c.given["service"]; is || os.Getenv("PGSERVICE") != "" {
		if !is {
			name = os.Getenv("PGSERVICE")
		}
		c.service, c.ignored, c.file, err = findService(name, c.given["servicefile"])
	}
	if c.value("password") == "" {
		c.lines, c.warning = readPasswords(cmp.Or(c.value("passfile"), userFile(".pgpass", "pgpass.conf")))
	}
	return c, err
}

// added returns the settings that make pgx connect as libpq does.
func (c conninfo) added() settings {
	all := maps.Clone(c.service)
	if all == nil {
		all = settings{}
	} else {
		all["servicefile"] = c.file
	}
	for _, keyword := range c.ignored {
		all[keyword] = c.value(keyword)
	}
	maps.DeleteFunc(all, func(keyword, _ string) bool { _, closer := c.given[keyword]; return closer })
	if name, is := c.said("user"); is && name == "" { // libpq takes the system's user, pgx an empty one
		if me, err := user.Current(); err == nil {
			all["user"] = me.Username
		}
	}
	old, is := c.said("requiressl")
	if !is {
		old = os.Getenv("PGREQUIRESSL")
	}
	if strings.HasPrefix(old, "1") && c.value("sslmode") == "" {
		all["sslmode"] = "require"
	}
	delete(all, "requiressl")
	if c.warning != "" {
		all["passfile"] = os.DevNull
	}
	if c.value("sslmode") == "disable" && c.value("sslrootcert") != "" { // libpq does not read sslrootcert then
		all["sslrootcert"] = ""
	}
	return all
}

// with adds settings to a connection string, overriding its own. It leaves a broken string unchanged.
func (c conninfo) with(dsn string, as form, further settings) string {
	switch {
	case as == databaseName, as == keywords && len(further) > 0 && !c.broken:
		all := maps.Clone(c.given)
		maps.Copy(all, further)
		return all.String()
	case as == address && len(further) > 0 && c.query:
		return dsn + "&" + further.query()
	case as == address && len(further) > 0:
		return dsn + "?" + further.query()
	default:
		return dsn
	}
}

// Complete adds settings that a URL does not set itself.
func Complete(dsn string, further map[string]string) string {
	given, hasQuery := parseAddress(dsn)
	c := conninfo{given: given, query: hasQuery}
	left := maps.Clone(settings(further))
	maps.DeleteFunc(left, func(keyword, value string) bool { _, is := given[keyword]; return is || value == "" })
	return c.with(dsn, address, left)
}

func (s settings) query() string {
	query := url.Values{}
	for keyword, value := range s {
		query.Set(keyword, value)
	}
	return Encode(query)
}

// Encode encodes the query of a connection string. Neither libpq nor pgx reads a plus as a space.
func Encode(query url.Values) string { return strings.ReplaceAll(query.Encode(), "+", "%20") }

// String returns the settings as a connection string.
func (s settings) String() string {
	var words []string
	quote := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	for _, keyword := range slices.Sorted(maps.Keys(s)) {
		words = append(words, keyword+"='"+quote.Replace(s[keyword])+"'")
	}
	return strings.Join(words, " ")
}

// canonical returns the name that stands for both of pgx's names of a keyword.
func canonical(keyword string) string {
	if keyword == "database" {
		return "dbname"
	}
	return keyword
}

const spaces = " \t\n\r\v\f"

// parseKeywords parses like libpq's conninfo_parse. The last of several values counts.
func parseKeywords(text string) (all settings, broken bool) {
	all = settings{}
	for strings.Trim(text, spaces) != "" {
		name, rest, found := strings.Cut(text, "=")
		name = strings.Trim(name, spaces)
		value, rest, ended := cutValue(strings.TrimLeft(rest, spaces))
		if !found || !ended || name == "" || strings.ContainsAny(name, spaces) || strings.Contains(value, "\x00") {
			return all, true
		}
		all[canonical(name)] = value
		text = rest
	}
	return all, false
}

// cutValue splits off a value: in quotes, which must be closed, or up to a space. A
// backslash escapes the next character.
func cutValue(text string) (value, rest string, ended bool) {
	end := spaces
	if strings.HasPrefix(text, "'") {
		end, text = "'", text[1:]
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case text[i] == '\\':
		case strings.IndexByte(end, text[i]) >= 0:
			return b.String(), text[i+1:], true
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String(), "", end == spaces
}

// parseAddress parses like libpq's conninfo_uri_parse. An empty part of the address is unset; an
// empty value of the query is set.
func parseAddress(text string) (all settings, hasQuery bool) {
	all = settings{}
	set := func(keyword, value string) {
		if decoded, err := url.PathUnescape(strings.Trim(value, " ")); err == nil && value != "" {
			all[keyword] = decoded
		}
	}
	_, rest, _ := strings.Cut(text, "://")
	if i := strings.IndexAny(rest, "@/"); i >= 0 && rest[i] == '@' {
		name, password, _ := strings.Cut(rest[:i], ":")
		set("user", name)
		set("password", password)
		rest = rest[i+1:]
	}
	rest, query, hasQuery := strings.Cut(rest, "?")
	hosts, database, _ := strings.Cut(rest, "/")
	var names, ports []string
	for host := range strings.SplitSeq(hosts, ",") {
		colon := strings.LastIndexByte(host, ':')
		if colon < strings.LastIndexByte(host, ']') || colon < 0 {
			colon = len(host)
		}
		names = append(names, strings.Trim(host[:colon], "[]"))
		ports = append(ports, strings.TrimPrefix(host[colon:], ":"))
	}
	set("host", strings.Join(names, ","))
	set("port", strings.Join(ports, ","))
	set("dbname", database)
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		keyword, err := url.PathUnescape(strings.Trim(name, " "))
		switch decoded, wrong := url.PathUnescape(strings.Trim(value, " ")); {
		case cmp.Or(err, wrong) != nil || keyword == "":
		case keyword == "ssl" && decoded == "true": // JDBC's form
			all["sslmode"] = "require"
		default:
			all[canonical(keyword)] = decoded
		}
	}
	return all, hasQuery
}
