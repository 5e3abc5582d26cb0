package container

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
)

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

// newName returns a name that users recognize.
func newName() string { return "realiops-" + strings.ToLower(rand.Text()[:8]) }
