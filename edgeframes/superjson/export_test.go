package superjson

// ParseFast and ParseSlow are the two ways to decode a text, which must agree.
func (c Codec) ParseFast(text []byte) (Value, bool, error) {
	c.Limits = c.Limits.withDefaults()
	if err := precheck(text, &c.Limits); err != nil {
		return nil, false, err
	}
	return c.parseFast(text, nil)
}

func (c Codec) ParseSlow(text []byte) (Value, error) {
	c.Limits = c.Limits.withDefaults()
	if err := precheck(text, &c.Limits); err != nil {
		return nil, err
	}
	return c.parseSlow(text)
}
