package cloudwatch

import (
	"slices"

	"github.com/realiops/realiops/internal/runfile"
)

// Names lists a server's metrics in CloudWatch's spelling.
func Names(cloud runfile.Cloud) []string {
	var names []string
	for _, s := range of(cloud) {
		if !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}
