package postgres

import (
	"os"
	"strings"
)

// IgnoreEnvironment has the sessions of this process, and of those that it starts, go without the PG* variables. They are
// about servers of the user's, and would lead astray those to a server of ours: PGSERVICE and PGTARGETSESSIONATTRS keep
// them from connecting, PGOPTIONS changes what they measure. pgx reads them from the process, so it is the process that
// has to be without.
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
