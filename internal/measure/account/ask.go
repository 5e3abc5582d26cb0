package account

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Service is a service with form requests and XML answers. The SDK's clients of these have hundreds of calls:
// EC2's takes longer to compile than the rest of the program, RDS's a tenth of it. So the few calls used here
// are written out, on the SDK's own stack, which signs, retries and counts them. They take their
// configuration as the client of STS does.
type Service struct {
	ID      string // the SDK's name: RDS
	Version string // of its interface
	Within  string // suffix of the operation's name in the element that holds the answer
	Token   string // the field that requests the next page
}

// Pages makes a call for each page of an answer. form holds the request without the operation; the function returns
// the token of the next page, or "" after the last.
func Pages[T any](ctx context.Context, config aws.Config, s Service, operation string, form url.Values,
	next func(*T) string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		asked := url.Values{}
		maps.Copy(asked, form)
		for n := 1; ; n++ {
			page, err := Ask[T](ctx, config, s, operation, asked)
			var token string
			if err == nil {
				token = next(page)
			}
			switch {
			case token != "" && token == asked.Get(s.Token):
				err = fmt.Errorf("%s returned the same page of %s again", s.ID, operation)
			case n > mostPages:
				err = s.failed(operation, fmt.Errorf("more than %d pages; is a proxy answering instead of AWS?", mostPages))
			}
			if !yield(page, err) || err != nil || token == "" {
				return
			}
			asked.Set(s.Token, token)
		}
	}
}

// mostPages bounds an answer. The longest have some hundred.
const mostPages = 2000

// Ask makes one call, and reads what the service answers.
func Ask[T any](ctx context.Context, config aws.Config, s Service, operation string, form url.Values) (*T, error) {
	answer := new(T)
	if err := s.ask(ctx, config, operation, form, answer); err != nil {
		return nil, s.failed(operation, err)
	}
	return answer, nil
}

func (s Service) failed(operation string, err error) error {
	return &smithy.OperationError{ServiceID: s.ID, OperationName: operation, Err: err}
}

func (s Service) ask(ctx context.Context, config aws.Config, operation string, form url.Values, answer any) error {
	c := call{service: s, config: config, options: sts.NewFromConfig(config).Options(), answer: answer,
		within: operation + s.Within, form: url.Values{"Action": {operation}, "Version": {s.Version}}}
	maps.Copy(c.form, form)
	stack := middleware.NewStack(operation, smithyhttp.NewStackRequest)
	attempt := retry.NewAttemptMiddleware(c.options.Retryer, smithyhttp.RequestCloner)
	err := errors.Join(
		stack.Serialize.Add(middleware.SerializeMiddlewareFunc("form", c.write), middleware.After),
		stack.Finalize.Add(attempt, middleware.After),
		stack.Finalize.Add(&v4.ComputePayloadSHA256{}, middleware.After),
		stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("Signing", c.send), middleware.After),
		stack.Deserialize.Add(&awshttp.ResponseErrorWrapper{}, middleware.After),
		stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("answer", c.read), middleware.After),
		stack.Deserialize.Add(&awsmiddleware.RecordResponseTiming{}, middleware.After),
		awsmiddleware.AddSDKAgentKey(awsmiddleware.APIMetadata, strings.ToLower(s.ID))(stack),
	)
	for _, option := range c.options.APIOptions {
		err = errors.Join(err, option(stack))
	}
	if err != nil {
		return err
	}
	// the stack counts calls by this and the operation's name
	ctx = awsmiddleware.SetServiceID(middleware.ClearStackValues(ctx), s.ID)
	ctx = awsmiddleware.SetOperationName(ctx, operation)
	handler := middleware.DecorateHandler(smithyhttp.NewClientHandlerWithOptions(c.options.HTTPClient), stack)
	_, _, err = handler.Handle(ctx, form)
	return err
}

type call struct {
	service Service
	config  aws.Config
	options sts.Options // the resolved configuration
	form    url.Values
	within  string
	answer  any
}

