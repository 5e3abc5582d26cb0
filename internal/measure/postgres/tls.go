package postgres

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func ofAWS(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return strings.HasSuffix(host, ".rds.amazonaws.com") || strings.HasSuffix(host, ".amazonaws.com.cn") &&
		strings.Contains(host, ".rds.")
}

// verifyByDefault makes connections to Amazon's databases verify the server unless the user set sslmode. libpq's
// default, prefer, would send the password to any server.
func verifyByDefault(config *pgx.ConnConfig) {
	if !ofAWS(config.Host) || !prefers(config) {
		return
	}
	config.TLSConfig = verifying(config.TLSConfig, config.Host)
	config.Fallbacks = slices.DeleteFunc(config.Fallbacks, func(f *pgconn.FallbackConfig) bool {
		return f.TLSConfig == nil
	})
	for _, f := range config.Fallbacks {
		f.TLSConfig = verifying(f.TLSConfig, f.Host)
	}
}

// prefers reports whether TLS is tried first, then a plain connection to the same host: libpq's default.
func prefers(config *pgx.ConnConfig) bool {
	return config.TLSConfig != nil && config.TLSConfig.InsecureSkipVerify &&
		slices.ContainsFunc(config.Fallbacks, func(f *pgconn.FallbackConfig) bool {
			return f.TLSConfig == nil && f.Host == config.Host
		})
}

// verifying returns a config like sslmode=verify-full. The roots come from sslrootcert, its default
// ~/.postgresql/root.crt, or the system.
func verifying(lenient *tls.Config, host string) *tls.Config {
	strict := lenient.Clone()
	strict.InsecureSkipVerify, strict.VerifyPeerCertificate, strict.VerifyConnection = false, nil, nil
	strict.ServerName = host
	return strict
}

// bundle is Amazon's URL for the certificates that sign its databases' own. They are neither in the systems' stores
// nor in this program, where a copy would age: users have to fetch them from a source they trust.
const bundle = "https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem"

// distrust returns advice about an invalid certificate, or nil for another error.
func distrust(err error, host string) error {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	if unknown && ofAWS(host) {
		return errors.New("its certificate cannot be verified without Amazon's root certificates; run curl -fo " +
			"~/.postgresql/root.crt --create-dirs " +
			bundle + " (or set sslrootcert=FILE; sslmode=require skips verification)")
	}
	if unknown {
		return errors.New("its certificate is signed by an unknown authority; set sslrootcert to its certificate")
	}
	switch wrong, ok := errors.AsType[x509.HostnameError](err); {
	case !ok:
		return nil
	case len(wrong.Certificate.DNSNames) == 0:
		return fmt.Errorf("its certificate is not valid for %s; connect by the name in it", wrong.Host)
	default:
		return fmt.Errorf("its certificate is not valid for %s; connect to %s instead", wrong.Host,
			wrong.Certificate.DNSNames[0])
	}
}

// refuseOpenKey makes TLS connections fail if other users can read the client's key. As in
// libpq, plain connections work.
func (c conninfo) refuseOpenKey(config *pgx.ConnConfig) {
	refused := keyRefused(cmp.Or(c.value("sslkey"), userFile(".postgresql/postgresql.key", "postgresql.key")))
	for _, t := range encrypting(config) {
		if refused != nil && len(t.Certificates) > 0 {
			t.Certificates = nil
			t.VerifyConnection = func(tls.ConnectionState) error { return refused }
		}
	}
}

// encrypting returns the TLS configs of the attempts that use TLS.
func encrypting(config *pgx.ConnConfig) []*tls.Config {
	all := []*tls.Config{config.TLSConfig}
	for _, f := range config.Fallbacks {
		all = append(all, f.TLSConfig)
	}
	return slices.DeleteFunc(all, func(c *tls.Config) bool { return c == nil })
}

// keyRefused returns libpq's message about a key's permissions. A key that root owns may be readable by a group.
func keyRefused(path string) error {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" {
		return nil
	}
	forbidden := os.FileMode(0o077)
	if ownedByRoot(info) {
		forbidden = 0o037
	}
	switch {
	case !info.Mode().IsRegular():
		return &unsigned{fmt.Errorf(`private key file "%s" is not a regular file`, path)}
	case info.Mode()&forbidden != 0:
		return &unsigned{fmt.Errorf(`private key file "%s" has group or world access; file must have permissions `+
			`u=rw (0600) or less if owned by the current user, or permissions u=rw,g=r (0640) or less if owned by root`,
			path)}
	}
	return nil
}
