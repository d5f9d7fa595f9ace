package edgeframes

// Waiting is how many calls have no answer yet, sent or not.
func (c *Client) Waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls.waiting)
}
