package proxies

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
	"go.yaml.in/yaml/v3"
)

// kong runs the code of the recipe as the plugin pre-function does, for requests of one client.
type kong struct {
	s    *site
	code string
}

// kongReply is what the client gets.
type kongReply struct {
	status  int // 200 if the code lets the request through
	body    string
	headers map[string]string
}

func newKong(s *site) *kong {
	var document struct {
		Services []struct {
			Plugins []struct {
				Name   string
				Config struct{ Access []string }
			}
		}
	}
	require.NoError(s.t, yaml.Unmarshal([]byte(recipe(s.t, "kong")), &document))
	plugin := document.Services[0].Plugins[0]
	require.Equal(s.t, "pre-function", plugin.Name)
	const address = "http://127.0.0.1:7380/"
	require.Contains(s.t, plugin.Config.Access[0], address)
	return &kong{s, strings.ReplaceAll(plugin.Config.Access[0], address, fmt.Sprintf("http://127.0.0.1:%d/", s.web))}
}

// ask sends a request of a client through the code. The functions are those of Kong and of lua-resty-http.
//
// Sources: https://developer.konghq.com/gateway/pdk/reference/ and https://github.com/ledgetech/lua-resty-http
func (k *kong) ask(ip string) (reply kongReply) {
	k.s.t.Helper()
	l := lua.NewState()
	defer l.Close()
	reply.status = http.StatusOK
	functions := func(of map[string]lua.LGFunction) *lua.LTable { return l.SetFuncs(l.NewTable(), of) }
	l.PreloadModule("resty.http", func(l *lua.LState) int {
		connection := functions(map[string]lua.LGFunction{"set_timeouts": noFunction, "request_uri": k.requestURI})
		l.Push(functions(map[string]lua.LGFunction{"new": func(l *lua.LState) int { l.Push(connection); return 1 }}))
		return 1
	})
	module := l.NewTable()
	module.RawSetString("client", functions(map[string]lua.LGFunction{"get_forwarded_ip": func(l *lua.LState) int {
		l.Push(lua.LString(ip))
		return 1
	}}))
	text := func(value string) lua.LGFunction {
		return func(l *lua.LState) int { l.Push(lua.LString(value)); return 1 }
	}
	module.RawSetString("request", functions(map[string]lua.LGFunction{
		"get_raw_path": text("//Login;x"), "get_method": text("GET"), "get_host": text("shop"),
	}))
	module.RawSetString("response", functions(map[string]lua.LGFunction{
		"set_headers": func(l *lua.LState) int { reply.headers = texts(l.CheckTable(1)); return 0 },
		"exit": func(l *lua.LState) int {
			reply = kongReply{l.CheckInt(1), l.OptString(2, ""), texts(l.OptTable(3, l.NewTable()))}
			return 0
		},
	}))
	l.SetGlobal("kong", module)
	require.NoError(k.s.t, l.DoString(k.code))
	return reply
}

// requestURI is request_uri of lua-resty-http: the address, then options. It returns the answer, or nil and an error.
func (k *kong) requestURI(l *lua.LState) int {
	r, err := http.NewRequest(http.MethodGet, l.CheckString(2), nil)
	require.NoError(k.s.t, err)
	for name, value := range texts(l.CheckTable(3).RawGetString("headers").(*lua.LTable)) {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		l.Push(lua.LNil)
		l.Push(lua.LString(err.Error()))
		return 2
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(k.s.t, err)
	headers := l.NewTable()
	l.SetMetatable(headers, l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{"__index": func(l *lua.LState) int {
		if value := answer.Header.Get(l.CheckString(2)); value != "" {
			l.Push(lua.LString(value))
			return 1
		}
		return 0
	}}))
	table := l.NewTable()
	table.RawSetString("status", lua.LNumber(answer.StatusCode))
	table.RawSetString("body", lua.LString(body))
	table.RawSetString("headers", headers)
	l.Push(table)
	return 1
}

func noFunction(*lua.LState) int { return 0 }

// texts returns the fields of a table.
func texts(table *lua.LTable) map[string]string {
	all := map[string]string{}
	table.ForEach(func(name, value lua.LValue) { all[name.String()] = value.String() })
	return all
}

func TestKong(t *testing.T) {
	s := newSite(t)
	k := newKong(s)
	require.Equal(t, kongReply{status: 503, headers: map[string]string{}}, k.ask("10.0.0.1"), "there is no rule yet")
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 2, 3600)
	allowed := k.ask("10.0.0.1")
	require.Equal(t, http.StatusOK, allowed.status)
	require.Equal(t, `"api";q=2;w=3600`, allowed.headers["RateLimit-Policy"])
	require.NotContains(t, allowed.headers, "Retry-After")
	require.Equal(t, http.StatusOK, k.ask("10.0.0.1").status)
	refused := k.ask("10.0.0.1")
	require.Equal(t, http.StatusTooManyRequests, refused.status)
	require.Contains(t, refused.body, `"allowed":false`)
	require.NotEmpty(t, refused.headers["Retry-After"])
	require.Equal(t, http.StatusOK, k.ask("10.0.0.2").status)
	k.code = strings.ReplaceAll(k.code, "key=ip", "key=ip,path,method,host")
	require.Equal(t, http.StatusOK, k.ask("10.0.0.3").status)
	require.Equal(t, []any{"api:{10.0.0.3,/login,GET,shop}:window"}, s.do("KEYS", "*login*"))
	s.cellserver.Stop(syscall.SIGTERM)
	require.Equal(t, kongReply{status: http.StatusOK}, k.ask("10.0.0.1"), "it fails open")
}
