package acl

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// DefaultName is the name of the user that a connection has from the start. It always exists.
const DefaultName = "default"

// Users are all users of a server.
type Users struct {
	table          *Table
	Default, Guest *User // Guest is a connection that has not authenticated

	mu     sync.Mutex // guards the rest
	byName map[string]*User
	bytes  int // of all descriptions
}

// New returns the users of a new server: the default user, which may do everything without a password.
func New(t *Table) *Users {
	u := &Users{table: t, byName: map[string]*User{}}
	u.Default = newUser(DefaultName, defaultDefinition(t))
	u.Guest = newUser(DefaultName, newDefinition(t, false))
	u.Guest.limits.Store(&Limits{})
	u.byName[DefaultName] = u.Default
	u.bytes = lineSize(DefaultName, u.Default.Definition())
	return u
}

func defaultDefinition(t *Table) *Definition {
	d := newDefinition(t, true)
	d.on, d.noPass = true, true
	d.own().setKeys(true)
	d.own().grant(rule{target: t.targets["@all"], allow: true})
	return d
}

// Arriving returns the user of a new connection: the default user if it is open, otherwise the guest.
func (u *Users) Arriving() *User {
	if u.Default.Open() {
		return u.Default
	}
	return u.Guest
}

// Rights returns the user whose rights a connection has, and its limits. Those of the guest are the rights
// of the default user. MustAuthenticate of the connection says whether it may use them.
func (u *Users) Rights(user *User) (*User, *Limits) {
	if user == u.Guest {
		user = u.Default
	}
	return user, user.Limits()
}

// Acting returns the user of a name, for a connection that needs no password. If there is none, or it is
// off, the result is a user without any right.
func (u *Users) Acting(name string) *User {
	user := u.Default // most requests have it
	if name != DefaultName {
		user = u.Find(name)
	}
	if user != nil && user.Definition().on {
		return user
	}
	nobody := newUser(name, newDefinition(u.table, false))
	nobody.limits.Store(&Limits{deleted: true})
	return nobody
}

// Foreign returns the user of a name for a connection whose rights another server checks: it may do
// everything here. If there are too many users, that is the default user.
func (u *Users) Foreign(name string) *User {
	if user := u.Find(name); user != nil {
		return user
	}
	user, err := u.Set(name, []string{"on", "nopass", "allkeys", "allchannels", "allcommands"}, true)
	if err != nil {
		return u.Default
	}
	return user
}

// Find returns the user of a name, nil if there is none.
func (u *Users) Find(name string) *User {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.byName[name]
}

// Authenticate returns the user of a name and a password, nil if they do not match or the user is off.
// Whether there is such a user changes its time little.
func (u *Users) Authenticate(name, password []byte) *User {
	sum := sha256.Sum256(password)
	user := u.Find(string(name))
	if user == nil || !user.Definition().accepts(sum) {
		return nil
	}
	return user
}

// All returns all users, sorted by name.
func (u *Users) All() []*User {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := make([]*User, 0, len(u.byName))
	for _, name := range slices.Sorted(maps.Keys(u.byName)) {
		all = append(all, u.byName[name])
	}
	return all
}

// Shut reports whether nobody can log in, because no user is on and has a password or needs none.
func (u *Users) Shut() bool {
	return !slices.ContainsFunc(u.All(), func(user *User) bool {
		d := user.Definition()
		return d.on && (d.noPass || len(d.passwords) > 0)
	})
}

// Absent is [Definition.Absent] for all users.
func (u *Users) Absent() (names []string) {
	for _, user := range u.All() {
		names = append(names, user.Definition().Absent()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Line returns a user as a line of a file.
func (u *User) Line() string { return "user " + u.name + " " + u.Definition().String() }

// lineSize returns about how many bytes the line of a user has.
func lineSize(name string, d *Definition) int { return len("user  ") + len(name) + d.size() }

// ErrName is the error of a user's name that could not stand in a file.
var ErrName = errors.New("Usernames can't contain spaces or null characters")

var (
	errUsers = fmt.Errorf("there are at most %d users: delete one first", MaxUsers)
	errBytes = fmt.Errorf("the rules of all users have at most %d bytes: delete a user or a pattern first",
		MaxBytes)
)

// Set changes a user by the words of ACL SETUSER, or makes it. An error changes nothing. allChannels is
// what acl-pubsub-default says of new selectors.
func (u *Users) Set(name string, words []string, allChannels bool) (*User, error) {
	if hasSpaces(name) {
		return nil, ErrName
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	e := editor{u.table, allChannels}
	user, d := u.byName[name], newDefinition(u.table, allChannels)
	if user != nil {
		d = user.Definition().clone()
	}
	if err := e.modify(d, words); err != nil {
		return nil, err
	}
	return u.put(name, d)
}

// put gives a user a definition, within the bounds. The caller holds mu.
func (u *Users) put(name string, d *Definition) (*User, error) {
	user := u.byName[name]
	bytes := u.bytes + lineSize(name, d)
	if user != nil {
		bytes -= lineSize(name, user.Definition())
	}
	switch {
	case user == nil && (len(u.byName) >= MaxUsers || len(name) > MaxUserBytes):
		return nil, errUsers
	case bytes > MaxBytes:
		return nil, errBytes
	}
	u.bytes = bytes
	if user == nil {
		user = newUser(name, d)
		u.byName[name] = user
		return user, nil
	}
	user.become(d)
	return user, nil
}

// Delete deletes users, and returns those that existed. The default user stays.
func (u *Users) Delete(names []string) (deleted []*User) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, name := range names {
		if user := u.byName[name]; user != nil && user != u.Default {
			u.remove(user)
			deleted = append(deleted, user)
		}
	}
	return deleted
}

// remove deletes a user. The caller holds mu.
func (u *Users) remove(user *User) {
	delete(u.byName, user.name)
	u.bytes -= lineSize(user.name, user.Definition())
	user.limits.Store(&Limits{deleted: true})
}

// SetPassword gives the default user one password, or none if it is empty: requirepass.
func (u *Users) SetPassword(password string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	d := u.Default.Definition().clone()
	editor{table: u.table}.setPassword(d, password)
	u.bytes += d.size() - u.Default.Definition().size()
	u.Default.become(d)
}

// Guessable reports whether a user has a password.
func (u *Users) Guessable() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, user := range u.byName {
		if len(user.Definition().passwords) > 0 {
			return true
		}
	}
	return false
}
