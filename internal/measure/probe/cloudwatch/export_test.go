package cloudwatch

import (
	"slices"

	"github.com/realiops/realiops/internal/runfile"
)

// Names lists what can be asked for of a server, as CloudWatch writes it.
func Names(cloud runfile.Cloud) []string {
	var names []string
	for _, s := range of(cloud) {
		if !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}
