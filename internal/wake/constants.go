package wake

import "time"

// Times of the sidecar. Source, where one is named: contract, "aya-bridge end to end".
const (
	// refreshAt is the life left at or below which a token is minted anew before a hook. Source: "Frame handling".
	refreshAt = 60 * time.Second
	// typingTTL is what one typing notice lasts. Source: "Requests it makes".
	typingTTL = 30 * time.Second
	// typingEvery renews the notice during a long hook. Its calls also keep the room token alive, which a server
	// extends on use in its last minute.
	typingEvery = 20 * time.Second
	// typingTimeout bounds a typing call, so that a slow server does not hold a wake back for a nicety.
	typingTimeout = 5 * time.Second

	// DefaultHookTimeout ends a hook call that hangs.
	DefaultHookTimeout = 5 * time.Minute
	// DefaultIdle is how long an accepted wake may stay without an answer before the agent is woken again.
	DefaultIdle = 10 * time.Minute
	// DefaultDrain is how long running hooks may go on after the sidecar was told to stop.
	DefaultDrain = 20 * time.Second
	// DefaultParallel is how many rooms have their hook called at a time.
	DefaultParallel = 4

	// retryMin and retryMax bound the pause after a failed attempt; it doubles from one to the other. The first is the
	// constant retry interval of the protocol's own sidecar. Source: "Files and settings".
	retryMin = 5 * time.Second
	retryMax = 5 * time.Minute
	// retryJitter is the largest part of a pause that is added to it at random.
	retryJitter = 0.1
	// killAfter is the time between the polite and the final signal to a hook command.
	killAfter = 5 * time.Second
)

// maxHookReply bounds what is read of a hook's answer, so that its connection can be used again.
const maxHookReply = 64 << 10
