// Package adaptive lets calls of a service begin within a limit that cellserver finds for the whole fleet.
//
// Start with [New]. [Limit.Transport] is for callers over HTTP, [Limit.Handler] for the service itself, and
// [Limit.Enter] for everything else. Package grpclimit has interceptors. docs/adaptive.md of the server says
// what a limit protects.
//
//   - limit.go asks the server, and has the local ceiling for the time without one;
//   - http.go wraps net/http.
//
// Invariants: a call that has begun ends once. A report without an answer is sent again after the next
// question with one, until the lease has ended. At most 1,000 reports wait so. Without a server, at most as
// many calls as the local ceiling are under way in this process.
//
// A Limit is safe for concurrent use. It takes no locks.
package adaptive
