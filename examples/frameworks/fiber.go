//go:build frameworks

package frameworks

import (
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/adaptor"
)

// mountFiber mounts the handler into Fiber, which uses fasthttp. It reads the whole body before the
// handler runs, so the app's BodyLimit has to be 4 MiB, and bounds its memory instead of Config.Pool.
func mountFiber(app *fiber.App, handler http.Handler) {
	adapted := adaptor.HTTPHandler(handler)
	mount := func(c fiber.Ctx) error {
		tenant := strings.Clone(c.Params("tenant")) // Fiber uses the memory of parameters again
		c.RequestCtx().SetUserValue(tenantKey{}, tenant)
		return adapted(c)
	}
	app.Get("/webhook/:tenant", mount)
	app.Post("/webhook/:tenant", mount)
}
