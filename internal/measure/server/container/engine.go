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

// engine is the container engine that people have, wherever it listens.
type engine struct {
	client.APIClient

	host  string // where published ports are reached
	local bool   // it listens on a socket of this machine
}

// reach finds the engine by the rules of testcontainers: its own properties file, DOCKER_HOST, the usual sockets.
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
		return nil, fmt.Errorf("the container engine is of a kind that is not known here: %T", generic)
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

// publishesAt returns the host on which published ports are reached. If this machine looks like a container, the
// library assumes that the engine is outside and infers a gateway, which is wrong if the engine's own bridge is one
// of our interfaces.
func (e *engine) publishesAt(ctx context.Context, provider *testcontainers.DockerProvider) (string, error) {
	_, told := os.LookupEnv("TESTCONTAINERS_HOST_OVERRIDE")
	if e.local && !told && e.bridgeIsOurs(ctx) {
		return loopback.String(), nil
	}
	host, err := provider.DaemonHost(ctx)
	if err != nil {
		return "", fmt.Errorf("find out where the container engine publishes ports: %w", err)
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

// onLoopback reports whether ports need not be published to any other machine.
func (e *engine) onLoopback() bool { return e.local && e.host == loopback.String() }

// kind of provider is always Docker's, which knows the engine's first network by the name that Podman gives it too. By
// another name the library would not find it, make a network of its own, and leave that behind.
const kind = testcontainers.ProviderDocker

func silence() log.Logger { return log.NewNoopLogger() }

// settle brings the library to a state in which it prints nothing and needs no image of its own. It has only switches
// for the whole process for that, and reads them once.
func settle() error {
	log.SetDefault(silence())
	if err := os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true"); err != nil {
		return err
	}
	return checkProperties()
}

// checkProperties refuses a properties file that the library would complain about on standard output, where results
// go. Where there is no home or no file that can be read, the library goes without, and so does this.
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

// checkNamed makes sure of the engine that DOCKER_HOST names, where the library would quietly go on to another one.
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

// unreachable returns a remedy instead of the library's list of all the places it looked at.
func unreachable(ctx context.Context, err error) error {
	switch host := os.Getenv("DOCKER_HOST"); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case strings.Contains(err.Error(), "permission denied"): // which the client has made text of
		return errors.New("this user may not use the container engine: join the group of its socket, often docker, " +
			"or run a rootless engine")
	case host != "":
		return fmt.Errorf("no container engine answers at %s, which DOCKER_HOST names", host)
	default:
		return errors.New("no container engine answers: start Docker or Podman, or name its socket in DOCKER_HOST")
	}
}

// isGone reports whether a container is removed or being removed.
func isGone(err error) bool { return errdefs.IsNotFound(err) || errdefs.IsConflict(err) }

// label marks our containers for people (docker ps --filter label=realiops) and for sweep.
const label = "realiops"

// The values of the label.
const (
	passing = "server" // removed at the end
	kept    = "kept"   // asked for with Options.Keep
)

// idle is the time without a process after which sweep considers one of our containers abandoned. Between making a
// container and starting it lies a small fraction of that.
const idle = 10 * time.Minute

// sweep removes what ends with no attachment: containers whose maker was killed after they were made and before they
// ran. What does not work is left to the next time.
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
