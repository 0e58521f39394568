package cluster

import (
	"context"
	"slices"

	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

// ownAddress returns where the others reach this node. That is the listed address at which it has reached itself. Without
// one it is the address from which this node reaches another one, with the ports of the configuration.
func (m *Member) ownAddress(d *roster.Decision) (at topology.Address, err error) {
	i := slices.IndexFunc(m.o.List, func(a topology.Address) bool { return a.String() == d.Found })
	if i >= 0 {
		return m.o.List[i], nil
	}
	at = m.o.Fallback
	if at.Host == "" && m.o.Announce.Host == "" {
		at.Host, err = m.reachedFrom(d.Via)
	}
	return at, err
}

// reachedFrom waits until it reaches another node, and returns the local address of the connection.
func (m *Member) reachedFrom(via []string) (string, error) {
	for _, a := range m.o.List {
		via = append(via, a.Peer())
	}
	for {
		for _, peer := range via {
			if host := m.localHost(peer); host != "" {
				m.log.Info("this node announces the address from which it reaches another node: "+
					"set cluster-announce-ip if others reach it elsewhere", "address", host, "node", peer)
				return host, nil
			}
		}
		m.place.waitFor("waiting for another node: this node listens on every address, and announces the one from which it reaches others. " +
			"Set cluster-announce-ip to announce an address at once")
		m.pause(askAgain)
		if m.ctx.Err() != nil {
			return "", m.ctx.Err()
		}
	}
}

func (m *Member) localHost(peer string) string {
	ctx, stop := context.WithTimeout(m.ctx, askWithin)
	defer stop()
	return m.dialer.LocalHost(ctx, peer)
}
