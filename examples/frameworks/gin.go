//go:build frameworks

package frameworks

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// mountGin mounts the handler into Gin.
func mountGin(engine *gin.Engine, handler http.Handler) {
	mount := func(c *gin.Context) {
		handler.ServeHTTP(c.Writer, c.Request.WithContext(withTenant(c.Request.Context(), c.Param("tenant"))))
	}
	engine.GET("/webhook/:tenant", mount)
	engine.POST("/webhook/:tenant", mount)
}
