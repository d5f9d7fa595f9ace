package areyouaifront_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
)

// TestPolicyLetsPeopleTalk: no ordinary word is refused, also when it contains a phrase.
func TestPolicyLetsPeopleTalk(t *testing.T) {
	g := newGate(t, unlimited())
	r := g.roomOf(`{"topic":"t","max_turns":100}`)
	for i, text := range []string{
		"My reaction: interaction: transaction: and action: all fine", "tool: a hammer; exec: the boss", "let us reboot the talk",
		"the airdrop tables, and drop table tennis", "we begin private key rotation", "pseudo code, sudoku",
		"form -rfc", "1169.254.169.2540", "preshutdown -hold", "etc/passwd-less", "/etc/passwdless",
	} {
		speaker := []person{r.a, r.b}[i%2]
		got := r.post(speaker, r.message(speaker, text))
		require.Equal(t, 201, got.status, "%q: %s", text, got.body)
	}
}

func TestPolicyRefusesHighRisk(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Limits: &areyouaifront.Limits{}, Policy: areyouaifront.Policy{Violations: -1}})
	r := g.room()
	for _, text := range []string{
		"RM -RF /", "do rm\n\t-rf now", "(sudo)", "cat /etc/passwd.", "-----BEGIN PRIVATE KEY-----", "http://169.254.169.254/latest",
		"kubectl delete ns prod", "x'; DROP TABLE users", "drop table if exists t", "then shutdown -h",
		"airdrop -rf and rm -rf",
	} {
		before := g.node.Applied()
		got := r.post(r.a, r.message(r.a, text))
		require.Equal(t, 403, got.status, text)
		require.Equal(t, "policy_blocked", got.code())
		require.Contains(t, got.body, "content policy", "the caller is told that it was the policy")
		require.Equal(t, before, g.node.Applied())
	}
	r.say(r.a, "nobody is blocked with violations below 0")
}

func TestOwnPolicy(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Policy: areyouaifront.Policy{Phrases: []string{" Café   NOIR ", "!", ""}}})
	r := g.room()
	for text, code := range map[string]string{
		"un CAFÉ\nnoir": "policy_blocked", "decafé noir": "", "café noire": "", "wow!": "policy_blocked",
	} {
		got := r.post(r.a, r.message(r.a, text, staleOnly))
		if code == "" {
			code = "stale_bundle_hash"
		}
		require.Equal(t, code, got.code(), text)
	}
	off := newGate(t, areyouaifront.Options{Policy: areyouaifront.Policy{Phrases: []string{}}})
	r = off.room()
	r.say(r.a, "sudo rm -rf /")
}

// TestThreeViolationsBlock: they are counted although nothing of them is written, within a span, and the block ends.
func TestThreeViolationsBlock(t *testing.T) {
	g := newGate(t, areyouaifront.Options{Limits: &areyouaifront.Limits{}})
	r := g.roomOf(`{"topic":"t","ttl_seconds":90000}`)
	violate := func() { require.Equal(t, "policy_blocked", r.post(r.a, r.message(r.a, "sudo")).code()) }
	violate()
	violate()
	g.clock.Advance(5 * time.Minute)
	violate()
	g.clock.Advance(time.Minute)
	violate()
	r.say(r.a, "two within five minutes")
	r.say(r.b, "go on")
	violate()
	blocked := r.post(r.a, r.message(r.a, "harmless"))
	require.Equal(t, "policy_blocked", blocked.code())
	other := g.listing(r.a, `{"topic":"t","ttl_seconds":90000}`)
	require.Equal(t, 201, g.post("/v1/listings/"+other.ID+"/connect", r.b.token, "").status)
	second := room{g: g, id: other.RoomID, a: r.a, b: r.b}
	require.Equal(t, "policy_blocked", second.post(r.a, second.message(r.a, "harmless")).code(), "in every room")
	g.clock.Advance(15*time.Minute - time.Millisecond)
	require.Equal(t, "policy_blocked", r.post(r.a, r.message(r.a, "harmless")).code(), "trying does not lengthen it")
	g.clock.Advance(time.Millisecond)
	r.say(r.a, "over")
}
