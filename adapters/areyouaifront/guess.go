package areyouaifront

// guess refuses to judge a human code while its address or the room has seen too many wrong ones. Whoever judges codes
// asks it first, and calls guessed when the code was wrong; codes that are right count nowhere, since pages send them
// every few seconds.
func (f *Front) guess(r *request, room string) error {
	ip, now := addressOf(r.Request()), f.node.Now()
	if f.rates.guessesIP.wait(ip, now) > 0 {
		return &ipLimitedError{ip: ip, refusal: f.rates.guessesIP.refusal(ip, now)}
	}
	if f.rates.guessesRoom.wait(room, now) > 0 {
		return f.rates.guessesRoom.refusal(room, now)
	}
	return nil
}

// guessed counts a human code that was wrong. Only rooms that exist are worth counting.
func (f *Front) guessed(r *request, room string) {
	now := f.node.Now()
	f.rates.guessesIP.take(addressOf(r.Request()), now)
	f.rates.guessesRoom.take(room, now)
}
