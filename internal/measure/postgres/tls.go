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

// verifyByDefault makes a connection to a database of Amazon's refuse an impostor, where the user did not say how much
// to trust: libpq's default, prefer, would send the password to anybody who answers.
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

// prefers reports whether TLS is tried first and done without next, on the same host: libpq's default.
func prefers(config *pgx.ConnConfig) bool {
	return config.TLSConfig != nil && config.TLSConfig.InsecureSkipVerify &&
		slices.ContainsFunc(config.Fallbacks, func(f *pgconn.FallbackConfig) bool {
			return f.TLSConfig == nil && f.Host == config.Host
		})
}

// verifying is as sslmode=verify-full: the chain and the name. The roots are those of sslrootcert, or of its default,
// ~/.postgresql/root.crt, or of the system.
func verifying(lenient *tls.Config, host string) *tls.Config {
	strict := lenient.Clone()
	strict.InsecureSkipVerify, strict.VerifyPeerCertificate, strict.VerifyConnection = false, nil, nil
	strict.ServerName = host
	return strict
}

// bundle is Amazon's URL for the certificates that sign its databases' own. They are in no system's store, and not
// in this program either: users have to fetch them from a source they trust, and a copy here would age.
const bundle = "https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem"

// distrust returns advice about a certificate that does not hold; nil for another error.
func distrust(err error, host string) error {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	if unknown && ofAWS(host) {
		return errors.New("its certificate cannot be verified without Amazon's own: curl -fo ~/.postgresql/root.crt " +
			"--create-dirs " +
			bundle + " (or sslrootcert=FILE; sslmode=require goes without, and trusts whoever answers)")
	}
	if unknown {
		return errors.New("nobody known here has signed its certificate: name who has with sslrootcert=FILE")
	}
	wrong, ok := errors.AsType[x509.HostnameError](err)
	switch {
	case !ok:
		return nil
	case len(wrong.Certificate.DNSNames) == 0:
		return fmt.Errorf("its certificate is not for %s: connect by the name that it is for", wrong.Host)
	default:
		return fmt.Errorf("its certificate is not for %s: connect to %s instead", wrong.Host,
			wrong.Certificate.DNSNames[0])
	}
}

// refuseOpenKey has connections over TLS fail whose key others can read. As in libpq, those without TLS do not.
func (c conninfo) refuseOpenKey(config *pgx.ConnConfig) {
	refused := keyRefused(cmp.Or(c.value("sslkey"), userFile(".postgresql/postgresql.key", "postgresql.key")))
	all := []*tls.Config{config.TLSConfig}
	for _, f := range config.Fallbacks {
		all = append(all, f.TLSConfig)
	}
	for _, t := range all {
		if refused != nil && t != nil && len(t.Certificates) > 0 {
			t.Certificates = nil
			t.VerifyConnection = func(tls.ConnectionState) error { return refused }
		}
	}
}

// keyRefused says in libpq's words why a key is not used. Root's may be readable for a group.
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
