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

// durable are the settings that every server here is started with. A server that crashed would come back with its
// counters at zero; it is to stay down, so that the cause is told.
var durable = []string{
	"fsync=on", "full_page_writes=on", "synchronous_commit=on", "max_connections=200", "restart_after_crash=off",
}

var settingForm = regexp.MustCompile(`^\s*[A-Za-z_][A-Za-z0-9_$.]*\s*=[^\n\r\x00]*$`)

// command returns the server's, with the settings; of two of one name the later counts.
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

// sharedMemory is the limit for /dev/shm. The engine's own, 64 MiB, is less than a parallel index build may ask for.
const sharedMemory = 1 << 30

// arrange gives the container its volume and its port. The volume has no name, so that it goes with the container; it
// is mounted on the very data directory, so that the image's own contents and ownership of it are kept.
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

// newName is for people who look at their containers.
func newName() string { return "realiops-" + strings.ToLower(rand.Text()[:8]) }
