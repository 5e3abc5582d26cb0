package postgres

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/typo"
)

// read is pgx's ParseConfig with better errors for typos. It never shows any part of a string that it cannot parse,
// since any part may belong to the password.
func read(dsn string) (config *pgx.ConnConfig, from conninfo, err error) {
	form, err := formOf(dsn)
	if err != nil {
		return nil, from, err
	}
	if from, err = readConninfo(dsn, form); err != nil {
		return nil, from, err
	}
	added := from.added()
	config, err = parse(from.with(dsn, form, added), form)
	if err != nil {
		return nil, from, err
	}
	// With hostaddr alone, use it as the host, which decides how pgx chooses TLS.
	if ip := from.value("hostaddr"); ip != "" && isSocket(config.Host) {
		added["host"] = ip
		if config, err = parse(from.with(dsn, form, added), form); err != nil {
			return nil, from, unread("hostaddr is not an IP address", form)
		}
	}
	return config, from, misplaced(config, form)
}

func parse(dsn string, form form) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(dsn)
	if refused, ok := errors.AsType[*pgconn.ParseConfigError](err); ok {
		reason := reasonIn(refused)
		for beginning, advice := range ofFiles {
			if strings.HasPrefix(reason, beginning) {
				return nil, fmt.Errorf("%s; %s", reason, advice)
			}
		}
		return nil, unread(reason, form)
	}
	return config, err
}

// ofFiles maps pgx's words for errors outside the connection string to advice.
var ofFiles = map[string]string{
	"failed to configure TLS": "check sslmode, sslrootcert, sslcert and sslkey, and their PGSSL... variables",
	"failed to read service":  adviceOnServices,
}

var (
	firstKeyword = regexp.MustCompile(`^\s*\w+\s*=`)
	// aimedAtURL matches an attempted URL: joe:pw@host, or slashes.
	aimedAtURL = regexp.MustCompile(`:.*@|:/|//`)
)

func formOf(dsn string) (form, error) {
	for _, scheme := range []string{"postgres://", "postgresql://"} {
		if rest, is := strings.CutPrefix(dsn, scheme); is {
			name, _, _ := strings.Cut(rest, "?")
			if slash := strings.IndexByte(name, '/'); slash >= 0 && strings.Contains(name[slash:], "@") {
				return address, unread("an @ follows the / after the host", address)
			}
			return address, nil
		}
	}
	switch {
	case firstKeyword.MatchString(dsn):
		return keywords, nil
	case strings.Contains(dsn, "=") || aimedAtURL.MatchString(dsn):
		return 0, unread("it starts with neither postgres://, postgresql:// nor a keyword such as host=", address)
	}
	return databaseName, nil
}

// unread returns an error about an unusable connection string, with the right way to
// write what most often breaks one.
func unread(reason string, as form) error {
	advice := "in a password, percent-encode all but letters and digits (%40 for @, %2F for /)"
	if as == keywords {
		advice = `put a password with a space in single quotes, with \' for a quote`
	}
	return fmt.Errorf("%s (not shown, as it may contain a password); %s, or use PGPASSWORD or ~/.pgpass",
		reason, advice)
}

// reasonIn returns pgx's reason without its quotes of the string.
func reasonIn(err *pgconn.ParseConfigError) string {
	text := err.Error()
	reason := strings.NewReplacer(`"sslcert"`, "sslcert", `"sslkey"`,
		"sslkey").Replace(text[strings.LastIndex(text, "`: ")+len("`: "):])
	if words, _, quotes := strings.Cut(reason, `"`); quotes {
		reason, _, _ = strings.Cut(words, " (")
	}
	return reason
}

// misplaced returns an error if pgx took part of a password for another value, which messages would show.
func misplaced(config *pgx.ConnConfig, as form) error {
	hosts := []string{config.Host}
	for _, other := range config.Fallbacks {
		hosts = append(hosts, other.Host)
	}
	for _, host := range hosts {
		_, noAddress := netip.ParseAddr(host)
		if noAddress != nil && !strings.HasPrefix(host, "/") &&
			strings.ContainsAny(strings.TrimPrefix(host, "@"), "@=:;? ") {
			return unread("invalid host", as)
		}
	}
	if as == databaseName {
		return nil
	}
	if as == keywords && aimedAtURL.MatchString(config.Database) { // typed in place of a database's name
		return unread("the database name looks like a mistyped URL", as)
	}
	for _, name := range slices.Sorted(maps.Keys(config.RuntimeParams)) {
		if typo.Guess(name, []string{"password", "passwd", "pass", "pwd", "pw"}) != "" {
			return unread("an unknown keyword looks like password", as)
		}
	}
	return nil
}
