package identity

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// FirstID returns the id of a node that forms a cluster with others. All nodes compute the same ids from the
// addresses of all nodes, in any order. A node that joins a cluster later has an id of NewID.
func FirstID(nodes []string, address string) string {
	sorted := slices.Sorted(slices.Values(nodes))
	return hash(fmt.Sprintf("first\n%s\n\n%s", strings.Join(sorted, "\n"), address))
}

// NewID returns an id that no node has had. before is the id that the node had until now, or its FirstID.
func NewID(before string, incarnation uint64) string {
	return hash(fmt.Sprintf("next\n%s\n%d\n%s", before, incarnation, rand.Text()))
}

// hash returns 40 hexadecimal digits.
func hash(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// isID reports whether a text can be an id.
func isID(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == sha1.Size && strings.ToLower(text) == text
}
