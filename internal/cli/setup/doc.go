// Package setup has the commands for use before and beside a run: doctor, prices and server, and
// those that ask an AWS account.
package setup
