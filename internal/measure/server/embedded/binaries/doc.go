// Package binaries finds a PostgreSQL to run: one fetched once and kept in the user's cache, or an installed one.
//
//   - [Find] knows the versions for this machine; release.go has them with their checksums.
//   - [Store] keeps unpacked trees and makes a missing one: download, check, unpack, rename.
//   - [Installed] looks where packages put a server.
//
// Nothing is unpacked or run before its checksum matches. The package starts no server.
package binaries
