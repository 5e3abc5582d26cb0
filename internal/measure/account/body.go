package account

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/realiops/realiops/internal/input"
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

// mostBytes bounds one answer. AWS's longest, a hundred thousand values of CloudWatch, have 2 MB.
const mostBytes = 16 << 20

// tooLong reports an answer beyond that.
type tooLong struct{}

func (tooLong) Error() string { return fmt.Sprintf("the answer is longer than %d MiB", mostBytes>>20) }

// empty reports an empty answer. The SDK would take it for an empty list, but none of these calls has such an answer.
type empty struct{}

func (empty) Error() string { return "the answer is empty" }

// boundAnswers rejects answers that are too long or empty.
func boundAnswers(stack *middleware.Stack) error {
	return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("realiops/bound",
		func(ctx context.Context, in middleware.DeserializeInput,
			next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
			out, metadata, err := next.HandleDeserialize(ctx, in)
			if response, is := out.RawResponse.(*smithyhttp.Response); is && response.Body != nil {
				whole := response.Body
				begun := bufio.NewReader(whole)
				_, nothing := begun.Peek(1)
				response.Body = input.Answer(readCloser{begun, whole}, mostBytes, tooLong{})
				if err == nil && errors.Is(nothing, io.EOF) && response.StatusCode/100 == 2 {
					return out, metadata, errors.Join(empty{}, whole.Close())
				}
			}
			return out, metadata, err
		}), middleware.After)
}

type readCloser struct {
	io.Reader
	io.Closer
}
