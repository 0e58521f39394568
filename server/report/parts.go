package report

import "cellserver/server/clients"

// runNow is the run of the server.
type runNow struct {
	Version  string `json:"version"`
	RunID    string `json:"run_id"`
	UptimeMS int64  `json:"uptime_ms"` // of a clock that is never set back
}

// leasesNow is what sidecars and libraries have leased.
type leasesNow struct {
	Sidecars int              `json:"sidecars"`
	Asks     int64            `json:"asks"`
	Granted  int64            `json:"granted"`  // units
	Returned int64            `json:"returned"` // units
	Holders  []clients.Holder `json:"holders"`  // who asked most, at most mostHolders
}

// commandCount is a command of a limiter that clients have called.
type commandCount struct {
	Name    string `json:"name"`
	Allowed int64  `json:"allowed"`
	Limited int64  `json:"limited"`
	Looked  int64  `json:"looked"`
	Failed  int64  `json:"failed"`
}

// usageNow is what the server uses.
type usageNow struct {
	Commands   int64   `json:"commands"` // calls of all commands
	Clients    int     `json:"clients"`
	MaxClients int     `json:"clients_max"`
	CPUSeconds float64 `json:"cpu_seconds"`
	Memory     int64   `json:"memory"`
	Peak       int64   `json:"memory_peak"`
	Most       int64   `json:"memory_max"` // 0 for no limit
	Resident   int64   `json:"memory_resident"`
	Keys       int     `json:"keys"`
	Expired    int64   `json:"keys_expired"`
	Evicted    int64   `json:"keys_evicted"`
}

type clusterNow struct {
	State         string    `json:"state"`
	Leads         bool      `json:"leads"`
	Term          uint64    `json:"term"`
	Applied       uint64    `json:"applied_index"`
	LagEntries    uint64    `json:"lag_entries"`
	LagBytes      int64     `json:"lag_bytes"`
	CommitMicros  int64     `json:"commit_usec_p99"`
	EpochsChanged int64     `json:"epoch_changes"`
	Nodes         []nodeNow `json:"nodes"`
}

type nodeNow struct {
	ID      string `json:"id"`
	Address string `json:"address"`
	Self    bool   `json:"self"`
	Leads   bool   `json:"leads"`
	Voter   bool   `json:"voter"`
	Healthy bool   `json:"healthy"`
	Applied uint64 `json:"applied_index"`
}

// masterNow is the link to the server that this one follows, in CL.STATUS. It has no error, because an error
// may name a key.
type masterNow struct {
	Address string `json:"address"`
	Link    string `json:"link"`
	Copies  int64  `json:"full_copies"`
	LeftOut string `json:"left_out"`
}
