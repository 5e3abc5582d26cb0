package rds

import (
	"context"
	"fmt"
	"net"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/rds/auth"

	"github.com/realiops/realiops/internal/measure/account"
)

// Token returns a password for one connection, signed with the account's credentials and valid for a quarter of an
// hour. The host is AWS's name of the database, even if the connection uses another one.
func Token(ctx context.Context, config aws.Config, host string, port int, user string) (string, error) {
	if config.Region == "" {
		return "", fmt.Errorf("sign in to %s: unknown region; name it with --region or AWS_REGION", host)
	}
	token, err := auth.BuildAuthToken(ctx, net.JoinHostPort(host, fmt.Sprint(port)), config.Region, user,
		config.Credentials)
	if err != nil {
		return "", fmt.Errorf("sign in to %s: %w", host, account.Explain(err))
	}
	return token, nil
}
