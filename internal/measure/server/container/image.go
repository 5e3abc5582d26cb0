package container

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/authconfig"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// image holds an image's properties that we need to run it.
type image struct {
	name          string
	entrypoint    []string
	dataDirectory string // of the image's server
}

// usualDirectory is the official image's data directory in versions that do not declare one.
const usualDirectory = "/var/lib/postgresql/data"

// imageFor uses the local image, or else pulls it.
func (e *engine) imageFor(ctx context.Context, o Options) (image, error) {
	found, err := e.ImageInspect(ctx, o.image())
	if errdefs.IsNotFound(err) {
		o.notify("pulling " + o.image())
		if err := e.pull(ctx, o.image()); err != nil {
			return image{}, err
		}
		found, err = e.ImageInspect(ctx, o.image())
	}
	if err != nil {
		return image{}, fmt.Errorf("inspect image %s: %w", o.image(), err)
	}
	if found.Config == nil || len(found.Config.Entrypoint) == 0 {
		return image{}, fmt.Errorf("image %s has no entrypoint; is it a PostgreSQL image?", o.image())
	}
	return image{
		name: o.image(), entrypoint: found.Config.Entrypoint,
		dataDirectory: cmp.Or(value(found.Config.Env, "PGDATA"), usualDirectory),
	}, nil
}

// pull replaces the library's, which would retry for a quarter of an hour and miss failures in the middle.
func (e *engine) pull(ctx context.Context, name string) error {
	var options client.ImagePullOptions
	if _, auth, err := testcontainers.DockerImageAuth(ctx, name); err == nil {
		options.RegistryAuth, _ = authconfig.Encode(auth) // without it the registry says what is wrong
	}
	progress, err := e.ImagePull(ctx, name, options)
	if err == nil {
		err = progress.Wait(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("pull %s: %w", name, context.Cause(ctx))
	case err != nil:
		return fmt.Errorf("image %s is not on this machine and cannot be pulled: %w", name, err)
	}
	return nil
}

func value(environment []string, name string) string {
	for _, entry := range environment {
		if v, found := strings.CutPrefix(entry, name+"="); found {
			return v
		}
	}
	return ""
}

// durable holds the settings of every server here. A crashed server must stay down, so that the cause is reported:
// after a restart its counters would be zero.
var durable = []string{
	"fsync=on", "full_page_writes=on", "synchronous_commit=on", "max_connections=200", "restart_after_crash=off",
}

var settingForm = regexp.MustCompile(`^\s*[A-Za-z_][A-Za-z0-9_$.]*\s*=[^\n\r\x00]*$`)

// command returns the server's command with its settings. The later of two settings wins.
func (o Options) command() ([]string, error) {
	command := []string{"postgres"}
	for _, setting := range durable {
		command = append(command, "-c", setting)
	}
	for _, setting := range o.Settings {
		if !settingForm.MatchString(setting) {
			return nil, fmt.Errorf("setting %q: want name=value", setting)
		}
		name, value, _ := strings.Cut(setting, "=")
		command = append(command, "-c", strings.TrimSpace(name)+"="+strings.TrimSpace(value))
	}
	return command, nil
}

var serverPort = network.MustParsePort("5432/tcp")

// sharedMemory is the limit for /dev/shm. A parallel index build may need more than the engine's 64 MiB.
const sharedMemory = 1 << 30

// arrange gives the container its volume and its port. The volume has no name, so that it goes with the container. It
// is mounted on the data directory itself, which keeps the image's contents and ownership.
func (s *Server) arrange(image image) func(*container.HostConfig) {
	return func(h *container.HostConfig) {
		h.AutoRemove = !s.keep
		h.ShmSize = sharedMemory
		h.Mounts = append(h.Mounts, mount.Mount{
			Type: mount.TypeVolume, Target: image.dataDirectory,
			VolumeOptions: &mount.VolumeOptions{Labels: map[string]string{label: s.name}},
		})
		if s.engine.onLoopback() {
			h.PortBindings = network.PortMap{serverPort: {{HostIP: loopback}}}
		}
	}
}

func newName() string { return "realiops-" + strings.ToLower(rand.Text()[:8]) }
