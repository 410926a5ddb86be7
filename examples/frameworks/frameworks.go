//go:build frameworks

// Package frameworks receives the webhooks of several apps with one handler, mounted into net/http,
// Gin, Echo and Fiber. Each app has a URL of its own, /webhook/{tenant}, and its own secret.
//
// A framework only has to put the tenant of the URL into the request's context. Lookup and Receive
// read it there, so the handler is the same for all.
package frameworks

import (
	"context"
	"net/http"

	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhookhttp"
)

type tenantKey struct{}

func withTenant(ctx context.Context, tenant string) context.Context {
	return context.WithValue(ctx, tenantKey{}, tenant)
}

func tenantOf(ctx context.Context) string {
	tenant, _ := ctx.Value(tenantKey{}).(string)
	return tenant
}

// newHandler returns the handler for all tenants. Credentials returns those of one, or zero ones if
// there is no such tenant.
func newHandler(
	credentials func(ctx context.Context, tenant string) (webhookhttp.Credentials, error),
	store func(ctx context.Context, tenant string, webhook webhooknorm.Webhook) error,
) (http.Handler, error) {
	return webhookhttp.New(webhookhttp.Config{
		Lookup: func(r *http.Request) (webhookhttp.Credentials, error) {
			return credentials(r.Context(), tenantOf(r.Context()))
		},
		Receive: func(ctx context.Context, webhook webhooknorm.Webhook) error {
			return store(ctx, tenantOf(ctx), webhook)
		},
	})
}
