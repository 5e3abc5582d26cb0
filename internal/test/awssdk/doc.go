// Package awssdk compares account's requests to AWS with those of the SDK's own client of RDS.
//
// It is a separate module, so that this client, which takes long to compile, is no dependency of the program.
package awssdk
