package acl

import (
	"slices"
	"sync/atomic"
)

// User is a user. Its connections point to it. Any goroutine may call its methods.
type User struct {
	name   string
	limits atomic.Pointer[Limits] // nil if the user may do everything
	is     atomic.Pointer[Definition]
}

func newUser(name string, d *Definition) *User {
	u := &User{name: name}
	u.become(d)
	return u
}

// become gives the user another definition. Its connections follow it with their next command.
func (u *User) become(d *Definition) {
	u.is.Store(d)
	u.limits.Store(d.limits())
}

// Name returns the name of the user.
func (u *User) Name() string { return u.name }

// Limits returns what the user may do, nil if it may do everything.
func (u *User) Limits() *Limits { return u.limits.Load() }

// Definition returns the definition of the user.
func (u *User) Definition() *Definition { return u.is.Load() }

// Open reports whether everybody is this user, without a password.
func (u *User) Open() bool {
	d := u.is.Load()
	return d.on && d.noPass
}

// NoPass reports whether the user needs no password, on or off.
func (u *User) NoPass() bool { return u.is.Load().noPass }

// limits returns what a check needs, nil if the user may do everything.
func (d *Definition) limits() *Limits {
	if slices.ContainsFunc(d.selectors, (*Selector).unlimited) {
		return nil
	}
	return &Limits{selectors: d.selectors}
}
