package limits

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// operation is the only call of EC2 made here. The SDK's client of EC2 has 700 of them and takes longer to compile
// than the rest of the program together, so this one is written out, on the SDK's own stack: that signs it, repeats
// it and counts it as any other.
const operation = "DescribeInstanceTypes"

type caller struct {
	config  aws.Config
	address string
}

type page struct {
	Types []instanceType `xml:"instanceTypeSet>item"`
	Next  string         `xml:"nextToken"`
}

// typesOf returns all classes of machine of a region.
func typesOf(ctx context.Context, config aws.Config) (all []instanceType, err error) {
	c := caller{config: config}
	if c.address, err = addressOf(ctx, config); err != nil {
		return nil, err
	}
	for token, n := "", 0; ; n++ {
		p, err := c.ask(ctx, token)
		if n == mostPages {
			err = errTooManyPages
		}
		if err != nil {
			return nil, &smithy.OperationError{ServiceID: "EC2", OperationName: operation, Err: err}
		}
		all = append(all, p.Types...)
		if p.Next == "" {
			return all, nil
		}
		if p.Next == token {
			return nil, fmt.Errorf("EC2 gives the same page of %s again and again", operation)
		}
		token = p.Next
	}
}

// addressOf returns EC2's address: the environment's if it sets one, otherwise RDS's with its first word replaced.
func addressOf(ctx context.Context, config aws.Config) (string, error) {
	if moved := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_EC2"), aws.ToString(config.BaseEndpoint)); moved != "" {
		return moved, nil
	}
	beside, err := rds.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx, rds.EndpointParameters{
		Region: &config.Region})
	return strings.Replace(beside.URI.String(), "//rds.", "//ec2.", 1), err
}

func (c caller) ask(ctx context.Context, token string) (*page, error) {
	stack := middleware.NewStack(operation, smithyhttp.NewStackRequest)
	err := errors.Join(
		stack.Serialize.Add(middleware.SerializeMiddlewareFunc("form", c.write), middleware.After),
		// the name that a retry looks for
		stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("Signing", c.sign), middleware.After),
		retry.AddRetryMiddlewares(stack, retry.AddRetryMiddlewaresOptions{Retryer: c.config.Retryer()}),
		stack.Deserialize.Add(&awshttp.ResponseErrorWrapper{}, middleware.After),
		stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("answer", read), middleware.After),
		stack.Deserialize.Add(&awsmiddleware.RecordResponseTiming{}, middleware.After),
	)
	for _, option := range c.config.APIOptions {
		err = errors.Join(err, option(stack))
	}
	if err != nil {
		return nil, err
	}
	// by this and the operation's name the stack counts
	ctx = awsmiddleware.SetServiceID(middleware.ClearStackValues(ctx), "EC2")
	ctx = awsmiddleware.SetOperationName(ctx, operation)
	handler := middleware.DecorateHandler(smithyhttp.NewClientHandlerWithOptions(c.config.HTTPClient), stack)
	answer, _, err := handler.Handle(ctx, token)
	if err != nil {
		return nil, err
	}
	return answer.(*page), nil
}

// write makes the form that asks for what comes behind a token.
func (c caller) write(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (
	out middleware.SerializeOutput, _ middleware.Metadata, err error) {
	form := url.Values{"Action": {operation}, "Version": {"2016-11-15"}, "MaxResults": {"100"}}
	if token := in.Parameters.(string); token != "" {
		form.Set("NextToken", token)
	}
	request := in.Request.(*smithyhttp.Request)
	if request.URL, err = url.Parse(c.address); err != nil {
		return out, middleware.Metadata{}, err
	}
	request.URL.Path = cmp.Or(request.URL.Path, "/")
	request.Method = http.MethodPost
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if in.Request, err = request.SetStream(strings.NewReader(form.Encode())); err != nil {
		return out, middleware.Metadata{}, err
	}
	return next.HandleSerialize(ctx, in)
}

func (c caller) sign(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	out middleware.FinalizeOutput, _ middleware.Metadata, err error) {
	request := in.Request.(*smithyhttp.Request)
	form := sha256.New()
	if _, err := io.Copy(form, request.GetStream()); err != nil {
		return out, middleware.Metadata{}, err
	}
	credentials, err := c.config.Credentials.Retrieve(ctx)
	if err = errors.Join(err, request.RewindStream()); err != nil {
		return out, middleware.Metadata{}, err
	}
	if err := v4.NewSigner().SignHTTP(ctx, credentials, request.Request, hex.EncodeToString(form.Sum(nil)), "ec2",
		c.config.Region, time.Now()); err != nil {
		return out, middleware.Metadata{}, err
	}
	return next.HandleFinalize(ctx, in)
}

type refusal struct {
	Code    string `xml:"Errors>Error>Code"`
	Message string `xml:"Errors>Error>Message"`
}

func read(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
	out middleware.DeserializeOutput, metadata middleware.Metadata, err error) {
	if out, metadata, err = next.HandleDeserialize(ctx, in); err != nil {
		return out, metadata, err
	}
	response := out.RawResponse.(*smithyhttp.Response)
	defer response.Body.Close()
	p, err := pageOf(response.StatusCode, response.Body)
	if err != nil {
		return out, metadata, err
	}
	out.Result = p
	return out, metadata, nil
}

// pageOf returns a page, or what EC2 says no with. Where the answer itself cannot be had, that is the reason.
func pageOf(status int, body io.Reader) (*page, error) {
	var p page
	var said refusal
	answer := any(&p)
	if status != http.StatusOK {
		answer = &said
	}
	err := xml.NewDecoder(body).Decode(answer)
	_, isNone := errors.AsType[*xml.SyntaxError](err)
	switch {
	case err != nil && !isNone && !errors.Is(err, io.EOF):
		return nil, err
	case status != http.StatusOK: // an answer that is not EC2's has no code, only its status
		return nil, &smithy.GenericAPIError{Code: cmp.Or(said.Code, "UnknownError"), Message: said.Message}
	case err != nil:
		return nil, &smithy.DeserializationError{Err: err}
	case slices.ContainsFunc(p.Types, func(t instanceType) bool { return t.Name == "" }):
		return nil, &smithy.DeserializationError{Err: errors.New("a class of machine without a name")}
	}
	return &p, nil
}
