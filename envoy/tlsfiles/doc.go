// Package tlsfiles makes TLS configurations whose certificates are read again for each handshake.
//
// files.go names the files and reads them. config.go makes the configurations.
//
// Invariants: a renewed file holds from the next handshake. While a file can not be read, the last good
// content holds. A certificate of the other side is always verified, unless the caller says otherwise.
//
// One lock of a store guards its last good content.
package tlsfiles
