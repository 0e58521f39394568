package persistence

// continueTime makes the time go on from the last time that the files have, if the clock of the machine is
// behind it. The clock was ahead when they were written, or it is wrong now. Either way each limit and expiry
// goes on with the rest that it had.
func (l *loadProgress) continueTime() {
	at := l.written.Load() * 1e9
	if gap := l.clock.Continue(at); gap > 0 {
		l.log.Warn("the files are from the future: the clock was set back since. "+
			"Limits and expiries go on from the time of the files; check the clock if the time is wrong now",
			"seconds", gap/1e9)
	}
}
