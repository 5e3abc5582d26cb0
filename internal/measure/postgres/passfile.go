package postgres

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// usePasswordFile looks up each host's password in the password file if no other source has one.
func (e *Endpoint) usePasswordFile() {
	if e.from.value("password") != "" {
		return
	}
	hosts := e.hosts()
	found := make([]string, len(hosts))
	same := true
	for i, h := range hosts {
		database := cmp.Or(e.config.Database, e.config.User)
		name := h.host
		if name == defaultSocketDirectory() {
			name = "localhost" // in the file
		}
		found[i] = passwordIn(e.from.lines, name, strconv.Itoa(h.port), database, e.config.User)
		same = same && found[i] == found[0]
	}
	e.config.Password = found[0]
	if !same {
		e.config.AfterNetConnect = passwordByHost(hosts, found)
	}
}

// readPasswords reads a password file, or returns libpq's warning about why it is ignored.
func readPasswords(path string) (text, warning string) {
	f, err := openAtOnce(path)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	info, err := f.Stat()
	const groupAndOthers = 0o077
	switch {
	case err != nil:
		return "", ""
	case runtime.GOOS == "windows": // the directory is protected there
	case !info.Mode().IsRegular():
		return "", fmt.Sprintf(`WARNING: password file "%s" is not a plain file`, path)
	case info.Mode()&groupAndOthers != 0:
		return "", fmt.Sprintf(`WARNING: password file "%s" has group or world access; `+
			`permissions should be u=rw (0600) or less`, path)
	}
	all, err := io.ReadAll(io.LimitReader(f, longestFile))
	if err != nil {
		return "", ""
	}
	return string(all), ""
}

func passwordIn(text string, fields ...string) string {
	for line := range strings.Lines(text) {
		rest, matches := strings.TrimRight(line, "\r\n"), !strings.HasPrefix(line, "#")
		for _, field := range fields {
			if matches {
				rest, matches = cutField(rest, field)
			}
		}
		if matches {
			return unescaped(rest)
		}
	}
	return ""
}

// cutField splits off a field that is a star or equals want. A backslash escapes the next character.
func cutField(line, want string) (rest string, matches bool) {
	if rest, any := strings.CutPrefix(line, "*:"); any {
		return rest, true
	}
	for i := 0; i < len(line); i++ {
		if line[i] == ':' && want == "" {
			return line[i+1:], true
		}
		if line[i] == '\\' && i+1 < len(line) {
			i++
		}
		if want == "" || line[i] != want[0] {
			return "", false
		}
		want = want[1:]
	}
	return "", false
}

// unescaped returns the last field of a line, up to another colon.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text) && text[i] != ':'; i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// defaultSocketDirectory returns libpq's built-in default, which distributions change.
func defaultSocketDirectory() string {
	const distributions = "/var/run/postgresql"
	if _, err := os.Stat(distributions); err == nil {
		return distributions
	}
	return "/tmp"
}

// passwordByHost sets the password of the host that each connection leads to.
func passwordByHost(
	hosts []hostPort, passwords []string,
) func(context.Context, *pgconn.Config, net.Conn) (net.Conn, error) {
	return func(ctx context.Context, config *pgconn.Config, conn net.Conn) (net.Conn, error) {
		config.Password = ""
		for i, h := range hosts {
			if h.leadsTo(ctx, config.LookupFunc, conn.RemoteAddr()) {
				config.Password = passwords[i]
				break
			}
		}
		return conn, nil
	}
}

// leadsTo reports whether a connection to the address may be one to the host.
func (h hostPort) leadsTo(ctx context.Context, lookup pgconn.LookupFunc, address net.Addr) bool {
	if tcp, is := address.(*net.TCPAddr); is {
		ips, err := lookup(ctx, h.host)
		is := func(ip string) bool { return tcp.IP.Equal(net.ParseIP(ip)) }
		return err == nil && tcp.Port == h.port && slices.ContainsFunc(ips, is)
	}
	_, path := pgconn.NetworkAddress(h.host, uint16(h.port)) //nolint:gosec // it was one
	if strings.HasPrefix(h.host, "@") {
		path = abstractPath(path)
	}
	return path == address.String()
}
