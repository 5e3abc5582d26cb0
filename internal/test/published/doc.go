// Package published makes run files of measurements that others have published, from the figures under
// testdata/runs/sources.
package published
