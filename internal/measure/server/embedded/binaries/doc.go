// Package binaries finds a PostgreSQL to run: one fetched once and kept in the user's cache, or one that is installed.
//
//   - [Find] knows which versions there are for this machine; pins.go holds them with their sums.
//   - [Store] keeps unpacked trees, and makes the one that is missing: download, check, unpack, rename.
//   - [Installed] looks where packages put a server.
//
// Nothing is unpacked, let alone run, before its sum is the one in pins.go. It starts no server.
package binaries
