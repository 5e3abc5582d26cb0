package account

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Sign adds Signature Version 4 to a request to a service without an SDK client. Its body must be re-readable.
func (a *Account) Sign(service string, r *http.Request) error {
	credentials, err := a.config.Credentials.Retrieve(r.Context())
	if err != nil {
		return Explain(err)
	}
	sum := sha256.New()
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return fmt.Errorf("sign the request: %w", err)
		}
		defer body.Close()
		if _, err := io.Copy(sum, body); err != nil {
			return fmt.Errorf("sign the request: %w", err)
		}
	}
	return v4.NewSigner().SignHTTP(r.Context(), credentials, r, hex.EncodeToString(sum.Sum(nil)), service,
		a.Region(), time.Now())
}
