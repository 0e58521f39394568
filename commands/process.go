package commands

import "time"

// Process is what INFO shows of the process: only the edge can know it. The zero
// Process is one that nothing is known of.
type Process struct {
	OS         string // "Linux 6.1.0 x86_64"
	PID        int
	Executable string // absolute path
	ConfigFile string // absolute path, "" without one

	// Usage reads what the process uses now. Nil for unknown.
	Usage func() Usage
}

// Usage is what a process uses, in bytes unless said otherwise.
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

// traffic is what connections carried since the start or the last CONFIG RESETSTAT.
func (s *Server) traffic() Usage {
	u := s.process.usage()
	if before := s.carried.Load(); before != nil {
		u.Input -= before.Input
		u.Output -= before.Output
		u.Reads -= before.Reads
		u.Writes -= before.Writes
	}
	return u
}

// ShutdownMode is how SHUTDOWN was asked for. Save and NoSave exclude each other; with
// neither the configuration decides.
type ShutdownMode struct {
	Save, NoSave bool
	Now          bool // do not wait for anyone
	Force        bool // go even if saving fails
}
