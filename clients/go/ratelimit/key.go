package ratelimit

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// longestKey is the maximum length of a key in bytes. The server gets a hash of a longer key.
const longestKey = 256

// shorten returns a key, or the hash of a long key.
func shorten(key string) string {
	if len(key) <= longestKey {
		return key
	}
	hash := sha256.Sum256([]byte(key))
	return "sha256:" + hex.EncodeToString(hash[:])
}

// Address is the key of a client without a name: the address of its connection. An IPv6 address counts as its network of 64 bits,
// because a client has all addresses of such a network. Behind a proxy all clients have the address of the proxy, so a
// service there needs a key function of its own.
func Address(r *http.Request) string { return Network(r.RemoteAddr) }

// Network returns the key of an address, with or without a port. Another text is its own key.
func Network(address string) string {
	if at, found := parseAddress(address); found {
		return networkOf(at, prefix)
	}
	return address
}
