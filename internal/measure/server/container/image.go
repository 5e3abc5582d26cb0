package container

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/authconfig"
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
