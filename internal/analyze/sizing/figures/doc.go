// Package figures judges figures that somebody was told: an amount of a metric is translated into what storage had to do
// for it ([Convert]), a row of a console or of a benchmark is held against itself ([Figures.Check]), and waiting times
// get the band of a rule ([Bands.Of]). What to order for them is package sizing's to say.
package figures
