// Package account is an AWS account as realiops uses one: it reads, it counts what it asks, and it says in one line why
// it was not answered.
//
// [Open] finds credentials where the AWS programs find them, and gives a configuration for the clients of the services.
// Every call through it is patient with throttling, impatient with an endpoint that is not there, and counted:
// [Account.Calls] tells how often each operation was asked and what that costs by the price list. [Explain] makes one
// line of an error, with what to do about it and without account numbers, resource names or keys.
//
// It knows nothing of databases or metrics, and calls nothing that changes anything.
package account
