package account

import (
	"context"
	"fmt"
	"io"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// plainBody is a body that can only be read. The SDK closes a request's body as soon as its answer begins, which may be
// before the transport has found its end; a closed body whose way of writing itself is used then gives an error, upon
// which the transport closes the connection in the middle of the answer. Of one that is read it is simply the end.
type plainBody struct{ io.ReadSeeker }

// PlainBodies sees to it that all bodies are. It is for clients that are not made of an [Account], too.
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
