package command

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// The environment can name a server with libpq's variables, or with DATABASE_URL, as web frameworks do. Other PG*
// variables describe a connection, but name no server.

// named returns the variable that names a server, and its connection string; an empty variable: none does.
func named(env Env) (variable, dsn string, err error) {
	address := env.Getenv("DATABASE_URL")
	if !strings.HasPrefix(address, "postgres") {
		address = "" // another kind of database
	} else {
		variable, dsn = "DATABASE_URL", address
	}
	for _, v := range []string{"PGSERVICE", "PGHOST", "PGHOSTADDR"} { // libpq's
		switch {
		case env.Getenv(v) == "":
		case address != "":
			return "", "", fmt.Errorf(`%s and DATABASE_URL both name a server; choose with --dsn '' or --dsn "$DATABASE_URL"`, v)
		default:
			return v, "", nil
		}
	}
	return variable, dsn, nil
}

// meant returns the server that the environment names if the flags choose none; an empty variable: there is none.
func (o *TargetOptions) meant(env Env) (variable, dsn string, endpoint *postgres.Endpoint, err error) {
	if o.DSN.Given || o.Container.Given || o.Own || o.embedded.givenFlag() != "" {
		return "", "", nil, nil
	}
	if variable, dsn, err = named(env); err != nil || variable == "" {
		return "", "", nil, err
	}
	endpoint, err = postgres.Parse(dsn)
	return variable, dsn, endpoint, err
}

// UseNamed uses the server that the environment names if the flags choose none, and says so.
func (o *TargetOptions) UseNamed(env Env) error {
	variable, dsn, endpoint, err := o.meant(env)
	if err != nil || variable == "" {
		return err
	}
	env.Tell("%s names the server: %s", variable, endpoint)
	return o.DSN.Set(dsn)
}

// UseNamedFor is UseNamed for work that is done that many times. If the server is on another machine, the user must
// agree, since they did not type its name.
func (o *TargetOptions) UseNamedFor(env Env, times int) error {
	variable, _, endpoint, err := o.meant(env)
	if err != nil || variable == "" {
		return err
	}
	if err := o.UseNamed(env); err != nil || endpoint.Local() {
		return err
	}
	return Agree(env, o.Yes, fmt.Sprintf("%s is on another machine, and only %s names it. The operation will run there "+
		"%d times.", endpoint, variable, times))
}

// AskAboutNamed asks which server to load if the environment names one and the flags choose none: the user may
// have forgotten it, or expect it.
func (o *TargetOptions) AskAboutNamed(env Env) error {
	variable, dsn, endpoint, err := o.meant(env)
	if err != nil || variable == "" {
		return err
	}
	flag := "--dsn ''"
	if dsn != "" {
		flag = `--dsn "$DATABASE_URL"`
	}
	which := fmt.Sprintf("%s names a server, %s. %s puts the load on it, --embedded on a PostgreSQL that realiops "+
		"starts", variable, endpoint, flag)
	if !env.InTerminal {
		return errors.New(which + "; choose one")
	}
	env.Tell("%s.", which)
	fmt.Fprint(env.Err, "Which? Type dsn or embedded: ")
	answer, err := bufio.NewReader(env.In).ReadString('\n')
	switch strings.TrimSpace(answer) {
	case "dsn":
		return o.DSN.Set(dsn)
	case "embedded":
		o.Own = true
		return nil
	default:
		return errors.Join(errors.New("neither was chosen; nothing was measured"), err)
	}
}
