package command

import (
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/measure/server/embedded"
)

// EmbeddedOptions are the flags for a PostgreSQL of our own. Its settings and keep apply to a container as well.
type EmbeddedOptions struct{ embedded.Options }

func (o *EmbeddedOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Version, "pg-version", "",
		"the `version` of PostgreSQL to run, 13 to 18, or exactly, such as 17.11 (default 17)")
	f.StringVar(&o.BinDir, "pg-bin", "", "the bin `directory` of an installed PostgreSQL, or \"installed\" to find one")
	f.StringVar(&o.DataDir, "data-dir", "",
		"an empty or new `directory` for its data (default: a temporary one on disk)")
	f.Var((*Size)(&o.OwnDevice), "own-device",
		"put its data on a loop device of this size, such as 4G, that nothing else uses; needs Linux and root")
	f.BoolVar(&o.AllowRAM, "allow-ram", false, "allow a data directory in memory, where nothing reaches a disk")
	f.BoolVar(&o.Keep, "keep", false, "keep the data, and print where it is")
	f.StringArrayVarP(&o.Settings, "set", "c", nil, "a setting of the server: `name=value` (repeatable)")
}

// givenFlag returns one of these flags that the user gave, or "".
func (o *EmbeddedOptions) givenFlag() string {
	switch {
	case len(o.Settings) > 0:
		return "--set"
	case o.Keep:
		return "--keep"
	default:
		return o.notInContainer()
	}
}

func (o *EmbeddedOptions) notInContainer() string {
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--pg-version", o.Version != ""}, {"--pg-bin", o.BinDir != ""}, {"--data-dir", o.DataDir != ""},
		{"--own-device", o.OwnDevice != 0}, {"--allow-ram", o.AllowRAM},
	} {
		if flag.given {
			return flag.name
		}
	}
	return ""
}

// From returns the options, with the repository of programs from the environment.
func (o *EmbeddedOptions) From(env Env) embedded.Options {
	o.Repository = env.Getenv("REALIOPS_PG_REPOSITORY")
	return o.Options
}
