package embedded

import (
	"errors"
	"os/user"
	"strconv"
)

// account is the user that a server runs as. The zero value is the current user.
type account struct {
	name     string
	uid, gid int
}

func (a account) other() bool { return a.name != "" }

// serverAccount returns the current user, or for root, which PostgreSQL refuses, another: the user that called sudo,
// the packages' account for PostgreSQL, or nobody. PostgreSQL needs an account with a name.
func serverAccount(euid int, getenv func(string) string) (account, error) {
	if euid != 0 {
		return account{}, nil
	}
	if caller, err := user.LookupId(getenv("SUDO_UID")); err == nil && caller.Uid != "0" {
		return accountOf(caller)
	}
	for _, name := range []string{"postgres", "_postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return accountOf(u)
		}
	}
	return account{},
		errors.New("PostgreSQL refuses to run as root, and there is no user postgres or nobody to switch to; run " +
			"realiops as an ordinary user")
}

func accountOf(u *user.User) (account, error) {
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return account{}, err
	}
	gid, err := strconv.Atoi(u.Gid)
	return account{u.Username, uid, gid}, err
}
