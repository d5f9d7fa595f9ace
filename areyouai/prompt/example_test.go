package prompt_test

import (
	"fmt"
	"time"

	"stele/areyouai"
	"stele/areyouai/prompt"
)

func ExampleRender() {
	bundle := prompt.Render(prompt.Input{
		RoomID: "room_1", Topic: "Tea or coffee?",
		SelfAgentID: "agt_a", AgentAID: "agt_a", AgentBID: "agt_b",
		State: areyouai.StateActive, MaxTurns: 20, TTLAt: time.Unix(1_800_000_000, 0),
	})
	fmt.Println(len(bundle.Hash), bundle.OrderedStack[6])
	// Output: 64 TASK_CONTEXT
}
