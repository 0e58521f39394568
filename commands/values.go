package commands

import "cellserver/store"

// Value is how the commands of a family find their values. A key that is absent has one without elements.
type Value[T interface{ Len() int }] struct {
	Kind store.Kind
	Of   func(e store.Entry) T
}

// Read returns the value of a key. The error is [ErrWrongType].
func (v Value[T]) Read(c *Call, key []byte) (T, error) {
	e := c.Tx.Read(key)
	return v.Of(e), CheckKind(&e, v.Kind)
}

// Write finds a key for a command that changes its value. The error is [ErrWrongType].
func (v Value[T]) Write(c *Call, key []byte) (store.Entry, error) {
	e := c.Tx.Write(key)
	return e, CheckKind(&e, v.Kind)
}

// Reply returns the Run of a command that reads the value of its first argument, and replies.
func (v Value[T]) Reply(reply func(c *Call, of T)) func(*Call) error {
	return func(c *Call) error {
		of, err := v.Read(c, c.Args[1])
		if err == nil {
			reply(c, of)
		}
		return err
	}
}

// Len returns the Run of a command that replies with the number of elements.
func (v Value[T]) Len() func(*Call) error {
	return v.Reply(func(c *Call, of T) { c.Out.Int(int64(of.Len())) })
}

// Remove returns the Run of a command that removes the elements that its words name, and replies with their
// number. The event has the name of the command.
func (v Value[T]) Remove(class Events, how *store.Change) func(*Call) error {
	return func(c *Call) error {
		e, err := v.Write(c, c.Args[1])
		if err != nil {
			return err
		}
		removed := int64(0)
		for _, word := range c.Args[2:] {
			if _, changed := e.Change(how, store.Operands{Value: word}); changed {
				removed++
			}
		}
		if removed > 0 {
			c.NotifyRemoval(class, c.Cmd.Name, &e)
		}
		c.Out.Int(removed)
		return nil
	}
}
