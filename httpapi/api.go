package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"cellserver/httpapi/keysource"
	"cellserver/limiters/rules"
	"cellserver/resp"
)

// Commands runs commands. It is [line.Lines].
type Commands interface {
	Do(ctx context.Context, args []string, read func(resp.Reply)) error
	Ask(ctx context.Context, words [][]byte, q *rules.Question) (resp.Reply, error)
}

// Guesses bounds the guesses of the token. It is a part of [commands.Logins].
type Guesses interface {
	Try(addr netip.Addr, name, password []byte, right func() bool) (ok bool, wait int64)
}

// API answers requests. Config returns the part of the configuration that requests use. It is called for each request.
type API struct {
	Commands Commands
	Guesses  Guesses
	Config   func() Config
}

// Trust says which headers of a request keys believe.
type Trust = keysource.Trust

// Config is a part of the configuration.
type Config struct {
	Trust
	Closed string   // why nobody can answer yet; "" if requests are answered
	Token  string   // that requests must have; "" for none
	Hosts  []string // names of this server, in addition to localhost and IP addresses
	Page
}

// Page says what the page may do.
type Page struct {
	Reads  bool // there is a page, and it shows numbers and rules
	Writes bool // it changes rules
	Keys   bool // it shows names of keys
	Locked bool // it needs the token, because other clients need a password
}

// Values of headers. Header maps share these slices.
var (
	noStore     = []string{"no-store"}
	jsonType    = []string{"application/json"}
	problemType = []string{"application/problem+json"}
	challenge   = []string{`Bearer realm="cellserver"`} // RFC 9110 demands one in each 401
)

// allow returns the problem of a request with another method.
func allow(w http.ResponseWriter, r *http.Request, methods ...string) *Problem {
	if slices.Contains(methods, r.Method) {
		return nil
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	return problem(http.StatusMethodNotAllowed, notAllowed, "%.32s is not possible here: use %s",
		r.Method, strings.Join(methods, " or "))
}

// do runs a command. read gets its reply, unless that is an error.
func (a *API) do(ctx context.Context, args []string, read func(resp.Reply)) *Problem {
	if err := a.Commands.Do(ctx, args, read); err != nil {
		return ofError(err)
	}
	return nil
}

// writeJSON answers with a value that encoding/json can encode.
func writeJSON(w http.ResponseWriter, value any) *Problem {
	w.Header()["Content-Type"] = jsonType
	_ = json.NewEncoder(w).Encode(value) // the client has left if this fails
	return nil
}

// change runs the command of a change, and says whether it has changed something. DELETE may find nothing.
func (a *API) change(w http.ResponseWriter, r *http.Request, command []string) *Problem {
	answer := struct {
		Changed bool `json:"changed"`
	}{true}
	if err := a.do(r.Context(), command, func(reply resp.Reply) {
		answer.Changed = r.Method != http.MethodDelete || reply.Int() == 1
	}); err != nil {
		return err
	}
	return writeJSON(w, &answer)
}
