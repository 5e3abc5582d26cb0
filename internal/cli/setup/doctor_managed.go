package setup

import (
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
)

// host is who runs a server, and what takes the place of a superuser and of the machine there.
type host struct {
	administrator string
	user          string // of our connection
	settings      string // where they are changed; empty: the user runs the server
	on            string // as a setting's value
	preload       string // before a library can be used
	wal           string // about WAL that cannot be read
	machine       string
}

func hostOf(f postgres.Facts) host {
	const group = "'s parameter group (default groups are read-only: create your own and attach it)"
	switch {
	case f.Service != "":
		h := host{"the database's administrator", f.User, "the database flags of " + f.Service, "on", " and restart",
			f.Service + " does not let users read the WAL; realiops estimates WAL records from what its clients did",
			f.Service + " gives no access to the machine; its console shows the disk's own metrics, and realiops explain " +
				"says what each of them counts"}
		if f.Service == "Azure" {
			h.settings, h.preload = "the server parameters of Azure", ", allow it in azure.extensions, and restart"
		}
		return h
	case f.Flavor == postgres.FlavorAurora:
		return host{"the master user", f.User, "the cluster" + group, "1", ", and reboot",
			"Aurora has no pg_walinspect; realiops estimates WAL records from what its clients did",
			"an Aurora instance cannot see its storage; --aws reads VolumeReadIOPs and VolumeWriteIOPs from CloudWatch, and " +
				"aurora_stat_database() counts storage_blks_read"}
	case f.Flavor == postgres.FlavorRDS:
		return host{"the master user", f.User, "the instance" + group, "1", ", and reboot",
			"as the master user, run in the measured database: create extension pg_walinspect; then measure as that user",
			"AWS gives no access to the machine; --aws reads its disk requests from CloudWatch and Performance Insights " +
				"(os.diskIO.rdsdev)"}
	default:
		return host{administrator: "a superuser", user: f.User}
	}
}

// advise returns a remedy as it is done on this host.
func (h host) advise(r probe.Remedy) string {
	switch {
	case h.settings == "":
		return r.Text
	case r.Setting != "":
		return "set " + r.Setting + " = " + h.on + " in " + h.settings
	case r.Library != "":
		return "unless it is there, add " + r.Library + " to shared_preload_libraries in " + h.settings + h.preload +
			"; then run in the measured database: create extension if not exists " + r.Library + ";"
	case r.Role != "":
		return postgres.Grant(r.Role, h.user) + ", as " + h.administrator
	case r.Grant:
		return r.Text + ", as " + h.administrator
	case r.Machine:
		return h.machine
	default:
		return r.Text
	}
}
