// Package worlds makes runs whose truth is known: what a method that reads run files is judged by.
//
// A [World] is one run of a plan on a machine that never was. Its loads do work at the ratios that were measured on a
// real one, shifted from world to world and from repetition to repetition; a device, a log and a background of its own
// go with it. In each world stand many meters, each of which counts by a hidden [Rule]: one quantity by some factor, a
// sum of two, nothing, or something that has nothing to do with any. What a meter shows is blurred by noise, sits on a
// background, is missing here and there, and now and then disturbed in one load.
//
// [NewWild] draws a world whose physics are its own: a server whose costs, records, group commit, page images, merging
// and journal are drawn from wide spans, loads with the factors of the plan or with others, by any name, and meters
// that lag, step, restart, wrap, bend, tell of periods or have noise that is correlated or heavy-tailed. Its run is
// read second by second.
//
// [NewReading] draws such a world whose loads read, update and delete as well: shared buffers, a page cache that
// answers all, some or, as on Aurora, nothing, calls of several pages, read-ahead, what is billed of it, updates within
// their page, images of pages, temporary files.
//
// [NewStorage] draws such a world whose storage is no plain disk: stripes, encryption, copy-on-write, units of a
// provider, replication, compression, backups. Its meters count what the disks beneath do, some of them by samples, in
// large units, or one thing after the other.
//
// [New] draws a world from a seed; [World.Records] is its run file like any other, in which nothing tells the rules.
// [World.Alike] says which quantities no method could part for a meter, because the world itself keeps them together.
//
// The package knows nothing of the method that is judged, and must not: see internal/architecture.
package worlds
