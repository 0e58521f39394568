// Package keysource decides by which key an HTTP request is limited.
//
//	source.go   Source: parses the text of a source, and makes the key of a request
//	typo.go     refuses a text that is nearly a word
//	normal.go   the one form of a path, a host, a method, a header and a cookie
//	secret.go   the hash in the place of a credential
//	address.go  the address of the client, behind known proxies
//
// A source is a list of parts, separated by commas: "ip", "header:X-Api-Key", "cookie:session", "path" and
// others. The table in docs/http.md has all of them. Other parts are literal. If no part is one of these
// words, the whole text is the key.
//
// A client can spell one and the same request in many ways. All spellings that a server may route to the
// same place make the same key.
//
// Invariants: different normal values of the parts make different keys. A key has at most [MaxKey] bytes. A
// header or a cookie that occurs twice makes no key, because it is unknown which one the application reads.
// No key shows a header or a cookie, unless the source says so.
//
// The package takes no locks.
package keysource
