package servertest

import "sync"

// Disk is a persistence that writes nothing and counts calls. It implements [commands.Persistence]. Clients
// of several goroutines may call it; a test reads the fields while none of them runs.
type Disk struct {
	Saves, Rewrites, Scheduled, Flushes, Reloads int
	Busy                                         string // the result of Writing
	Err                                          error  // the error of every call
	IsFull                                       bool   // the result of Full, until Relieve
	Unsaved                                      int64  // what Info shows: changes since the last snapshot

	mu sync.Mutex // guards the counts and IsFull
}

// count counts a call.
func (d *Disk) count(calls *int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	*calls++
}

// Save implements [commands.Persistence].
func (d *Disk) Save() error {
	d.count(&d.Saves)
	return d.Err
}

// BackgroundSave implements [commands.Persistence].
func (d *Disk) BackgroundSave() error { return d.Save() }

// ScheduleSave implements [commands.Persistence].
func (d *Disk) ScheduleSave() { d.count(&d.Scheduled) }

// BackgroundRewrite implements [commands.Persistence].
func (d *Disk) BackgroundRewrite() error {
	d.count(&d.Rewrites)
	return d.Err
}

// ScheduleRewrite implements [commands.Persistence].
func (d *Disk) ScheduleRewrite() { d.count(&d.Scheduled) }

// Writing implements [commands.Persistence].
func (d *Disk) Writing() string { return d.Busy }

// LastSave implements [commands.Persistence].
func (d *Disk) LastSave() int64 { return Start / 1e9 }

// Flushed implements [commands.Persistence].
func (d *Disk) Flushed() { d.count(&d.Flushes) }

// Reload implements [commands.Persistence].
func (d *Disk) Reload() error {
	d.count(&d.Reloads)
	return d.Err
}

// Full implements [commands.Persistence].
func (d *Disk) Full() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.IsFull
}

// Relieve implements [commands.Persistence].
func (d *Disk) Relieve() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.IsFull = false
}

// Info implements [commands.Persistence].
func (d *Disk) Info(add func(name string, value any)) {
	add("loading", 0)
	add("rdb_changes_since_last_save", d.Unsaved)
}
