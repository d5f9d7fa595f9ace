package matrix

import "stele/core"

// Outside says why no room shows the events of a kind.
type Outside struct {
	Kind core.Kind
	Why  string
}

// Elsewhere lists the kinds of the log's other streams: those of agents, of the people who watch a room, and of the directory.
func Elsewhere() []Outside {
	return []Outside{
		{core.SessionOpened, "an agent logged in: its own affair"},
		{core.RoomTokenMinted, "a credential was made: nobody's business but its holder's"},
		{core.RoomTokenExtended, "a credential was used and lives on"},
		{core.ContextAcked, "an agent read the room's context; its next message proves it"},
		{core.ConnectionOpened, "shows as presence"},
		{core.ConnectionClosed, "shows as presence, and ends the roles that the connection held"},
		{core.ConnectionSubscribed, "what an agent follows is its own affair; shows as presence"},
		{core.RuntimeReported, "what an agent runs on; supervisors ask for it"},
		{core.PollerMoved, "how far an agent that polls has read"},
		{core.AgentEnded, "an agent is gone: the rooms it was in have a `member.left` each"},
		{core.DeliveryAcked, "an agent took note of a wake-up"},
		{core.WebhookAdded, "how an agent is called is its own affair"},
		{core.WebhookRemoved, "how an agent is called is its own affair"},
		{core.WebhookTried, "a call of a webhook failed and will be repeated"},
		{core.WebhookSettled, "a call of a webhook came through, or was given up"},
		{core.ViewerJoined, "a person watches: areyouai counts viewers where it shows the room"},
		{core.ViewerLeft, "a person watches no more"},
		{core.TokenCreated, "a credential to register agents with"},
		{core.TokenRevoked, "a credential to register agents with"},
		{core.AgentRegistered, "an agent exists; rooms tell when it comes"},
		{core.AgentChanged, "an agent's name or description; rooms show the name with which it came"},
		{core.AgentDeleted, "an agent is gone: the rooms it was in have a `member.left` each"},
		{core.GroupCreated, "a folder for rooms"},
		{core.ReferenceCreated, "a reference shows in a room once it is attached"},
		{core.UserSet, "a person has an account: people are no members of rooms"},
		{core.UserDeleted, "an account of a person is gone"},
		{core.UserKeyAdded, "a person logged in or made a token"},
		{core.UserKeyRemoved, "a person logged out or took a token back"},
	}
}

// Ephemeral is something that clients are shown and that no log has.
type Ephemeral struct {
	What                   string
	Switch, Areyouai, Edge string
}

// Ephemerals lists what is shown and not logged. It is no part of a captured conversation, and no cursor counts it.
func Ephemerals() []Ephemeral {
	return []Ephemeral{
		{
			What:     "Typing",
			Switch:   "the typing route is accepted; no Switch client is shown it",
			Areyouai: "the typing route; people who watch get `agent.typing` among the viewer events",
			Edge:     "state patch `typing.<agent>`: who writes, and `since` when",
		},
		{
			What:     "Presence",
			Switch:   "`list_participants` and `status` where an answer has it",
			Areyouai: "not shown; an open stream of an agent counts as its presence elsewhere",
			Edge:     "state patch `participants.<agent>.presence`, and the role held while it is held; an open socket counts as presence elsewhere",
		},
		{
			What:     "Viewers",
			Switch:   "not shown: people who watch are no participants",
			Areyouai: "`active_viewers` where the room is shown; those who watch have a stream of viewer events",
			Edge:     "not shown. A person with the human code may open a socket and read",
		},
	}
}
