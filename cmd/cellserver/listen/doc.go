// Package listen opens the addresses of a server: for clients, for HTTP, and for other nodes of a cluster.
//
//	sockets.go    the listeners for clients; opens a port at each host of bind
//	doors.go      the ports for clients of a cluster that do not know slots
//	webdoor.go    the listeners of a handler of HTTP, without and with TLS
//	endpoints.go  where a configuration asks to listen
//	listen.go     opens one listener
//	inherited.go  the listeners that systemd opens (socket activation)
//	tls.go        certificates
//	system_*.go   what the operating system knows and permits
//
// # Invariants
//
//   - Sockets that systemd passes take the place of listeners with the same addresses. They stay open in
//     systemd while the server restarts, so its clients wait and are not refused.
//   - A part that refuses a configuration keeps its previous listeners and certificates, or brings them back.
//   - New connections get the certificates in force.
//
// # Locks
//
// Sockets.mu guards the listeners for clients. It is held while they open and close. Doors.mu guards those
// for clients that do not know slots. The locks of package
// bounded guard those of HTTP. The certificates are an atomic pointer.
package listen
