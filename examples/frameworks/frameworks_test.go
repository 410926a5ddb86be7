//go:build frameworks

package frameworks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/gofiber/fiber/v3"
	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhookhttp"
)

// frameworks start a server with the handler, and return its address.
var frameworks = map[string]func(*testing.T, http.Handler) string{
	"net/http": func(t *testing.T, handler http.Handler) string {
		mux := http.NewServeMux()
		mountNetHTTP(mux, handler)
		return serve(t, mux)
	},
	"Gin": func(t *testing.T, handler http.Handler) string {
		gin.SetMode(gin.ReleaseMode)
		engine := gin.New()
		mountGin(engine, handler)
		return serve(t, engine)
	},
	"Echo": func(t *testing.T, handler http.Handler) string {
		e := echo.New()
		mountEcho(e, handler)
		return serve(t, e)
	},
	"Fiber": func(t *testing.T, handler http.Handler) string {
		app := fiber.New(fiber.Config{BodyLimit: 4 << 20})
		mountFiber(app, handler)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		ended := make(chan error, 1)
		go func() { ended <- app.Listener(listener, fiber.ListenConfig{DisableStartupMessage: true}) }()
		t.Cleanup(func() {
			require.NoError(t, app.Shutdown())
			require.NoError(t, <-ended)
		})
		return "http://" + listener.Addr().String()
	},
}

func serve(t *testing.T, handler http.Handler) string {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func sign(payload, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(payload))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Each framework answers the platform as net/http does, and gives Receive the tenant of the URL.
func TestFrameworks(t *testing.T) {
	small := `{"entry":[{"changes":[{"value":{"messages":[{"from_user_id":"US.1","id":"wamid.1"}]}}]}]}`
	large := small + strings.Repeat(" ", 3<<20)
	for name, start := range frameworks {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			received := map[string][]string{}
			handler, err := newHandler(func(_ context.Context, tenant string) (webhookhttp.Credentials, error) {
				switch tenant {
				case "jane", "shop":
					return webhookhttp.Credentials{AppSecrets: [][]byte{[]byte("secret of " + tenant)}, VerifyToken: "token of " + tenant}, nil
				case "down":
					return webhookhttp.Credentials{}, errors.New("the database is down")
				}
				return webhookhttp.Credentials{}, nil
			}, func(_ context.Context, tenant string, webhook webhooknorm.Webhook) error {
				mu.Lock()
				defer mu.Unlock()
				for _, event := range webhook.Events {
					received[tenant] = append(received[tenant], event.BSUID)
				}
				return nil
			})
			require.NoError(t, err)
			base := start(t, handler) + "/webhook/"
			client := &http.Client{Transport: &http.Transport{}}
			t.Cleanup(client.CloseIdleConnections)
			do := func(method, target, body, signature string) (int, string) {
				r, err := http.NewRequestWithContext(t.Context(), method, base+target, strings.NewReader(body))
				require.NoError(t, err)
				if signature != "" {
					r.Header.Set("X-Hub-Signature-256", signature)
				}
				res, err := client.Do(r)
				require.NoError(t, err)
				defer func() { _ = res.Body.Close() }()
				answer, err := io.ReadAll(res.Body)
				require.NoError(t, err)
				return res.StatusCode, string(answer)
			}
			challenge := func(tenant, token string) (int, string) {
				return do(http.MethodGet, tenant+"?hub.mode=subscribe&hub.challenge=42&hub.verify_token="+strings.ReplaceAll(token, " ", "%20"), "", "")
			}

			status, body := challenge("jane", "token of jane")
			require.Equal(t, 200, status)
			require.Equal(t, "42", body)
			status, _ = challenge("jane", "token of shop")
			require.Equal(t, 403, status)
			for _, payload := range []string{small, large} {
				for tenant, want := range map[string]int{"jane": 200, "shop": 200, "down": 503, "nobody": 403} {
					status, _ = do(http.MethodPost, tenant, payload, sign(payload, "secret of "+tenant))
					require.Equal(t, want, status, tenant)
				}
				for _, signature := range []string{"", sign(payload, "secret of shop")} {
					status, _ = do(http.MethodPost, "jane", payload, signature)
					require.Equal(t, 403, status, "%q", signature)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			require.Equal(t, map[string][]string{"jane": {"US.1", "US.1"}, "shop": {"US.1", "US.1"}}, received)
		})
	}
}
