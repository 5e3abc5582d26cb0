package account

import (
	"context"
	"fmt"
	"io"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// plainBody hides a body's WriteTo. The SDK closes a request's body as soon as its answer begins, maybe before the
// transport has reached its end. WriteTo of a closed body then fails, and the transport closes the connection
// during the answer; Read just ends.
type plainBody struct{ io.ReadSeeker }

// PlainBodies makes all bodies plain, also for clients without an [Account].
func PlainBodies(stack *middleware.Stack) error {
	return stack.Serialize.Add(middleware.SerializeMiddlewareFunc("realiops/body",
		func(ctx context.Context, in middleware.SerializeInput,
			next middleware.SerializeHandler) (middleware.SerializeOutput, middleware.Metadata, error) {
			request, ok := in.Request.(*smithyhttp.Request)
			if !ok {
				return next.HandleSerialize(ctx, in)
			}
			if body, ok := request.GetStream().(io.ReadSeeker); ok {
				plain, err := request.SetStream(plainBody{body})
				if err != nil {
					return middleware.SerializeOutput{}, middleware.Metadata{}, fmt.Errorf("write the request: %w", err)
				}
				in.Request = plain
			}
			return next.HandleSerialize(ctx, in)
		}), middleware.After)
}
