//go:build frameworks

package frameworks

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// mountEcho mounts the handler into Echo.
func mountEcho(e *echo.Echo, handler http.Handler) {
	mount := func(c echo.Context) error {
		r := c.Request()
		handler.ServeHTTP(c.Response(), r.WithContext(withTenant(r.Context(), c.Param("tenant"))))
		return nil
	}
	e.GET("/webhook/:tenant", mount)
	e.POST("/webhook/:tenant", mount)
}
