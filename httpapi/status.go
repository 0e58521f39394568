package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"cellserver/resp"
)

// serverStatus is the reply of /status.
type serverStatus struct {
	Status   json.RawMessage `json:"status"`
	Writes   bool            `json:"may_write"`
	ShowsTop bool            `json:"shows_keys"`
	Top      []limitedKey    `json:"limited_keys"` // null if they are hidden
}

// limitedKey is a key that limiters refuse often. Its count exceeds the true number by at most Over.
type limitedKey struct {
	Key   string `json:"key"`
	Times int64  `json:"times"`
	Over  int64  `json:"over"`
}

// status answers /status. It asks CL.STATUS, and CL.TOP if the page may show keys.
func (a *API) status(w http.ResponseWriter, r *http.Request, cfg Config) *Problem {
	if err := allow(w, r, http.MethodGet, http.MethodHead); err != nil {
		return err
	}
	s := serverStatus{Writes: cfg.Writes, ShowsTop: cfg.Keys}
	if err := a.do(r.Context(), []string{"CL.STATUS"}, func(reply resp.Reply) { s.Status = []byte(reply.Text()) }); err != nil {
		return err
	}
	if cfg.Keys {
		if err := a.do(r.Context(), []string{"CL.TOP", "10"}, func(reply resp.Reply) { s.Top = readTop(reply) }); err != nil {
			return err
		}
	}
	return writeJSON(w, &s)
}

func readTop(reply resp.Reply) []limitedKey {
	top := make([]limitedKey, reply.Elements())
	for i := range top {
		reply.Int() // the number of elements
		top[i] = limitedKey{strings.ToValidUTF8(reply.Text(), "\uFFFD"), reply.Int(), reply.Int()}
	}
	return top
}
