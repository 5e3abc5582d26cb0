// Package account wraps an AWS account for realiops: calls only read, are counted, and fail with one line of
// explanation.
//
// [Open] finds credentials where the AWS programs find them, and gives a configuration for the clients of the
// services. Every call through it is patient with throttling, impatient with an endpoint that is not there, and
// counted: [Account.Calls] returns the number of calls of each operation and their cost by the price list. [Explain]
// makes one line of an error, with what to do about it and without account numbers, resource names or keys.
//
// It knows nothing of databases or metrics, and calls nothing that changes anything.
package account
