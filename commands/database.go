package commands

// Database parses argument i as the number of a database that exists. Errors have the texts of
// Redis.
func (c *Call) Database(i int) (int, error) {
	n, err := c.Int32(i)
	if err == nil && !c.HasDatabase(n) {
		err = ErrDBRange
	}
	return n, err
}

// HasDatabase reports whether a database exists.
func (c *Call) HasDatabase(n int) bool { return n >= 0 && n < c.Server.Store.Databases() }

// HasSlots reports whether the client shares its keys out to slots: it knows clusters, and the server is one.
func (c *Call) HasSlots() bool { return c.Server.Config().ClusterEnabled && !c.Conn.Link.Whole }

// ExistsIn reports whether a database has a key.
func (c *Call) ExistsIn(db int, key []byte) bool {
	was := c.Tx.DB()
	defer c.Tx.Select(was)
	c.Tx.Select(db)
	e := c.Tx.Peek(key)
	return e.Exists()
}
