// Package proxies runs the proxies of docs/http.md before a small service, with the configurations of that page. Real
// processes of cellserver and of the proxies take part.
//
//	harness_test.go   cellserver, a proxy, the service behind it
//	config_test.go    the configurations of the page
//	load_test.go      exactly as many 200s as the limit admits; also while cellserver restarts
//	spellings_test.go the requests that a client varies: each has the limit of the others
//	symptoms_test.go  what nginx answers, and logs, after a mistake
//	recipes_test.go   proxies whose programs are not here: what they send, by their documentation
//	kong_test.go      the Lua of Kong, with the functions of Kong that it needs
//
// A proxy that is not installed is a skipped test; with CELLSERVER_NO_SKIP it is a failed one.
package proxies
