// Package published makes run files of published measurements, from the figures under testdata/runs/sources.
package published
