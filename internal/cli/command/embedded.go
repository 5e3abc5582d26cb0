package command

import (
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/measure/server/embedded"
)

// EmbeddedOptions are the flags for a PostgreSQL of our own; its settings and keep serve a container as well.
type EmbeddedOptions struct {
	version  string
	bin      string
	dataDir  string
	device   Size
	allowRAM bool
	keep     bool
	settings []string
}

func (o *EmbeddedOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.version, "pg-version", "",
		"the `version` of PostgreSQL to run, 13 to 18, or exactly, such as 17.11 (default 17)")
	f.StringVar(&o.bin, "pg-bin", "", "a `directory` with the programs of an installed PostgreSQL, or: installed")
	f.StringVar(&o.dataDir, "data-dir", "",
		"an empty or new `directory` for its data (default: a temporary one on a disk)")
	f.Var(&o.device, "own-device",
		"put its data on a loop device of this size, such as 4G, to which only the server writes; Linux and root")
	f.BoolVar(&o.allowRAM, "allow-ram", false, "allow a data directory in memory, where nothing reaches a disk")
	f.BoolVar(&o.keep, "keep", false, "keep the data and say where")
	f.StringArrayVarP(&o.settings, "set", "c", nil, "a setting of the server: `name=value` (repeatable)")
}

// givenFlag returns one of its flags that the user gave, or "".
func (o *EmbeddedOptions) givenFlag() string {
	switch {
	case len(o.settings) > 0:
		return "--set"
	case o.keep:
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
		{"--pg-version", o.version != ""}, {"--pg-bin", o.bin != ""}, {"--data-dir", o.dataDir != ""},
		{"--own-device", o.device != 0}, {"--allow-ram", o.allowRAM},
	} {
		if flag.given {
			return flag.name
		}
	}
	return ""
}

func (o *EmbeddedOptions) Options(env Env) embedded.Options {
	return embedded.Options{
		Version: o.version, BinDir: o.bin, DataDir: o.dataDir, Settings: o.settings, AllowRAM: o.allowRAM, Keep: o.keep,
		OwnDevice: int64(o.device), Repository: env.Getenv("REALIOPS_PG_REPOSITORY"),
	}
}
