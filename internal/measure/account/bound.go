package account

import (
	"context"
	"fmt"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/realiops/realiops/internal/input"
)

// mostBytes bounds one answer. The longest that AWS gives, of a hundred thousand values of CloudWatch, have 2 MB.
const mostBytes = 16 << 20

// tooLong is an answer that goes on beyond that.
type tooLong struct{}

func (tooLong) Error() string {
	return fmt.Sprintf("the answer is longer than %d MiB", mostBytes>>20)
}

// boundAnswers has every answer end there.
func boundAnswers(stack *middleware.Stack) error {
	return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("realiops/bound", func(ctx context.Context, in middleware.DeserializeInput,
		next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
		out, metadata, err := next.HandleDeserialize(ctx, in)
		if response, is := out.RawResponse.(*smithyhttp.Response); is && response.Body != nil {
			response.Body = input.Answer(response.Body, mostBytes, tooLong{})
		}
		return out, metadata, err
	}), middleware.After)
}
