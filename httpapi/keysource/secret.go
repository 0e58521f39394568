package keysource

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// A header or a cookie is often a credential. Everybody who sees keys would have it: in metrics, in INFO, in
// KEYS, in MONITOR, and in the files on disk. So the key has a keyed hash in its place. Without the secret
// of the hash, nobody can find out a short credential by trying all of them.

// digest is how many bytes of the hash a key has.
const digest = 16

// hashed returns the read function of a credential.
func hashed(read reader) reader {
	return func(r *Request, name string) (string, error) {
		value, err := read(r, name)
		if err != nil {
			return "", err
		}
		mac := hmac.New(sha256.New, r.Secret)
		mac.Write([]byte(value))
		return "hmac:" + hex.EncodeToString(mac.Sum(nil)[:digest]), nil
	}
}

var headerHash, cookieHash = hashed(readHeader), hashed(readCookie)
