package app

import (
	"io"
	"net/http"
	"strings"

	"cellserver/internal/topology"
	"cellserver/server"
)

// withHealth answers /healthz and /readyz, and passes other requests to next. The replies have no secrets,
// so they need no token.
func (a *App) withHealth(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path != "/healthz" && path != "/readyz":
			next.ServeHTTP(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "use GET", http.StatusMethodNotAllowed)
		case path == "/healthz" && a.server.Condition().Outside:
			writeText(w, http.StatusServiceUnavailable, outside(a.server.Condition())+"\n")
		case path == "/healthz":
			writeText(w, http.StatusOK, "alive\n")
		default:
			a.writeReady(w)
		}
	})
}

// outside says why a node takes no part in its cluster.
func outside(now server.Condition) string {
	return "cluster: this node takes no part: " + now.LogFailed
}

// writeReady answers 200 if the server does all of its work, else 503 with a reason in each line.
func (a *App) writeReady(w http.ResponseWriter) {
	if reasons := a.notReady(); len(reasons) > 0 {
		writeText(w, http.StatusServiceUnavailable, strings.Join(reasons, "\n")+"\n")
		return
	}
	writeText(w, http.StatusOK, "ready\n")
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // the client has left if this fails
}

// notReady returns the reasons why clients should ask another server, or wait.
func (a *App) notReady() (reasons []string) {
	now := a.server.Condition()
	switch a.phase.Load() {
	case starting:
		reasons = append(reasons, "loading: the server loads its data")
	case stopping:
		reasons = append(reasons, "stopping: the server finishes its last requests")
	}
	switch {
	case now.Outside:
		return append(reasons, outside(now))
	case now.LogFailed != "":
		reasons = append(reasons, "persistence: the append-only file cannot be written: "+now.LogFailed)
	}
	if now.SaveFailed {
		reasons = append(reasons, "persistence: the last snapshot failed, and the server refuses writes")
	}
	if now.Follows() {
		reasons = append(reasons, "replication: the server follows another one, and takes no writes before "+
			"REPLICAOF NO ONE")
	}
	if a.member != nil {
		switch a.member.View().State {
		case topology.Down:
			reasons = append(reasons, "cluster: no leader is known")
		case topology.Joining:
			reasons = append(reasons, "cluster: this node does not have the data yet")
		}
	}
	return reasons
}
