package clients

import "cellserver/commands"

// Holder is a connection that leases units of limits, with what it has done since it connected.
type Holder struct {
	Name     string `json:"name"` // CLIENT SETNAME
	Address  string `json:"address"`
	Sidecar  bool   `json:"sidecar"` // else a library that leases in the process of its application
	User     string `json:"user"`
	Asks     int64  `json:"asks"`
	Granted  int64  `json:"granted"`  // units
	Returned int64  `json:"returned"` // units
}

// Holders returns the connections that have sent CL.LEASE, and those that sidecars mark, in the order of
// connecting. It also returns how many sidecars there are: a sidecar marks one connection.
func (r *Registry) Holders() (all []Holder, sidecars int) {
	for _, e := range r.all() {
		id, leases := e.details().Identity, &e.Conn.Link.Leases
		sidecar, asks := id.Library == commands.SidecarLibrary, leases.Asks.Load()
		if asks > 0 || sidecar {
			all = append(all, Holder{
				id.Name, e.Addr(), sidecar, id.User.Name(),
				asks, leases.Granted.Load(), leases.Returned.Load(),
			})
		}
		sidecars += commands.Bit(sidecar)
	}
	return all, sidecars
}
