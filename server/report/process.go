package report

import "time"

// Process is what INFO shows of the process. The edge knows it. The zero Process is unknown.
type Process struct {
	OS         string // "Linux 6.1.0 x86_64"
	PID        int
	Executable string // absolute path
	ConfigFile string // absolute path, "" without one

	// Usage reads what the process uses now. Nil if that is unknown.
	Usage func() Usage
}

// Usage is what a process uses, in bytes unless a field says otherwise.
type Usage struct {
	Resident     int64 // memory
	SystemMemory int64 // of the whole machine

	User, System time.Duration // CPU time since the start

	Input, Output int64 // through connections since the start
	Reads, Writes int64 // operations on connections since the start
}

func (p *Process) usage() Usage {
	if p.Usage == nil {
		return Usage{}
	}
	return p.Usage()
}
