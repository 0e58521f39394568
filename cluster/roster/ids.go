package roster

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"cellserver/internal/topology"
)

// Founders returns the nodes of a list, with the ids that they have if they found a cluster. Every node
// computes the same ids from the same list.
func Founders(list []topology.Address) (all []topology.Node) {
	for _, a := range list {
		all = append(all, topology.Node{ID: FounderID(list, a), Host: a.Host, Port: a.Port,
			PeerPort: a.PeerPort})
	}
	return all
}

// FounderID returns the id of a founder. A node that joins a cluster later has an id of NewID.
func FounderID(list []topology.Address, own topology.Address) string {
	return firstID(Strings(list), own.String())
}

// ClusterID returns the id of the cluster that the nodes of a list found.
func ClusterID(list []topology.Address) string { return firstID(Strings(list), "cluster") }

// ParseID returns the bytes of an id. They are 0 without one.
func ParseID(id string) (b [20]byte, err error) {
	_, err = hex.Decode(b[:], []byte(id))
	return b, err
}

// firstID returns an id that depends on addresses, in any order, and on a name.
func firstID(nodes []string, name string) string {
	return hash(fmt.Sprintf("first\n%s\n\n%s", strings.Join(slices.Sorted(slices.Values(nodes)), "\n"), name))
}

// Strings writes addresses as cluster-nodes does.
func Strings(all []topology.Address) []string {
	texts := make([]string, len(all))
	for i, a := range all {
		texts[i] = a.String()
	}
	return texts
}

// NewID returns an id that no node has had. The argument before is the id that the node had until now.
func NewID(before string, incarnation uint64) string {
	return hash(fmt.Sprintf("next\n%s\n%d\n%s", before, incarnation, rand.Text()))
}

// hash returns 40 hexadecimal digits.
func hash(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}
