// Package httpapi answers requests for limits over HTTP.
//
//	routes.go    the paths, and the token
//	api.go       API: methods, commands, problems as replies
//	question.go  Question: what a request to rules asks, from its query, its path or its body
//	rules.go     /check and /forward: asks CL.MCHECK
//	explain.go   /explain: the decision of a rule, limit by limit
//	body.go      the body of a request
//	fields.go    the fields of a body
//	number.go    the numbers of a body
//	throttle.go  /throttle: limits in the request, one row for each limiter
//	enter.go     /enter and /leave: calls of a service within a limit that the server finds
//	words.go     limits in people's words
//	reserve.go   /reserve and /settle: an estimate of a cost, and the real cost
//	reset.go     /reset: a fresh start for keys
//	hosts.go     the names of this server, against DNS rebinding
//	operate.go   who may see and change the server: the page, and the guards of its requests
//	status.go    /status: CL.STATUS, and the keys that are limited most often
//	ruleset.go   /rules and /try: the rules, changes of them, and what other limits would have refused
//	overrides.go /overrides: the limits of single keys and networks
//	decision.go  decision: what was decided, as the body of a response has it
//	answer.go    sends a decision: the status, the headers and the body
//	problem.go   Problem: an error reply
//	openapi.go   /openapi.json
//
// A request becomes one command, and the reply of the command becomes the reply of HTTP. /check and
// /forward ask rules with values, and get values back (rules.Question). Package line carries the command or
// the question to the server. Package keysource makes the key of a request that a proxy asks about. Package
// strictjson reads a body. Package bounded has the sockets. Package page has the files of the page.
//
// The headers RateLimit and RateLimit-Policy are those of draft-ietf-httpapi-ratelimit-headers-11:
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
//
// Invariants: a request is refused as a whole if the API does not know a part of it. No reply says that an
// action is allowed unless the server has counted it, or the request says that it only looks. The exception
// is the answer missing=allow.
//
// The package takes no locks.
package httpapi
