package server

import (
	"expvar"
	"fmt"
	"net/http"
	"net/http/pprof"

	"cellserver/envoy/config"
)

// debugHandler has the paths for debugging.
func debugHandler(rules func() *config.Set) http.Handler {
	mux := http.NewServeMux()
	paths := []struct {
		path, help string
		handle     http.HandlerFunc
	}{
		{"/debug/pprof/", "profiles of the process", pprof.Index},
		{"/debug/pprof/cmdline", "the command line", pprof.Cmdline},
		{"/debug/pprof/profile", "a profile of the processor time", pprof.Profile},
		{"/debug/pprof/symbol", "names of addresses", pprof.Symbol},
		{"/debug/pprof/trace", "a trace of the process", pprof.Trace},
		{"/rlconfig", "the rules in use", func(w http.ResponseWriter, _ *http.Request) {
			if set := rules(); set != nil {
				_ = set.Dump(w)
			}
		}},
		{"/stats", "variables of the process", expvar.Handler().ServeHTTP},
	}
	for _, p := range paths {
		mux.HandleFunc(p.path, p.handle)
	}
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		for _, p := range paths {
			fmt.Fprintf(w, "%s: %s\n", p.path, p.help)
		}
	})
	return mux
}
