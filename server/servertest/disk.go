package servertest

// Disk is a persistence that writes nothing and counts calls. It implements [commands.Persistence].
type Disk struct {
	Saves, Rewrites, Scheduled, Flushes, Reloads int
	Busy                                         string // the result of Writing
	Err                                          error  // the error of every call
	IsFull                                       bool   // the result of Full, until Relieve
}

// Save implements [commands.Persistence].
func (d *Disk) Save() error {
	d.Saves++
	return d.Err
}

// BackgroundSave implements [commands.Persistence].
func (d *Disk) BackgroundSave() error { return d.Save() }

// ScheduleSave implements [commands.Persistence].
func (d *Disk) ScheduleSave() { d.Scheduled++ }

// BackgroundRewrite implements [commands.Persistence].
func (d *Disk) BackgroundRewrite() error {
	d.Rewrites++
	return d.Err
}

// ScheduleRewrite implements [commands.Persistence].
func (d *Disk) ScheduleRewrite() { d.Scheduled++ }

// Writing implements [commands.Persistence].
func (d *Disk) Writing() string { return d.Busy }

// LastSave implements [commands.Persistence].
func (d *Disk) LastSave() int64 { return Start / 1e9 }

// Flushed implements [commands.Persistence].
func (d *Disk) Flushed() { d.Flushes++ }

// Reload implements [commands.Persistence].
func (d *Disk) Reload() error {
	d.Reloads++
	return d.Err
}

// Full implements [commands.Persistence].
func (d *Disk) Full() bool { return d.IsFull }

// Relieve implements [commands.Persistence].
func (d *Disk) Relieve() { d.IsFull = false }

// Info implements [commands.Persistence].
func (d *Disk) Info(add func(name string, value any)) {
	add("loading", 0)
}
