// Package webhook carries one webhook delivery to an endpoint that a client named: it makes one attempt and says what came
// of it. The wire format and the verdicts are package areyouai's; what is here is the door to a network that may be hostile.
//
// Which deliveries there are, their order, the waiting between attempts and the store are somebody else's; this package has
// no state but idle connections.
//
//	sender, err := webhook.NewSender(webhook.Options{})
//	defer sender.Close()
//	…
//	switch out := sender.Send(ctx, delivery); out.Kind {
//	case areyouai.WebhookDelivered:
//		// done
//	case areyouai.WebhookRetry:
//		// again after areyouai.WebhookDelay(delivery.Attempt, rand.Float64()), with Attempt one higher
//	case areyouai.WebhookDead:
//		// a dead letter
//	}
//
// [Sender.Check] judges an endpoint's URL when it is created, so that its owner is told at once.
//
// # Where a delivery may go
//
// The URL comes from a client, and the request leaves from inside the operator's network (CWE-918). So the address is
// judged where it can no longer change: after the name was resolved, at the socket, before it connects. A name that
// resolves to something harmless at first and to something else later gains nothing. Only global unicast may be reached:
// not loopback, private, link-local, shared (100.64.0.0/10), multicast, documentation, benchmark and reserved ranges, nor
// any of them in the clothes of IPv6, nor the metadata services of clouds, wherever they live.
//
// Loopback is for receivers on the same machine, and off until the operator allows it: see [Options.AllowLoopback] and
// [Options.LoopbackTargets]. Plain http reaches loopback and nothing else, whatever "localhost" may resolve to.
//
// # Invariants
//
//   - No redirect is followed, no proxy is taken from the environment, no cookie is kept, nothing is decompressed.
//   - An attempt ends within [Options.Timeout] whatever the endpoint does, tries at most 3 addresses, and reads at most
//     16 KiB of headers and 4 KiB of body. The status decides as soon as it is there.
//   - TLS is 1.2 or later and certificates are verified.
//   - Every attempt is signed anew, with the time of the attempt.
//   - What an endpoint says unasked, net/http writes to the standard logger, quoted and at most 4 KiB at a time. A program
//     that logs elsewhere redirects that logger (zap.RedirectStdLog).
//   - A [Delivery] that is formatted or logged shows neither secret nor payload nor URL; the text of an error has a bound.
package webhook
