// Package worlds makes runs whose truth is known, to judge methods that read run files.
//
// A [World] is one run of a plan on an imaginary machine. Its loads do work at ratios measured on a real one, shifted
// from world to world and from repetition to repetition, with a device, a WAL and a background. Each world has many
// meters, each of which counts by a hidden [Rule]: one quantity by some factor, a sum of two, nothing, or something
// unrelated. A meter has noise, a background, missing readings, and now and then a disturbance in one load.
//
// [NewWild] draws a world with its own physics. The server's costs, records, group commit, page images, merging and
// journal are drawn from wide ranges. Loads have the plan's or other parameters, under any name. Meters lag, step,
// restart, wrap, bend, have periods, or have correlated or heavy-tailed noise. Its run is read by the second.
//
// [NewReading] draws such a world whose loads also read, update and delete: shared buffers, a page cache that answers
// all, some or, as on Aurora, no reads, calls of several pages, read-ahead, billed reads, HOT updates, page images,
// temporary files.
//
// [NewStorage] draws such a world whose storage is no plain disk: stripes, encryption, copy-on-write, units of a
// provider, replication, compression, backups. Its meters count the work of the disks beneath, some of them by samples,
// in large units, or one thing after the other.
//
// [New] draws a world from a seed; [World.Records] is its run file like any other, in which nothing shows the rules.
// [World.Alike] says which quantities no method could separate for a meter, because the world itself keeps them
// together.
//
// The package knows nothing of the method that is judged, and must not: see internal/architecture.
package worlds
