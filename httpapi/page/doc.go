// Package page serves the page of the HTTP port: a person watches the server with it, and changes rules.
//
//	page.go  Serve: the files of the page, with headers that restrict the browser
//	files/   the page itself: a document, a style sheet, scripts and an icon
//
// The page has no data. Its scripts ask /status and /rules, with the token that the person gives it.
//
// Invariants: the page loads nothing from elsewhere, and has neither inline scripts nor inline styles. Its
// scripts never turn text into HTML.
//
// The package takes no locks.
package page
