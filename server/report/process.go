package report

import "time"

// Process has the fields of INFO about the process. The edge fills it in. In the zero Process all
// fields are unknown.
type Process struct {
	OS         string // "Linux 6.1.0 x86_64"
	PID        int
	Executable string // absolute path
	ConfigFile string // absolute path, "" without a file

	// Usage returns the current usage. Nil if it is unknown.
	Usage func() Usage
	// Sidecar returns what a sidecar does. Nil for a server that is none.
	Sidecar func() Sidecar
}

// Usage is the usage of a process, in bytes unless a field says otherwise.
type Usage struct {
	Resident     int64 // memory
	SystemMemory int64 // memory of the machine

	User, System time.Duration // CPU time since the start

	Input, Output int64 // bytes on connections since the start
	Reads, Writes int64 // operations on connections since the start
}

func (p *Process) usage() Usage {
	if p.Usage == nil {
		return Usage{}
	}
	return p.Usage()
}
