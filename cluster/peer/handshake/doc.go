// Package handshake begins a connection between two nodes. Each end proves to the other one that it belongs
// to the cluster. The end that dialed says for what the connection is.
//
//	kind.go      Kind and Preface: what a connection is for
//	refusal.go   the reasons for which a node refuses a connection
//	within.go    bounds the time of a step
//	security.go  Security: the secret and the certificates; where a node may listen
//	proof.go     the proofs of the secret
//	accept.go    the end that accepts
//	dial.go      the end that dials
//
// # On the wire
//
// With certificates, TLS comes first, and both ends show one. Then:
//
//	dialer    preface: magic, version, kind, group, flags, cluster, nonce (61 bytes)
//	acceptor  status; if that is 0 and there is a secret, a nonce (32 bytes)
//	dialer    if there is a secret: its proof (32 bytes)
//	acceptor  if there is a secret: status; if that is 0, its proof (32 bytes)
//
// A proof is an HMAC-SHA256 with the secret as its key. Its text is the role of the prover, the preface, and
// the nonce of the acceptor. With TLS, its text also has a value that belongs to this TLS connection only.
//
// # What the secret gives, and what it does not give
//
//   - Both ends know the secret. Nobody learns it from the bytes, and a recorded handshake opens no second connection.
//   - A proof counts for one role, one kind, one group and one cluster. Nobody can use it for another one.
//   - The dialer proves first. So a stranger who connects gets nothing from which to guess the secret.
//   - A stranger on the path between two nodes can record proofs and try secrets against them. So the secret must be
//     random and long.
//   - There is no encryption. A stranger on the path can read the bytes after the handshake, and can change them.
//     Certificates prevent both.
//
// # What certificates give
//
// TLS encrypts, and both ends verify the other's certificate. Each certificate of the certificate authority
// opens the peer port, also one that was made for a client. So nodes have an authority of their own, or a
// secret too.
//
// # Invariants
//
//   - Before the other end has proved itself, a node reads 93 bytes besides TLS, and keeps no more.
//   - A handshake takes at most Security.Timeout.
//   - Proofs are compared in constant time.
//
// The package takes no locks and starts no goroutines that outlive a call.
package handshake
