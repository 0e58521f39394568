package formation

import (
	"cellserver/cluster/identity"
	"cellserver/internal/topology"
)

// Strings writes addresses as cluster-nodes does.
func Strings(all []topology.Address) []string {
	texts := make([]string, len(all))
	for i, a := range all {
		texts[i] = a.String()
	}
	return texts
}

// FounderID returns the id of a founder. Every node computes the same id from the same list.
func FounderID(list []topology.Address, own topology.Address) string {
	return identity.FirstID(Strings(list), own.String())
}

// ClusterID returns the id of the cluster that the nodes of a list found. Every founder computes the same
// one.
func ClusterID(list []topology.Address) string {
	return identity.FirstID(Strings(list), "cluster")
}
