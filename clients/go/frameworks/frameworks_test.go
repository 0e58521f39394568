// Package frameworks tests the middleware with the routers of others, and as a module of a proxy. It is a
// module of its own, so that users of the middleware do not get these routers.
package frameworks

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"cellserver/clients/go/internal/testserver"
	"cellserver/clients/go/ratelimit"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/labstack/echo/v5"
	"github.com/stretchr/testify/require"
)

func chiRouter(limiter *ratelimit.Limiter) *chi.Mux {
	router := chi.NewRouter()
	router.Use(limiter.Middleware(ratelimit.Rule{Name: "per-ip"}))
	return router
}

func echoRouter(limiter *ratelimit.Limiter) *echo.Echo {
	router := echo.New()
	router.Use(echo.WrapMiddleware(limiter.Middleware(ratelimit.Rule{Name: "per-ip"})))
	return router
}

func ginRouter(limiter *ratelimit.Limiter) *gin.Engine {
	router := gin.New()
	router.Use(func(c *gin.Context) {
		if !limiter.Allow(c.Writer, c.Request, ratelimit.Rule{Name: "per-ip"}) {
			c.Abort()
		}
	})
	return router
}

// Each router of ../README.md asks the rule before all pages, and has the page hello.
var routers = map[string]func(*ratelimit.Limiter) http.Handler{
	"net/http": func(limiter *ratelimit.Limiter) http.Handler {
		return limiter.Handler(http.HandlerFunc(hello), ratelimit.Rule{Name: "per-ip"})
	},
	"chi": func(limiter *ratelimit.Limiter) http.Handler {
		router := chiRouter(limiter)
		router.Get("/", hello)
		return router
	},
	"echo": func(limiter *ratelimit.Limiter) http.Handler {
		router := echoRouter(limiter)
		router.GET("/", func(c *echo.Context) error { return c.String(http.StatusOK, "hello") })
		return router
	},
	"gin": func(limiter *ratelimit.Limiter) http.Handler {
		router := ginRouter(limiter)
		router.GET("/", func(c *gin.Context) { c.String(http.StatusOK, "hello") })
		return router
	},
}

func hello(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }

// visit asks for the page from an address.
func visit(router http.Handler, address string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = address + ":1234"
	router.ServeHTTP(w, r)
	return w
}

func TestRouters(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	for name, router := range routers {
		t.Run(name, func(t *testing.T) {
			limiter := dial(t, testserver.Start(t).URL, "CL.WINDOW", 2, 60)
			service := router(limiter)
			for _, left := range []string{"1", "0"} {
				w := visit(service, "10.0.0.1")
				require.Equal(t, []any{200, "hello"}, []any{w.Code, w.Body.String()})
				require.Equal(t, []string{`"per-ip";r=` + left + `;t=60`}, w.Header().Values("RateLimit"))
			}
			w := visit(service, "10.0.0.1")
			require.Equal(t, 429, w.Code)
			require.Equal(t, "60", w.Header().Get("Retry-After"))
			require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
			require.JSONEq(t, `{"type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
				"title": "The quota is used up", "status": 429,
				"violated-policies": ["per-ip"]}`, w.Body.String())
			require.Equal(t, 200, visit(service, "10.0.0.2").Code)
		})
	}
}

// TestRoutersFailClosed: without a server each router answers 503.
func TestRoutersFailClosed(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	options := ratelimit.Options{FailClosed: true, OnError: func(error) {}}
	limiter, err := ratelimit.Dial("redis://127.0.0.1:1", options)
	require.NoError(t, err)
	for name, router := range routers {
		require.Equal(t, 503, visit(router(limiter), "10.0.0.1").Code, name)
	}
}

// dial returns a limiter that a loaded machine does not make late, and makes the rule.
func dial(t *testing.T, url string, limit ...any) *ratelimit.Limiter {
	rdb, err := ratelimit.Connect(url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = rdb.Close() })
	require.NoError(t, rdb.Do(t.Context(), append([]any{"CL.RULE", "SET", "per-ip"}, limit...)...).Err())
	require.NoError(t, rdb.Do(t.Context(), "DEBUG", "CLOCK", "SET", "1800000000000000000").Err())
	limiter, err := ratelimit.New(rdb, ratelimit.Options{Timeout: time.Minute})
	require.NoError(t, err)
	return limiter
}
