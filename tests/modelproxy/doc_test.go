// Package modelproxy runs the proxies of docs/budgets.md before a model that reports its usage. The proxies are in Go (proxy/),
// Python and Node. Real processes of cellserver and of the proxies take part.
//
//	harness_test.go      cellserver, a way to it that loses replies, the model, a proxy
//	modelproxy_test.go   what each proxy must do
//
// A proxy whose language is not installed is a skipped test; with CELLSERVER_NO_SKIP it is a failed one.
package modelproxy
