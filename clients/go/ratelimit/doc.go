// Package ratelimit is HTTP middleware that asks the rules of cellserver. Package grpclimit is the same for gRPC.
//
// Start with [Dial], and [Limiter.Handler] or [Limiter.Middleware]. [Limiter.Allow] and [Limiter.Ask] are for
// other frameworks. ../../README.md says how the middleware behaves, and the packages for Python and Node
// behave the same way.
//
//   - limiter.go asks the server, within the time-out;
//   - reply.go reads the reply and writes the values of the headers;
//   - denials.go remembers refusals;
//   - lease.go decides about hot keys without the server, and clock*.go read the clocks for it;
//   - http.go is the middleware;
//   - key.go, source.go and address.go have the keys.
//
// A Limiter is safe for concurrent use. Its locks are in denials.go and lease.go, and are held for a map
// access only.
package ratelimit
