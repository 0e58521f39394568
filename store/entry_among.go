package store

// The table of a key knows some facts about all of its keys. They need no look-up.

// AmongCollections reports whether any key of the same partition and database holds a collection.
func (e *Entry) AmongCollections() bool { return e.place.AmongCollections() }

// AmongBinary reports whether any string of the same partition and database begins with a zero byte, or
// began so earlier. A string that began otherwise, and that [Entry.SetRange] changed, does not count.
func (e *Entry) AmongBinary() bool { return e.place.AmongBinary() }