func (c call) write(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (
	out middleware.SerializeOutput, metadata middleware.Metadata, err error) {
	request := in.Request.(*smithyhttp.Request)
	request.Method = http.MethodPost
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if in.Request, err = request.SetStream(strings.NewReader(c.form.Encode())); err != nil {
		return out, metadata, err
	}
	return next.HandleSerialize(ctx, in)
}

// send addresses and signs a try, by AWS's clock as its last answer showed it.
func (c call) send(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	out middleware.FinalizeOutput, metadata middleware.Metadata, err error) {
	scheme := c.options.AuthSchemes[0] // Signature Version 4, for both services
	identity, err := scheme.IdentityResolver(c.options).GetIdentity(ctx, smithy.Properties{})
	if err != nil {
		return out, metadata, err
	}
	request := in.Request.(*smithyhttp.Request)
	if request.URL, err = c.address(ctx); err != nil {
		return out, metadata, err
	}
	var by smithy.Properties
	smithyhttp.SetSigV4SigningName(&by, strings.ToLower(c.service.ID))
	smithyhttp.SetSigV4SigningRegion(&by, c.config.Region)
	if err := scheme.Signer().SignRequest(ctx, request, identity, by); err != nil {
		return out, metadata, err
	}
	return next.HandleFinalize(ctx, in)
}

// address returns the service's address: as moved by the environment or the profile, or derived from the address of
// STS, since both services follow the same rules.
func (c call) address(ctx context.Context) (*url.URL, error) {
	at := sts.EndpointParameters{Endpoint: c.config.BaseEndpoint,
		UseFIPS:      new(c.options.EndpointOptions.UseFIPSEndpoint == aws.FIPSEndpointStateEnabled),
		UseDualStack: new(c.options.EndpointOptions.UseDualStackEndpoint == aws.DualStackEndpointStateEnabled)}
	if c.config.Region != "" {
		at.Region = &c.config.Region
	}
	if moved := c.moved(ctx); moved != "" {
		at.Endpoint = &moved
	}
	found, err := c.options.EndpointResolverV2.ResolveEndpoint(ctx, at)
	if err == nil && at.Endpoint == nil {
		found.URI.Host = strings.Replace(found.URI.Host, "sts", strings.ToLower(c.service.ID), 1)
	}
	found.URI.Path = cmp.Or(found.URI.Path, "/")
	return &found.URI, err
}

// moved returns where the environment or the profile moves this service alone. The environment's setting for all
// services overrides the profile's for one.
func (c call) moved(ctx context.Context) string {
	const all = "AWS_ENDPOINT_URL"
	_, every := os.LookupEnv(all)
	_, one := os.LookupEnv(all + "_" + c.service.ID)
	ignored, _, _ := config.GetIgnoreConfiguredEndpoints(ctx, c.config.ConfigSources)
	for _, source := range c.config.ConfigSources {
		of, has := source.(interface {
			GetServiceBaseEndpoint(ctx context.Context, id string) (string, bool, error)
		})
		if !has || ignored || every && !one {
			continue
		}
		if moved, found, err := of.GetServiceBaseEndpoint(ctx, c.service.ID); found && err == nil {
			return moved
		}
	}
	return ""
}

func (c call) read(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
	out middleware.DeserializeOutput, metadata middleware.Metadata, err error) {
	if out, metadata, err = next.HandleDeserialize(ctx, in); err != nil {
		return out, metadata, err
	}
	response := out.RawResponse.(*smithyhttp.Response)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body) // completely, so that a broken try leaves nothing behind
	if err == nil {
		err = ReadAnswer(response.StatusCode, text, c.within, c.answer)
	}
	return out, metadata, err
}

// ReadAnswer decodes an answer within an element, or returns the service's error.
func ReadAnswer(status int, text []byte, within string, answer any) error {
	if status/100 != 2 { // an answer from elsewhere has only a status
		var no struct {
			Code       string `xml:"Error>Code"` // RDS's form
			Message    string `xml:"Error>Message"`
			EC2Code    string `xml:"Errors>Error>Code"`
			EC2Message string `xml:"Errors>Error>Message"`
		}
		_ = xml.Unmarshal(text, &no)
		return &smithy.GenericAPIError{Code: cmp.Or(no.Code, no.EC2Code, "UnknownError"),
			Message: cmp.Or(no.Message, no.EC2Message)}
	}
	if err := element(text, within, answer); err != nil {
		return &smithy.DeserializationError{Err: err}
	}
	return nil
}

func element(text []byte, name string, to any) error {
	decoder := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the answer has no %s", name)
		}
		if err != nil {
			return err
		}
		if start, is := token.(xml.StartElement); is && start.Name.Local == name {
			return decoder.DecodeElement(to, &start)
		}
	}
}
