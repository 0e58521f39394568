package group

import (
	"slices"

	"cellserver/store"
)

// tooLate reports whether a transaction at now has changed a key that expired before limit, the time of an
// earlier entry. Other nodes may remove such a key before they have the entry of the transaction.
func tooLate(now, limit int64, undo *store.UndoList) bool {
	return now < limit && slices.ContainsFunc(undo.All(nil), func(u store.Undo) bool {
		at := u.Before.ExpireAt
		return u.Before.Kind != store.None && at != store.NoExpiry && at >= now/1e6 && at <= limit/1e6
	})
}

// removedOnly reports whether effects only remove keys that have expired.
func removedOnly(effects []store.Effect) bool {
	return !slices.ContainsFunc(effects, func(f store.Effect) bool { return f.Op != store.OpDel || !f.Expired })
}
