package container

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/magiconair/properties"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
)

// engine is the user's container engine, wherever it listens.
type engine struct {
	client.APIClient

	host  string // where published ports are reached
	local bool   // it listens on a socket of this machine
}

// reach finds the engine as testcontainers does: its own properties file, DOCKER_HOST, the usual sockets.
func reach(ctx context.Context) (*engine, error) {
	if err := settle(); err != nil {
		return nil, err
	}
	if err := checkNamed(ctx); err != nil {
		return nil, unreachable(ctx, err)
	}
	generic, err := kind.GetProvider(testcontainers.WithLogger(silence()))
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	provider, ok := generic.(*testcontainers.DockerProvider)
	if !ok {
		return nil, fmt.Errorf("unsupported container engine: %T", generic)
	}
	e := &engine{APIClient: provider.Client()}
	if _, err := e.Ping(ctx, client.PingOptions{}); err != nil {
		return nil, unreachable(ctx, err)
	}
	e.local = strings.HasPrefix(e.DaemonHost(), "unix:")
	e.host, err = e.publishesAt(ctx, provider)
	return e, err
}

var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// publishesAt returns the host on which published ports are reached. If this machine looks like a
// container, the library assumes that the engine is outside and infers a gateway. That is wrong if the
// engine's bridge is one of our interfaces.
func (e *engine) publishesAt(ctx context.Context, provider *testcontainers.DockerProvider) (string, error) {
	_, told := os.LookupEnv("TESTCONTAINERS_HOST_OVERRIDE")
	if e.local && !told && e.bridgeIsOurs(ctx) {
		return loopback.String(), nil
	}
	host, err := provider.DaemonHost(ctx)
	if err != nil {
		return "", fmt.Errorf("find the host of published container ports: %w", err)
	}
	if e.local && host == "localhost" {
		host = loopback.String()
	}
	return host, nil
}

func (e *engine) bridgeIsOurs(ctx context.Context) bool {
	bridge, err := e.NetworkInspect(ctx, testcontainers.Bridge, client.NetworkInspectOptions{})
	if err != nil {
		return false
	}
	_, err = net.InterfaceByName(bridge.Network.Options["com.docker.network.bridge.name"])
	return err == nil
}

// onLoopback reports whether to publish ports on the loopback address alone.
func (e *engine) onLoopback() bool { return e.local && e.host == loopback.String() }

// kind is always Docker: the library then looks for the engine's first network under a name that Podman uses too.
// Under another name it would create a network and leave it behind.
const kind = testcontainers.ProviderDocker

func silence() log.Logger { return log.NewNoopLogger() }

// settle makes the library print nothing and use no image of its own. Its switches are global and read only once.
func settle() error {
	log.SetDefault(silence())
	if err := os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true"); err != nil {
		return err
	}
	return checkProperties()
}

// checkProperties refuses a properties file that the library would complain about on standard output. Like the
// library, it accepts a missing home directory or an unreadable file.
func checkProperties() error {
	home, _ := os.UserHomeDir()
	file := filepath.Join(home, ".testcontainers.properties")
	read, _ := properties.LoadFile(file, properties.UTF8)
	if home == "" || read == nil {
		return nil
	}
	var config testcontainers.TestcontainersConfig
	if err := read.Decode(&config.Config); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return nil
}

// checkNamed checks the engine that DOCKER_HOST names. The library would silently use another one.
func checkNamed(ctx context.Context) error {
	if os.Getenv("DOCKER_HOST") == "" {
		return nil
	}
	named, err := client.New(client.FromEnv)
	if err != nil {
		return err
	}
	defer named.Close()
	_, err = named.Ping(ctx, client.PingOptions{})
	return err
}

// unreachable returns a remedy instead of the library's list of places.
func unreachable(ctx context.Context, err error) error {
	switch host := os.Getenv("DOCKER_HOST"); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case strings.Contains(err.Error(), "permission denied"): // the client reduces it to text
		return errors.New("this user may not use the container engine; join the group of its socket, often docker, " +
			"or run a rootless engine")
	case strings.HasPrefix(host, "ssh:"):
		return fmt.Errorf("DOCKER_HOST=%s: realiops reaches no container engine through SSH; run realiops on that machine",
			host)
	case host != "":
		return fmt.Errorf("no container engine answers at DOCKER_HOST=%s", host)
	default:
		return errors.New("no container engine answers; start Docker or Podman, or set DOCKER_HOST to its socket")
	}
}

// isGone reports whether a container is removed or being removed.
func isGone(err error) bool { return errdefs.IsNotFound(err) || errdefs.IsConflict(err) }

// label marks our containers for users (docker ps --filter label=realiops) and for sweep.
const label = "realiops"

// The values of the label.
const (
	passing = "server" // removed at the end
	kept    = "kept"   // Options.Keep was set
)

// idle is how long one of our containers may be without a process before sweep removes it.
// Starting follows creation much faster.
const idle = 10 * time.Minute

// sweep removes containers that never ran, because their maker was killed between creating and starting them.
// Failures are left to the next time.
func (e *engine) sweep(ctx context.Context, owner string, before time.Time) {
	filters := make(client.Filters).Add("label", label+"="+owner).
		Add("status", string(container.StateCreated), string(container.StateExited), string(container.StateDead))
	found, err := e.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filters})
	if err != nil {
		return
	}
	for _, c := range found.Items {
		if time.Unix(c.Created, 0).Before(before) {
			_, _ = e.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		}
	}
}
