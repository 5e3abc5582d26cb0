// Package awssdk holds what account asks of AWS against what the SDK's own client of RDS asks.
//
// It is a module of its own, so that this client, which takes long to compile, is no dependency of the program.
package awssdk
