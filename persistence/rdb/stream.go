package rdb

// streamID is the bytes of an entry's identity where it is not written as two lengths.
const streamID = 16

// skipStream reads over a stream in the first, second or third way in which they are
// written: its entries, what it counts, and its groups.
func (s *source) skipStream(way int) error {
	if err := s.skipEach(2, 0); err != nil {
		return err
	}
	counts := 1 + 2 // its length, its last identity
	if way >= 2 {
		counts += 2 + 2 + 1 // the first one, the greatest deleted one, how many were added
	}
	if err := s.lengths(counts, "a number of a stream"); err != nil {
		return err
	}
	return s.times("the number of groups", func() error { return s.skipGroup(way) })
}

// skipGroup reads over a group: its name, its last identity, what is pending, and its consumers.
func (s *source) skipGroup(way int) error {
	if err := s.skipText(); err != nil {
		return err
	}
	counts := 2
	if way >= 2 {
		counts++ // entries read
	}
	if err := s.lengths(counts, "a number of a group"); err != nil {
		return err
	}
	err := s.times("the number of pending entries", func() error {
		return s.after(streamID+8, func() error { return s.lengths(1, "how often an entry was delivered") })
	})
	if err != nil {
		return err
	}
	return s.times("the number of consumers", func() error { return s.skipConsumer(way) })
}

// skipConsumer reads over a consumer: its name, when it was last seen (and active), and
// which entries are pending for it.
func (s *source) skipConsumer(way int) error {
	if err := s.skipText(); err != nil {
		return err
	}
	seen := uint64(8)
	if way >= 3 {
		seen += 8
	}
	return s.after(seen, func() error {
		return s.times("the number of pending entries", func() error {
			return s.after(streamID, func() error { return nil })
		})
	})
}
