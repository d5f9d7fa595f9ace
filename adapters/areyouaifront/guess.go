package areyouaifront

// guess refuses to judge a human code while its address or the room has seen too many wrong ones.
func (f *Front) guess(r *request, room string) error {
	ip := addressOf(r.Request())
	switch wait, ofAddress := f.guesses.Wait(ip, room, f.node.Now()); {
	case ofAddress:
		return &ipLimitedError{ip: ip, refusal: limited(wait)}
	case wait > 0:
		return limited(wait)
	}
	return nil
}

// guessed counts a human code that was wrong.
func (f *Front) guessed(r *request, room string) {
	f.guesses.Wrong(addressOf(r.Request()), room, f.node.Now())
}
